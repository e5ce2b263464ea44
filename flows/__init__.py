"""The flows, one in each file, and the command line. A flow calls stations in a fixed order."""
