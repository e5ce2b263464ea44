"""Reference tables that only the law changes: each a file of public facts and the module that reads it."""
