"""Reference tables that change by law, not by us: each a file of public facts and the module that reads it."""
