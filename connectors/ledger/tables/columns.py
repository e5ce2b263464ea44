"""What the tables are made of: one set of names for their constraints, ids, links, and words for states and kinds."""

from typing import Any, Final, Literal, get_args

import sqlalchemy as sa

from domain.states import LIVING

Kind = Literal["service", "nfe", "nfce"]
"""What is issued: a service note, or a product invoice of either kind."""

STAGED_KIND: Final = "service"
"""The one kind that waits at the provider until its batch is sent; every other is issued by being posted."""

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def an_id() -> sa.Column[int]:
    """The key that every table of things has."""
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True)


def a_link(name: str, target: str | None, *, nullable: bool = False, index: bool = False) -> sa.Column[int]:
    """A reference to another table's id; without `target`, one that `of_same_kind` completes."""
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    keys = [] if target is None else [sa.ForeignKey(f"{target}.id")]
    return sa.Column(name, kind, *keys, nullable=nullable, index=index)


def of_same_kind(name: str, target: str) -> sa.ForeignKeyConstraint:
    """The column refers to a thing of the row's own kind: what may be posted when hangs on it."""
    return sa.ForeignKeyConstraint([name, "kind"], [f"{target}.id", f"{target}.kind"])


def is_any(column: str, *values: str, but: bool = False) -> str:
    """The condition that a column is one of these texts, or none of them."""
    listed = ", ".join(repr(str(value)) for value in sorted(values))
    return f"{column} {'NOT IN' if but else 'IN'} ({listed})"


def fill_pages_to(percent: int, table: sa.Table) -> None:
    """Leave room on each page of PostgreSQL: a line that is marked once then stays there, and no index is written."""

    @sa.event.listens_for(table, "after_create")
    def leave_room(_table: sa.Table, conn: sa.Connection, **_: Any) -> None:
        if conn.dialect.name == "postgresql":
            conn.exec_driver_sql(f"ALTER TABLE {table.name} SET (fillfactor = {percent})")


KINDS: Final = get_args(Kind)
IS_STAGED: Final = f"kind = '{STAGED_KIND}'"
IS_LIVING: Final = is_any("state", *LIVING)
IS_DEAD: Final = is_any("state", *LIVING, but=True)
