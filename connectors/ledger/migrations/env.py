"""Alembic's entry point: runs the migrations on the engine's connection and in its transaction."""

from alembic import context

from connectors.ledger.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
context.run_migrations()
