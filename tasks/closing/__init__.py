"""Close a month: list open work, freeze the month, write its reports, show later changes."""
