"""Notes (NFSe): what may be asked for, what becomes of it, and how it is shown."""
