"""Paid invoices as the order service first described them; contradictions are stored as clashes."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger.database.sql import is_in, now, values
from connectors.ledger.mirror import tables
from connectors.ledger.mirror.discrepancies import GONE, Clash, record_ours_seen, store_clashes, store_listed
from domain.orders.paid_invoices import PaidInvoice, Redeemed

_t = tables.paid_invoices
_COLUMNS: Final = tuple(each.name for each in fields(PaidInvoice))
_CHUNK: Final = 5_000


@dataclass(frozen=True, slots=True)
class MirrorCounts:
    """Counts of one stored group: new, changed, unchanged (`known`), and with an open clash.

    A clash that a person settled with `keep` is in none of these counts.
    """

    new: int = 0
    changed: int = 0
    known: int = 0
    clashes: int = 0


def store_paid(conn: sa.Connection, invoices: Sequence[PaidInvoice], *, pull: str) -> MirrorCounts:
    """Store invoices of one plan from the pull named `pull` in the mirror. The same data again change nothing.

    A change of a field that may never change (`PaidInvoice.firm`) is a clash: it is stored, and the mirror keeps its
    values.
    """
    if not invoices:
        return MirrorCounts()
    (plan,) = {invoice.plan_slug for invoice in invoices}
    numbers = {invoice.number for invoice in invoices}
    query = sa.select(_t).where(_t.c.plan_slug == plan, is_in(conn, _t.c.number, sorted(numbers)))
    held = {row.number: _read(row) for row in conn.execute(query)}
    new: dict[int, PaidInvoice] = {}
    changed: dict[int, PaidInvoice] = {}
    clashing: list[Clash] = []
    known: list[int] = []
    for invoice in invoices:
        first = held.setdefault(invoice.number, invoice)
        if first is invoice:
            new[invoice.number] = invoice
        elif first == invoice:
            known.append(invoice.number)
        elif first.firm() == invoice.firm():
            changed[invoice.number] = invoice
        else:
            clashing.append(_clash(first, invoice))
    at = now(conn)
    _insert(conn, [_line(invoice) | {"mirrored_at": at} for invoice in new.values()])
    for invoice in changed.values():
        mine = sa.and_(_t.c.plan_slug == plan, _t.c.number == invoice.number)
        # Keep `mirrored_at`, the instant of the first sight: a closed month lists what was known at its closing.
        conn.execute(sa.update(_t).where(mine).values(**_line(invoice)))
    clashes = store_clashes(conn, clashing, pull=pull)
    record_ours_seen(conn, plan, "paid_invoices", [*known, *changed], pull=pull)
    store_listed(conn, plan, "paid_invoices", numbers)
    return MirrorCounts(new=len(new), changed=len(changed), known=len(known), clashes=clashes)


def store_vanished(conn: sa.Connection, plan_slug: str, seen: Collection[int], *, since: datetime, pull: str) -> None:
    """Store a clash for each invoice paid at or after `since` that the complete pull named `pull` did not show."""
    held = paid_between(conn, [plan_slug], since=since)
    gone = [
        Clash(
            plan_slug=plan_slug,
            kind="paid_invoices",
            number=each.number,
            digest=GONE,
            ours={"total_cents": each.total_cents, "paid_at": each.paid_at.isoformat()},
            theirs={},
        )
        for each in held
        if each.number not in seen
    ]
    store_clashes(conn, gone, pull=pull)


def mirrored_plans(conn: sa.Connection) -> set[str]:
    """Return the slugs of all plans with a paid invoice."""
    return set(conn.execute(sa.select(_t.c.plan_slug).distinct()).scalars())


def count_paid(conn: sa.Connection, plan_slug: str, *, since: datetime) -> int:
    """Count the plan's invoices in the mirror with a payment at or after `since`."""
    query = sa.select(sa.func.count()).where(_t.c.plan_slug == plan_slug, _t.c.paid_at >= since)
    return int(conn.execute(query).scalar_one())


def newest_payment(conn: sa.Connection, plan_slug: str) -> datetime | None:
    """Return the latest instant of payment of the plan, or None."""
    found = conn.execute(
        sa.select(_t.c.paid_at).where(_t.c.plan_slug == plan_slug).order_by(_t.c.paid_at.desc()).limit(1)
    ).scalar_one_or_none()
    return found if isinstance(found, datetime) else None


def paid_between(
    conn: sa.Connection, plan_slugs: Iterable[str], *, since: datetime, until: datetime | None = None
) -> list[PaidInvoice]:
    """Return the plans' invoices paid at or after `since` and before `until` (None: no end), oldest first."""
    wanted = [_t.c.paid_at >= since, is_in(conn, _t.c.plan_slug, sorted(set(plan_slugs)))]
    if until is not None:
        wanted.append(_t.c.paid_at < until)
    query = sa.select(_t).where(*wanted).order_by(_t.c.paid_at, _t.c.plan_slug, _t.c.number)
    return list(_stream_invoices(conn, query))


def slugs_by_number(conn: sa.Connection, numbers: Collection[int]) -> dict[int, set[str]]:
    """Return the slugs of the plans that have a paid invoice with each of these numbers; leave out unknown numbers."""
    found: dict[int, set[str]] = {}
    query = sa.select(_t.c.number, _t.c.plan_slug).where(is_in(conn, _t.c.number, sorted(numbers)))
    for number, slug in conn.execute(query):
        found.setdefault(number, set()).add(slug)
    return found


def _stream_invoices(conn: sa.Connection, query: sa.Select[Any]) -> Iterator[PaidInvoice]:
    for part in conn.execute(query).partitions(_CHUNK):
        yield from map(_read, part)


def _read(row: Any) -> PaidInvoice:
    given = {name: getattr(row, name) for name in _COLUMNS}
    return PaidInvoice(**{**given, "adjustments": tuple(Redeemed(*pair) for pair in given["adjustments"])})


def _line(invoice: PaidInvoice) -> dict[str, Any]:
    line = {name: getattr(invoice, name) for name in _COLUMNS}
    pairs = [[each.amount_cents, each.description] for each in invoice.adjustments]
    return {**line, "adjustments": pairs}


def _insert(conn: sa.Connection, lines: Sequence[dict[str, Any]]) -> None:
    """Insert all rows in one statement.

    Row by row, SQLite's driver would release and reacquire the GIL each time. Another thread parses the next pages
    meanwhile, so that waiting for the GIL would cost many times the insert itself.
    """
    if lines:
        columns = {name: _t.c[name].type for name in lines[0]}
        given = values(conn, "given", columns, [tuple(line.values()) for line in lines])
        conn.execute(sa.insert(_t).from_select(list(columns), sa.select(given), include_defaults=False))


def _clash(first: PaidInvoice, second: PaidInvoice) -> Clash:
    ours, theirs = first.firm(), second.firm()
    differing = [name for name in ours if ours[name] != theirs[name]]
    return Clash(
        plan_slug=second.plan_slug,
        kind="paid_invoices",
        number=second.number,
        digest=second.immutable_digest(),
        ours={name: ours[name] for name in differing},
        theirs={name: theirs[name] for name in differing},
    )
