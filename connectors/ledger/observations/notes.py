"""Store the states, numbers and errors of invoices that the issuer showed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from connectors.ledger import replacements, tables, transitions
from connectors.ledger.database.sql import Kinds, values
from domain.states import InvoiceState

_t = tables.invoices


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteView:
    """One invoice as a look at the issuer showed it.

    For a product invoice, `nfse_number` is its number as text and `nfse_key` its access key; `errors` are stored as
    given.
    """

    invoice_id: int
    state: InvoiceState
    remote_id: int | None = None
    nfse_number: str | None = None
    nfse_key: str | None = None
    errors: Sequence[Mapping[str, Any]] = field(default=())


def follow_other(conn: sa.Connection, batch_id: int, view: NoteView) -> list[int]:
    """Give our invoice the remote id of `view`, and store what `view` shows. Return the ids that moved.

    Our post arrived twice, and the invoice of `view` is the valid one. Do nothing for an issuer that stages, or if our
    invoice is not `processing`.
    """
    is_meant = sa.and_(_t.c.id == view.invoice_id, _t.c.batch_id == batch_id, _t.c.is_staged.is_(False))
    changed = sa.update(_t).where(is_meant, _t.c.state == str(InvoiceState.PROCESSING)).values(remote_id=view.remote_id)
    return observe_notes(conn, batch_id, [view]) if conn.execute(changed).rowcount else []


def observe_notes(conn: sa.Connection, batch_id: int, views: Sequence[NoteView]) -> list[int]:
    """Store what a look showed of a batch's invoices: states, numbers, keys, errors. Return the ids that moved.

    A move that we did not command opens an incident. If the issuer shows an invoice as cancelled and a sent invoice of
    ours replaces it, it becomes `replaced`.
    """
    own = set(conn.execute(sa.select(_t.c.id).where(_t.c.batch_id == batch_id)).scalars())
    views = [each for each in views if each.invoice_id in own]
    if not views:
        return []
    kinds: Kinds = {
        "id": sa.BigInteger(),
        "remote_id": sa.BigInteger(),
        "nfse_number": sa.Text(),
        "nfse_key": sa.Text(),
        "errors": sa.JSON(),
    }
    rows = [
        (each.invoice_id, each.remote_id, each.nfse_number, each.nfse_key, [dict(error) for error in each.errors])
        for each in views
    ]
    given = values(conn, "given", kinds, rows)
    conn.execute(
        sa.update(_t)
        .where(_t.c.id == given.c.id)
        .values(
            remote_id=sa.func.coalesce(_t.c.remote_id, given.c.remote_id),
            nfse_number=sa.func.coalesce(given.c.nfse_number, _t.c.nfse_number),
            nfse_key=sa.func.coalesce(given.c.nfse_key, _t.c.nfse_key),
            errors=given.c.errors,
        )
    )
    cancelled = [each.invoice_id for each in views if each.state is InvoiceState.CANCELLED]
    replaced = replacements.with_successor(conn, cancelled)
    shown = {each.invoice_id: InvoiceState.REPLACED if each.invoice_id in replaced else each.state for each in views}
    moved: list[int] = []
    for state in sorted(set(shown.values())):
        ids = [each for each, becomes in shown.items() if becomes is state]
        moved += [each.id for each in transitions.observe(conn, ids, becomes=state, because="listed") if each.moved]
    if cancelled:
        replacements.end_with(conn, cancelled)
        replacements.close_ended(conn)
    return sorted(moved)
