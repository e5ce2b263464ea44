"""What a file would come to before anything is posted: its notes, its months, its requests, its quota."""
