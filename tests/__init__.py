"""The suite. Only this top folder is a real package, so that every worker can import `tests.sandboxes`."""
