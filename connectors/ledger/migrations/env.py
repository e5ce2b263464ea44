"""Alembic's entry: runs the migrations on the connection, and in the transaction, that the engine hands over."""

from alembic import context

from connectors.ledger.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
context.run_migrations()
