"""SQL that differs between SQLite and PostgreSQL: instants, the clock, lists of ids, tables of values.

One statement changes a group of a few hundred notes: their values are one JSON parameter, which the statement joins as
a table. So a group costs one round trip, and groups of any size share one compiled statement.

Frequent statements are built once and cached: building one costs about ten times as much as running it, and blocks
Python's other threads.

```python
@Statement
def _close(conn: sa.Connection) -> sa.Update:
    given = values(conn, "given", _END, param("ends"))
    return sa.update(_t).where(_t.c.id == given.c.id, _t.c.fence == param("fence")).values(outcome=given.c.outcome)

_close(conn, ends=[(7, "done"), (8, "refused")], fence=3)
```
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, Final, TypeAlias

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.type_api import TypeEngine

from connectors.ledger.database.compiled import CompiledStatements

Kinds: TypeAlias = Mapping[str, TypeEngine[Any]]
"""The columns of a table of values, with their types."""

Stored: TypeAlias = str | bytes | int | None
"""A value as the driver takes it."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
# Prefix bind names; SQLAlchemy would treat a column's name as a SET.
_PARAM: Final = "its_"
_TOGETHER: Final = 1_000
_PARAMETERS_AT_MOST: Final = 32_766
"""SQLite's default limit of parameters in one statement."""


class Instant(sa.types.TypeDecorator[datetime]):
    """An aware instant, stored as microseconds since 1970 in UTC: the same integer in every database and driver."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else to_micros(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else _EPOCH + timedelta(microseconds=int(value))


def to_micros(at: datetime) -> int:
    """Return an aware instant as the ledger stores it. Raises `ValueError` for a naive one."""
    if at.tzinfo is None:
        raise ValueError("an instant without a time zone")
    return (at - _EPOCH) // _MICROSECOND


def is_sqlite(conn: sa.Connection) -> bool:
    return conn.dialect.name == "sqlite"


def lock_until_end(conn: sa.Connection, key: int) -> None:
    """Wait for other transactions with this lock; hold it until this one ends. SQLite has one writer at a time."""
    if not is_sqlite(conn):
        conn.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))


class Statement:
    """A statement that `build` creates once for each SQL dialect. Call the object to run it.

    `param` names the values that are known only at the call; callers pass them by these names.
    """

    def __init__(self, build: Callable[[sa.Connection], sa.Executable]) -> None:
        self._build = build
        self._built: dict[str, sa.Executable] = {}
        self._options = {"compiled_cache": CompiledStatements(of_one=True)}
        self._gathering: Statement | None = None

    def __call__(self, conn: sa.Connection, /, **params: Any) -> sa.CursorResult[Any]:
        """Run the statement."""
        return conn.execute(self._built_for(conn), _prefix_params(params), execution_options=self._options)

    def gather(self, conn: sa.Connection, /, **params: Any) -> list[Any]:
        """Return all rows of a query whose columns are numbers and texts.

        SQLite's driver releases the interpreter lock before each row and must then get it back: beside a busy event
        loop, that takes many times as long as the row. So SQLite returns all rows as one JSON text.
        """
        if not is_sqlite(conn):
            return [tuple(row) for row in self(conn, **params).all()]
        if self._gathering is None:
            self._gathering = Statement(self._gather_query)
        rows: list[Any] = orjson.loads(self._gathering(conn, **params).scalar_one())
        return rows

    def _gather_query(self, conn: sa.Connection) -> sa.Select[Any]:
        query = self._built_for(conn)
        assert isinstance(query, sa.SelectBase)
        return sa.select(sa.func.json_group_array(sa.func.json_array(*query.subquery("rows").c)))

    def _built_for(self, conn: sa.Connection) -> sa.Executable:
        built = self._built.get(conn.dialect.name)
        if built is None:
            built = self._built[conn.dialect.name] = self._build(conn)
        return built


def param(name: str, kind: TypeEngine[Any] | type[TypeEngine[Any]] | None = None) -> sa.BindParameter[Any]:
    """Name a value that the caller of a `Statement` passes."""
    return sa.bindparam(_PARAM + name, type_=kind)


def _prefix_params(params: Mapping[str, Any]) -> dict[str, Any]:
    return {_PARAM + name: value for name, value in params.items()}


def clock(conn: sa.Connection, *, plus_s: float | sa.BindParameter[Any] = 0) -> sa.ColumnElement[datetime]:
    """Return the database's clock plus `plus_s` seconds, read when the statement runs, not when its transaction began.

    SQLite runs in our own process: its clock is this machine's, for every process that has the file open.
    """
    micros: sa.ColumnElement[int]
    if is_sqlite(conn):
        micros = sa.bindparam(None, callable_=lambda: to_micros(datetime.now(UTC)), type_=sa.BigInteger())
    else:
        micros = sa.cast(sa.extract("epoch", sa.func.clock_timestamp()) * 1_000_000, sa.BigInteger)
    return sa.type_coerce(micros + _parameter(plus_s, _Seconds()), Instant)


def now(conn: sa.Connection) -> datetime:
    """Return the present instant by the database's clock, aware, in UTC; not the start of the transaction."""
    if is_sqlite(conn):
        return datetime.now(UTC)
    at: datetime = _ask_clock(conn).scalar_one()
    return at


def has_come(
    instant: sa.ColumnElement[Any], at: sa.ColumnElement[Any] | datetime, latest: sa.ColumnElement[Any] | datetime
) -> sa.ColumnElement[bool]:
    """Return the condition that a stored instant is not after `at` (the present), or is after `latest`.

    `latest` is the latest instant that the ledger would store now: a later one was stored before the clock was set
    back, and would otherwise not come for a long time.
    """
    return sa.or_(instant <= at, instant > latest)


@Statement
def _ask_clock(conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(clock(conn))


def is_in(
    conn: sa.Connection, column: sa.ColumnElement[Any], values: Iterable[int | str] | sa.BindParameter[Any]
) -> sa.ColumnElement[bool]:
    """Build `column IN values` with one parameter, however many values there are."""
    listed = values if isinstance(values, sa.BindParameter) else list(values)
    if is_sqlite(conn):
        return column.in_(sa.select(sa.func.json_each(_parameter(listed, _Json())).table_valued("value").c.value))
    if isinstance(column.type, sa.String):
        return column == sa.any_(_parameter(listed, sa.ARRAY(sa.Text())))
    return column == sa.any_(_parameter(listed, _Integers()))


def values(
    conn: sa.Connection, name: str, columns: Kinds, rows: Sequence[Sequence[Any]] | sa.BindParameter[Any]
) -> sa.FromClause:
    """Return `rows` as a table of typed columns that a statement may join or select from.

    Instants, dates and JSON (types `Instant`, `sa.Date`, `sa.JSON`) are converted; None stays null.
    """
    if is_sqlite(conn):
        given = sa.func.json_each(_parameter(rows, _Json(columns))).table_valued("value", name=f"{name}_json")
        fields = [
            sa.type_coerce(sa.func.json_extract(given.c.value, sa.literal_column(f"'$[{place}]'")), kind).label(column)
            for place, (column, kind) in enumerate(columns.items())
        ]
        return sa.select(*fields).subquery(name)
    given = (
        sa.func.json_to_recordset(sa.cast(_parameter(rows, _Json(columns, is_named=True)), sa.JSON))
        .table_valued(*(sa.column(column, _wire_type(kind)) for column, kind in columns.items()))
        .render_derived(name=f"{name}_json", with_types=True)
    )
    return sa.select(
        *(
            (
                sa.cast(given.c[column], sa.JSON)
                if isinstance(kind, sa.JSON)
                else sa.type_coerce(given.c[column], kind)
            ).label(column)
            for column, kind in columns.items()
        )
    ).subquery(name)


def insert_many(conn: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert many rows of the same columns fast: a prepared statement on SQLite, one statement on PostgreSQL."""
    if not rows:
        return
    if is_sqlite(conn):
        conn.execute(sa.insert(table), rows)
        return
    columns = {name: table.c[name].type for name in rows[0]}
    given = values(conn, "given", columns, [tuple(row.values()) for row in rows])
    conn.execute(sa.insert(table).from_select(list(columns), sa.select(given), include_defaults=False))


def load_many(conn: sa.Connection, table: sa.Table, columns: Mapping[str, list[Any] | Stored]) -> None:
    """Insert thousands of rows of numbers and texts with few driver calls.

    `columns` has, by column, a list with a value for each row, or one value for all rows; at least one is a list. JSON
    values are UTF-8 bytes. SQLite gets up to 1,000 rows a statement, PostgreSQL one stream (COPY).
    """
    each = {name: values for name, values in columns.items() if isinstance(values, list)}
    once = {name: value for name, value in columns.items() if not isinstance(value, list)}
    count = len(next(iter(each.values())))
    if not is_sqlite(conn):
        given = (each[name] if name in each else repeat(value, count) for name, value in columns.items())
        _stream(conn, table, list(columns), zip(*given, strict=True))
        return
    together = min(_TOGETHER, _PARAMETERS_AT_MOST // len(columns))
    for start in range(0, count, together):
        _insert_rows(conn, table, once, {name: values[start : start + together] for name, values in each.items()})


def _insert_rows(
    conn: sa.Connection, table: sa.Table, once: Mapping[str, Stored], each: Mapping[str, Sequence[Stored]]
) -> None:
    # The driver reads every parameter under the interpreter lock: pass a value that all rows share only once.
    count = len(next(iter(each.values())))
    same = {name: values[0] for name, values in each.items() if values.count(values[0]) == count}
    each = {name: values for name, values in each.items() if name not in same}
    once = {**once, **same}
    statement = _insertion(table, tuple(once), tuple(each), count)
    conn.exec_driver_sql(statement, (*once.values(), *chain.from_iterable(zip(*each.values(), strict=True))))


@lru_cache(maxsize=16)
def _insertion(table: sa.Table, once: tuple[str, ...], each: tuple[str, ...], count: int) -> str:
    # Return the same text object each time: the driver looks up its compiled statement by it.
    places = [f"?{number}" for number in range(1, len(once) + 1)] + ["?"] * len(each)
    placeholders = [
        f"CAST({place} AS TEXT)" if _is_json(table.c[name].type) else place
        for name, place in zip((*once, *each), places, strict=True)
    ]
    names, rows = ", ".join((*once, *each)), ", ".join([f"({', '.join(placeholders)})"] * count)
    return f"INSERT INTO {table.name} ({names}) VALUES {rows}"  # noqa: S608 - our own names


def _stream(conn: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Iterable[Sequence[Stored]]) -> None:
    driver, faults = conn.connection.driver_connection, conn.dialect.loaded_dbapi.Error
    assert driver is not None
    statement = f"COPY {table.name} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
    kinds = [_wire_kind(table.c[name].type) for name in columns]
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as stream:
            stream.set_types(kinds)
            for row in rows:
                stream.write_row(row)
    except faults as error:
        # Raise SQLAlchemy's class of this error, as every other statement does: `translate_errors` knows it.
        raise sa.exc.DBAPIError.instance(
            statement, None, error, faults, hide_parameters=True, dialect=conn.dialect
        ) from error


def _wire_kind(kind: TypeEngine[Any]) -> str:
    if isinstance(kind, sa.Integer):
        return "int8" if isinstance(kind, sa.BigInteger) else "int4"
    # JSON is sent as its text, and its bytes exist already
    return "bytea" if _is_json(kind) else "text"


def _is_json(kind: TypeEngine[Any]) -> bool:
    return isinstance(kind, sa.JSON)


def _parameter(value: Any, kind: TypeEngine[Any]) -> sa.BindParameter[Any]:
    """Return `value` as a bound parameter of this type; a `param` keeps its name."""
    if isinstance(value, sa.BindParameter):
        return sa.bindparam(value.key, type_=kind)
    return sa.bindparam(None, value, type_=kind)


class _Seconds(sa.types.TypeDecorator[float]):
    """A type that sends seconds as whole microseconds, to be added to an instant."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: Dialect) -> int:  # noqa: ARG002
        assert value is not None
        return round(value * 1_000_000)


class _Array(sa.types.UserDefinedType[str]):
    """An array of integers, in the text form of PostgreSQL."""

    cache_ok = True
    render_bind_cast = True

    def get_col_spec(self, **_: Any) -> str:
        return "BIGINT[]"


class _Integers(sa.types.TypeDecorator[Sequence[int]]):
    """A type that sends integers as one PostgreSQL array text.

    The driver would inspect a list's integers several times; a plain text with a cast would be parsed for every row.
    """

    impl = _Array
    cache_ok = True

    def process_bind_param(self, value: Sequence[int] | None, dialect: Dialect) -> str:  # noqa: ARG002
        assert value is not None
        return f"{{{','.join(map(str, value))}}}"


class _Json(sa.types.TypeDecorator[Sequence[Any]]):
    """A type that sends a list of values, or of rows of these columns, as JSON text.

    `is_named`: each row becomes an object by column instead of an array.
    """

    impl = sa.Text
    # the columns determine the conversion of rows, and the statement's cache key includes the columns
    cache_ok = True

    def __init__(self, columns: Kinds | None = None, *, is_named: bool = False) -> None:
        super().__init__()
        self._columns = columns or {}
        self._is_named = is_named

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> str:  # noqa: ARG002
        assert value is not None
        listed = _json_rows(self._columns, value)
        return _dump([dict(zip(self._columns, row, strict=True)) for row in listed] if self._is_named else listed)


def _dump(value: Any) -> str:
    return orjson.dumps(value).decode()


def _wire_type(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    if isinstance(kind, Instant | sa.Integer):
        return sa.BigInteger()
    return kind if isinstance(kind, sa.Boolean | sa.Date) else sa.Text()


def _json_rows(columns: Kinds, rows: Sequence[Any]) -> Sequence[Any]:
    """Return `rows` with instants, dates and JSON columns converted to values that JSON can represent."""
    converted = [
        (place, convert)
        for place, kind in enumerate(columns.values())
        for rule, convert in _CONVERSIONS
        if isinstance(kind, rule)
    ]
    if not converted:
        return rows
    plain = [list(row) for row in rows]
    for place, convert in converted:
        for row in plain:
            if row[place] is not None:
                row[place] = convert(row[place])
    return plain


_CONVERSIONS: Final[Sequence[tuple[type[TypeEngine[Any]], Callable[[Any], Any]]]] = (
    (Instant, to_micros),
    (sa.JSON, _dump),
    (sa.Date, date.isoformat),
)
