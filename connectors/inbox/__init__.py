"""The folder into which people drop files. Anybody who can write there may replace a file or folder by a link."""
