"""Terms: what is kept no longer than the settings say."""
