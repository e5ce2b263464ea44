"""Writers of files for people: pages, blank workbooks, charges as a sheet."""
