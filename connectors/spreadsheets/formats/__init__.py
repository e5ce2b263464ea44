"""The kinds of file that are read, each turned into sheets of numbered rows, and how they are kept from doing harm."""
