"""Rows are stored a part at a time: until their reading is finished none of them moves. And fewer indexes to keep."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_GUARDS = (
    ("rows_whole", "rows", "state", "OLD.state = 'read' AND NEW.state <> OLD.state", "a reading is not finished"),
    ("readings_finished", "readings", "finished_at", "OLD.finished_at IS NOT NULL", "a reading is finished once"),
)
_IS_UNFINISHED = "EXISTS (SELECT 1 FROM readings WHERE id = NEW.reading_id AND finished_at IS NULL)"


def upgrade() -> None:
    """A row's place is found by the readings of its file, its part of a reading by the id; few rows have an origin."""
    # a reading was there with all its rows or not at all
    op.execute("UPDATE readings SET finished_at = started_at WHERE finished_at IS NULL")
    op.drop_index("ix_rows_file_id_sheet_row_number", "rows")
    op.drop_index("ix_rows_reading_id_state", "rows")
    op.create_index("ix_rows_reading_id_state_id", "rows", ["reading_id", "state", "id"])
    op.drop_index("ix_rows_origin_id", "rows")
    known = sa.text("origin_id IS NOT NULL")
    op.create_index("ix_rows_origin_id", "rows", ["origin_id"], sqlite_where=known, postgresql_where=known)
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    (_guard_sqlite if is_sqlite else _guard_postgresql)()


def _guard_sqlite() -> None:
    for name, table, column, when, words in _GUARDS:
        whole = f"{when} AND {_IS_UNFINISHED}" if table == "rows" else when
        op.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE OF {column} ON {table} WHEN {whole}"
            f" BEGIN SELECT RAISE(ABORT, '{words}'); END"
        )


def _guard_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION faturista_whole() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {_IS_UNFINISHED} THEN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'check_violation'; END IF;"
        " RETURN NEW; END $$"
    )
    for name, table, column, when, words in _GUARDS:
        function = "faturista_whole" if table == "rows" else "faturista_refuse"
        op.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE OF {column} ON {table} FOR EACH ROW WHEN ({when})"
            f" EXECUTE FUNCTION {function}('{words}')"
        )
    # What is born as it may be costs no call of a function: that would be a third of a large import.
    op.execute("DROP TRIGGER rows_birth ON rows")
    op.execute(
        "CREATE TRIGGER rows_birth BEFORE INSERT ON rows FOR EACH ROW WHEN (NEW.state NOT IN ('read', 'refused'))"
        " EXECUTE FUNCTION faturista_birth('row')"
    )
