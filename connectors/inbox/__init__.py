"""The folder that people drop files into. Whoever may write there may try to lead us elsewhere."""
