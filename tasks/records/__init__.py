"""Records that people look after at the providers: read, previewed, changed once somebody says so, journaled."""
