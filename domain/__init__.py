"""Rules without I/O: money, documents, taxes, keys, states. They import only the standard library and python-stdnum."""
