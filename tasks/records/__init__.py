"""Records at the providers (companies, templates, members, orders …): read, preview, change and journal them."""
