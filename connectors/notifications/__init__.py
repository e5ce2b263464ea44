"""Messages to people through Apprise: mail, chats, webhooks."""
