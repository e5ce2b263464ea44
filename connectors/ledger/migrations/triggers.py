"""Create the triggers of `guards`, list them, and disable them while a copy is restored.

SQLite takes both conditions of a guard in one trigger. PostgreSQL allows no query in a trigger's WHEN: there `finds`
becomes a function, which runs for each row that `when` selects.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from connectors.ledger.migrations.guards import DETACHED, EVERYTHING, GUARDS, KEPT, RULES


def missing_guards(conn: sa.Connection) -> set[str]:
    """Return the names of triggers that a ledger of the newest version has and this database lacks."""
    emptied = set() if conn.dialect.name == "sqlite" else {f"{table}_emptied" for table in DETACHED}
    return {*GUARDS, *emptied} - guards_of(conn)


def create_guards(conn: sa.Connection) -> None:
    """Create every guard in an empty ledger."""
    statements = _sqlite() if conn.dialect.name == "sqlite" else _postgresql()
    for statement in statements:
        conn.exec_driver_sql(statement, execution_options={"no_parameters": True})


def _sqlite() -> Iterator[str]:
    for each in RULES:
        conditions = " AND ".join(f"({condition})" for condition in (each.when, each.finds) if condition)
        when = f"WHEN {conditions} " if conditions else ""
        yield (
            f"CREATE TRIGGER {each.name} BEFORE {each.on} ON {each.table} {when}"
            f"BEGIN SELECT RAISE(ABORT, '{each.words}'); END"
        ).replace("IS DISTINCT FROM", "IS NOT")
    for table in KEPT:
        when = f"WHEN NOT {DETACHED[table]} " if table in DETACHED else ""
        yield (
            f"CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} {when}BEGIN SELECT RAISE(ABORT, '{EVERYTHING}'); END"
        )


def _postgresql() -> Iterator[str]:
    yield _function("faturista_refuse", "")
    for each in RULES:
        function = "faturista_refuse"
        if each.finds:
            function = f"faturista_{each.name}"
            yield _function(function, each.finds)
        when = f"WHEN ({each.when}) " if each.when else ""
        yield (
            f"CREATE TRIGGER {each.name} BEFORE {each.on} ON {each.table} FOR EACH ROW {when}"
            f"EXECUTE FUNCTION {function}('{each.words}')"
        )
    for table in KEPT:
        if table in DETACHED:
            function = f"faturista_{table}_kept"
            yield _function(function, f"NOT {DETACHED[table]}")
            yield (
                f"CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} FOR EACH ROW"
                f" EXECUTE FUNCTION {function}('{EVERYTHING}')"
            )
            name, on = f"{table}_emptied", "TRUNCATE"
        else:
            name, on = f"{table}_kept", "DELETE OR TRUNCATE"
        yield (
            f"CREATE TRIGGER {name} BEFORE {on} ON {table} FOR EACH STATEMENT"
            f" EXECUTE FUNCTION faturista_refuse('{EVERYTHING}')"
        )


def _function(name: str, finds: str) -> str:
    refuse = "RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'check_violation';"
    # NEW is null for a deletion, and a trigger that returns null skips the deletion silently.
    passes = "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW;"
    body = f"IF {finds} THEN {refuse} END IF; {passes}" if finds else refuse
    return f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"


def guards_of(conn: sa.Connection) -> set[str]:
    """Return the names of the triggers that exist and are enabled."""
    if conn.dialect.name == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    else:
        query = (
            "SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
            " JOIN pg_namespace ON pg_namespace.oid = relnamespace"
            " WHERE NOT tgisinternal AND tgenabled IN ('O', 'A') AND nspname = current_schema()"
        )
    return set(conn.execute(sa.text(query)).scalars())


@contextmanager
def disable_guards(conn: sa.Connection) -> Iterator[None]:
    """Disable every guard in the caller's transaction, to write a restored copy. An error must roll it back.

    SQLite checks foreign keys at the commit, PostgreSQL at each statement.
    """
    if conn.dialect.name == "sqlite":
        held = conn.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
        conn.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        for name, _ in held:
            conn.exec_driver_sql(f'DROP TRIGGER "{name}"')
        yield
        for _, statement in held:
            conn.exec_driver_sql(statement)
        return
    tables = sa.inspect(conn).get_table_names()
    for table in tables:
        conn.exec_driver_sql(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
    yield
    for table in tables:
        conn.exec_driver_sql(f'ALTER TABLE "{table}" ENABLE TRIGGER USER')
