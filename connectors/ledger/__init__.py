"""The one truth: what was read, reserved, posted, approved and seen. SQLAlchemy Core, SQLite or PostgreSQL."""
