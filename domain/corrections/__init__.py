"""Rows that come back: how a corrected row is known as the successor of the one it corrects."""
