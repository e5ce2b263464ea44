"""The rows of a month are found in one pass, however many there are."""

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.detached.contents import rows_of_month
from tests.tasks.rows import this_month


def test_no_row_looks_through_the_whole_month(ledger):
    """PostgreSQL runs a subplan for each row, and keeps only a small one in memory; a join it can do for any size."""
    which = rows_of_month(tables.metadata.tables, this_month())
    asked = sa.select(tables.rows.c.id).where(which)

    def planned(conn: sa.Connection) -> str:
        compiled = asked.compile(conn, compile_kwargs={"literal_binds": True})
        how = "EXPLAIN QUERY PLAN" if conn.dialect.name == "sqlite" else "EXPLAIN"
        return "\n".join(str(row[-1]) for row in conn.exec_driver_sql(f"{how} {compiled}"))

    plan = ledger.read(planned)
    assert "SubPlan" not in plan, plan
    assert "CORRELATED" not in plan, plan
