"""Records at the providers (companies, templates, members, orders …): read, preview and change them, with a journal."""
