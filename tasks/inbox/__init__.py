"""The inbox, where people drop workbooks, and the outbox, where they find the answers."""
