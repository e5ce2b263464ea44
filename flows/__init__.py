"""The order of stations, one flow per file, and the command line."""
