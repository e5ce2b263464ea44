"""Reference data that everybody may read: cities and constants."""
