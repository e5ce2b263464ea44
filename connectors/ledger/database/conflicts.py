"""Inserts with a conflict clause whose compilation SQLAlchemy caches.

SQLAlchemy 2.0 caches no insert of a dialect, because a conflict clause is no part of its cache key; compiling one takes
ten times as long as running it. Here the clause belongs to the class of the insert, which is a part of the key, and is
added when the statement is compiled.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

DialectInsert: TypeAlias = "sqlite.Insert | postgresql.Insert"
Clause: TypeAlias = Callable[[DialectInsert], DialectInsert]
"""Adds a conflict clause to an insert."""


def insert_unless_known(conn: sa.Connection, table: sa.Table) -> sa.Insert:
    """Return an insert that skips every row that a unique index refuses."""
    return insert_with(conn, table, _skip)


def insert_with(conn: sa.Connection, table: sa.Table, clause: Clause) -> DialectInsert:
    """Return an insert to which `clause` adds its conflict clause when it is compiled.

    `clause` must be a function that lives as long as the process: its class of inserts is cached for ever. It may use
    the insert's table and `excluded`, and nothing that differs between two inserts.
    """
    made: DialectInsert = _kind(conn.dialect.name, clause)(table)
    return made


def _skip(insert: DialectInsert) -> DialectInsert:
    return insert.on_conflict_do_nothing()


@cache
def _kind(dialect: str, clause: Clause) -> Any:
    # Import only the dialect of the open connection, because the other dialect is slow to load.
    base = import_module(f"sqlalchemy.dialects.{dialect}").Insert
    kind = type(f"{base.__name__}With_{clause.__name__}", (base,), {"inherit_cache": True})

    @compiles(kind)
    def compile_with_clause(insert: DialectInsert, compiler: SQLCompiler, **options: Any) -> str:
        text: str = compiler.visit_insert(clause(insert), **options)  # type: ignore[no-untyped-call]
        return text

    return kind
