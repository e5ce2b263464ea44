"""The folder into which people drop files. Anybody who can write there may try to redirect us."""
