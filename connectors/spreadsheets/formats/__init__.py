"""The kinds of file that are read, each turned into sheets of numbered rows, and the suspicion with which that is done."""
