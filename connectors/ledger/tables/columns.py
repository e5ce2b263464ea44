"""Parts that several tables share: constraint names, columns, foreign keys, partial indexes, and SQL conditions."""

from typing import Any, Final, Literal, get_args

import sqlalchemy as sa

from domain.states import LIVING

Kind = Literal["service", "nfe", "nfce"]
"""The document kind: a service note, or a product invoice of either kind."""

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
    """Return the primary key column `id`."""
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True)


def a_link(name: str, target: str | None, *, nullable: bool = False, index: bool = False) -> sa.Column[int]:
    """Return a column with an id of the table `target`. Without one, `of_same_issuer` adds the foreign key."""
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    keys = [] if target is None else [sa.ForeignKey(f"{target}.id")]
    return sa.Column(name, kind, *keys, nullable=nullable, index=index)


ISSUED_BY: Final = ("kind", "issuer", "is_staged")
"""Columns: the document kind, the issuer's name, and whether a posted invoice waits at the issuer until a send."""


def issued_by() -> list[sa.Column[Any]]:
    """Return the columns of `ISSUED_BY`."""
    return [
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("is_staged", sa.Boolean, nullable=False),
    ]


def of_same_issuer(name: str, target: str) -> sa.ForeignKeyConstraint:
    """Return a foreign key to a row with the same `ISSUED_BY`: the guards of posting rely on equal values."""
    return sa.ForeignKeyConstraint([name, *ISSUED_BY], [f"{target}.{column}" for column in ("id", *ISSUED_BY)])


def is_any(column: str, *values: str, but: bool = False) -> str:
    """Return the SQL of `column IN (values)`, or with `but` of `NOT IN`. As a CHECK constraint it accepts null."""
    listed = ", ".join(repr(str(value)) for value in sorted(values))
    return f"{column} {'NOT IN' if but else 'IN'} ({listed})"


def partial_index(name: str, *columns: str, where: str | sa.ColumnElement[bool], unique: bool = False) -> sa.Index:
    """Return an index of the rows that meet a condition. A query uses the index if it has the same condition.

    A listener sets the condition for the database's dialect when the index is created. An argument `sqlite_where` or
    `postgresql_where` would import both dialects in every process.
    """

    def set_condition(index: sa.Index, conn: sa.Connection, **_: Any) -> None:
        index.dialect_options[conn.dialect.name]["where"] = sa.text(where) if isinstance(where, str) else where

    index = sa.Index(name, *columns, unique=unique)
    sa.event.listen(index, "before_create", set_condition)
    return index


def vacuum_often(*tables: sa.Table) -> None:
    """Let PostgreSQL vacuum these tables early: by default it waits until a fifth of a table has changed.

    A note changes about five times on its way: the old versions of a month would take more room than its notes.
    """

    def set_often(table: sa.Table, conn: sa.Connection, **_: Any) -> None:
        if conn.dialect.name == "postgresql":
            conn.exec_driver_sql(
                f"ALTER TABLE {table.name} SET (autovacuum_vacuum_scale_factor = 0.005,"
                " autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02)"
            )

    for table in tables:
        sa.event.listen(table, "after_create", set_often)


KINDS: Final = get_args(Kind)
IS_STAGED: Final = "is_staged"
IS_LIVING: Final = is_any("state", *LIVING)
