"""Write files for people: pages, blank workbooks; and charges and payments as a services sheet."""
