"""Count the requests to each system, and how long they took."""

from collections.abc import Mapping

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import DialectInsert, insert_with
from connectors.ledger.database.sql import Statement, clock, param

_traffic = tables.traffic
_latencies = tables.latencies


def count_requests(conn: sa.Connection, station: str, requests: int) -> None:
    """Add to a station's count of requests. Write nothing for zero."""
    if requests:
        conn.execute(sa.insert(_traffic).values(station=station, requests=requests, at=clock(conn)))


def count_latencies(conn: sa.Connection, system: str, seen: Mapping[tuple[str, int], tuple[int, float]]) -> None:
    """Add to a system's totals. `seen`: number of requests and sum of their seconds, by (outcome, histogram bucket)."""
    for (outcome, bucket), (requests, seconds) in sorted(seen.items()):
        key = {"system": system, "outcome": outcome, "bucket": bucket}
        _add_latencies(conn, **key, requests=requests, micros=round(seconds * 1_000_000))


def count_run(
    conn: sa.Connection, station: str, requests: int, seen: Mapping[str, Mapping[tuple[str, int], tuple[int, float]]]
) -> None:
    """Count a run's requests under its station, and those of each system as `count_latencies` does."""
    count_requests(conn, station, requests)
    for system, of_system in sorted(seen.items()):
        count_latencies(conn, system, of_system)


def latencies(conn: sa.Connection) -> dict[str, dict[tuple[str, int], tuple[int, float]]]:
    """Return the totals of `count_latencies` since the ledger began, by system and then by (outcome, bucket).

    A total is the number of requests and the sum of their seconds."""
    found: dict[str, dict[tuple[str, int], tuple[int, float]]] = {}
    for row in conn.execute(sa.select(_latencies)):
        found.setdefault(row.system, {})[row.outcome, row.bucket] = row.requests, row.micros / 1_000_000
    return found


def requests_by_station(conn: sa.Connection) -> dict[str, int]:
    query = (
        sa.select(_traffic.c.station, sa.func.sum(_traffic.c.requests))
        .group_by(_traffic.c.station)
        .order_by(_traffic.c.station)
    )
    return {name: int(total) for name, total in conn.execute(query)}


@Statement
def _add_latencies(conn: sa.Connection) -> sa.Insert:
    key = {name: param(name) for name in ("system", "outcome", "bucket")}
    given = {name: param(name) for name in ("requests", "micros")}
    return insert_with(conn, _latencies, _add_on_conflict).values(**key, **given)


def _add_on_conflict(insert: DialectInsert) -> DialectInsert:
    added = {name: _latencies.c[name] + insert.excluded[name] for name in ("requests", "micros")}
    return insert.on_conflict_do_update(index_elements=["system", "outcome", "bucket"], set_=added)
