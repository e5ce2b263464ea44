"""Create a ledger from a copy, completely or not at all, in quarantine until it was compared with the provider.

Work may have continued after the copy was taken, so a state before the send may be out of date. Every note that may
have been posted since becomes `in_doubt`. Every batch that may have been sent is reopened, and its content is proved
again. Every lease ends. The comparison finds batches that were opened at the provider after the copy. For an issuer
without staging, invoices of planned batches may have been approved and posted since.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import batches, leases, tables
from connectors.ledger.backup.copies import Copy, open_copy, stored_tables
from connectors.ledger.backup.encryption import Identity
from connectors.ledger.backup.line_files import Part, UnusableCopy
from connectors.ledger.backup.quarantine import OWNER, doubt_unposted, mark_maybe_issued
from connectors.ledger.backup.restorations import quarantine_of
from connectors.ledger.database.sql import Instant, clock, now
from connectors.ledger.engine import Ledger, LedgerRefused, version_of
from connectors.ledger.migrations import steps
from connectors.ledger.migrations.triggers import disable_guards
from domain.problems import Problem
from domain.states import BatchState

_UNSENT: Final = (BatchState.STAGED, BatchState.APPROVED, BatchState.HELD)
_POSTABLE: Final = (BatchState.OPEN, *_UNSENT, BatchState.SENDING)
_BEFORE_ALL: Final = datetime(2000, 1, 1, tzinfo=UTC)
_MADE_BY_USE: Final = frozenset({"secrets"})


def restore_copy(url: str, path: Path, *, by: str, identities: Sequence[Identity] = ()) -> Copy:
    """Create the ledger at `url` from the copy at `path`. `url` must have no ledger or an empty one.

    Raises `UnusableCopy`, `Undecipherable`, `LedgerRefused` (`ledger.not_empty`) and `LedgerUnavailable`; in each case
    nothing was written.
    """
    with open_copy(path, identities) as (copy, parts):
        if copy.version not in steps.revisions():
            raise UnusableCopy(Problem("ledger.copy_newer", params={"edition": copy.version[:20]}))

        def load(conn: sa.Connection) -> None:
            load_parts(conn, copy, parts)
            _quarantine(conn, sha256=copy.sha256, taken_at=copy.taken_at, by=by)

        Ledger.fill(url, load)
    return copy


def load_parts(conn: sa.Connection, copy: Copy, parts: Iterable[Part]) -> None:
    """Fill an empty ledger with a copy's rows, and migrate it. Raises `LedgerRefused` if the ledger is not empty."""
    _make_room(conn, copy)
    with disable_guards(conn):
        stored = {table.name: table for table in stored_tables(conn)}
        for part in parts:
            _fill(conn, stored[part.table], part)
    steps.upgrade(conn)


def _make_room(conn: sa.Connection, copy: Copy) -> None:
    version = version_of(conn)
    if version is None:
        steps.upgrade(conn, copy.version)
        return
    held = [table for table in stored_tables(conn) if conn.execute(sa.select(sa.literal(1)).select_from(table)).first()]
    if version != copy.version or {table.name for table in held} - _MADE_BY_USE:
        raise LedgerRefused(Problem("ledger.not_empty"))
    with disable_guards(conn):
        for table in held:
            conn.execute(sa.delete(table))


def _fill(conn: sa.Connection, table: sa.Table, part: Part) -> None:
    days = [name for name in part.columns if isinstance(table.columns[name].type, sa.Date)]
    for group in part.groups:
        lines = [dict(zip(part.columns, row, strict=True)) for row in group]
        for line in lines:
            for name in days:
                line[name] = None if line[name] is None else date.fromisoformat(line[name])
        conn.execute(sa.insert(table), lines)
    if conn.dialect.name == "postgresql" and "id" in table.columns:
        _continue_ids(conn, table)


def _continue_ids(conn: sa.Connection, table: sa.Table) -> None:
    """Set the table's sequence above its highest id."""
    sequence = conn.execute(sa.select(sa.func.pg_get_serial_sequence(table.name, "id"))).scalar_one()
    highest = conn.execute(sa.select(sa.func.max(table.columns["id"]))).scalar_one()
    if sequence is not None and highest is not None:
        conn.execute(sa.select(sa.func.setval(sequence, highest)))


def distrust(conn: sa.Connection, *, by: str) -> bool:
    """Put the ledger into quarantine, as if it were a restored copy. Return False if it is in quarantine already.

    The instant of the copy is that of the newest event in the journal, or the year 2000 if the journal is empty.
    """
    if quarantine_of(conn) is not None:
        return False
    newest = conn.execute(sa.select(sa.func.max(tables.events.c.at, type_=Instant))).scalar_one()
    _quarantine(conn, sha256="", taken_at=_BEFORE_ALL if newest is None else min(newest, now(conn)), by=by)
    return True


def _quarantine(conn: sa.Connection, *, sha256: str, taken_at: datetime, by: str) -> None:
    line: dict[str, Any] = {"sha256": sha256, "taken_at": taken_at, "restored_by": by, "findings": []}
    conn.execute(sa.insert(tables.restorations).values(**line, restored_at=clock(conn)))
    with disable_guards(conn):
        _reopen_unproven(conn)


def _reopen_unproven(conn: sa.Connection) -> None:
    """End every lease. Reopen or put in doubt all work that may have continued after the copy."""
    _t = tables.batches
    held = sa.select(_t.c.id).where(_t.c.lease_owner.is_not(None))
    for batch_id in list(conn.execute(held).scalars()):
        leases.evict(conn, batch_id)
    for batch in batches.batches_where(conn, states=set(_POSTABLE)):
        conn.execute(sa.update(_t).where(_t.c.id == batch.id).values(must_list=True))
        doubt_unposted(conn, batch.id)
        if batch.is_staged and batch.state in _UNSENT:
            lease = leases.claim(conn, batch.id, owner=OWNER, seconds=60, states={batch.state})
            assert lease is not None
            batches.reopen(conn, lease, because="restored from a copy: it may have been sent since")
            leases.give_back(conn, lease)
    for batch in batches.batches_where(conn, states={BatchState.PLANNED}):
        if not batch.is_staged:
            mark_maybe_issued(conn, batch.id)
