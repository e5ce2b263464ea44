"""Service sheets: each row names its customer and template, and becomes one invoice."""
