"""The file formats that are read, each as sheets of numbered rows, and their protection against hostile files."""
