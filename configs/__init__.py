"""Settings, layouts, messages and reference tables: data, and the little code that loads it."""
