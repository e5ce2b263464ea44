"""What a row is: a line, a title, a total."""
