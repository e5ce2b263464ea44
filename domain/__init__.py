"""Rules without I/O: money, documents, taxes, keys, states. Imports the standard library and python-stdnum only."""
