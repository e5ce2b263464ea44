"""Customers of the two months before this one."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from domain.competence import add_months
from domain.states import InvoiceState
from tasks.stations.stage import stage_batch
from tests.tasks.rows import lines, this_month
from tests.tasks.workshop import Workshop

_OWN = ("id", "origin_id", "serie", "number", "batch_id", "remote_id", "nfse_number", "nfse_key")


def bill_twice(shop: Workshop, count: int, *, first: int = 1, changes: Sequence[dict[str, Any]] = ()) -> None:
    """Approve invoices of last month, and draft the same ones of the month before it.

    `changes` are further rows: what differs from an ordinary one.
    """
    month = add_months(this_month(), -1)
    rows = [*lines(count, first=first, competence=month)]
    for change in changes:
        rows += lines(1, competence=month, **change)
    (batch,) = shop.assembled(*rows)[1]
    shop.run(stage_batch, batch)
    shop.approve()
    shop.write(_draft_older)


def _draft_older(conn: sa.Connection) -> None:
    """Copy the invoices: the provider takes no emission date that is two months away."""
    for found in conn.execute(sa.select(tables.invoices)).mappings().all():
        older = {name: value for name, value in found.items() if name not in _OWN}
        older |= {"state": str(InvoiceState.DRAFTED), "competence": add_months(found["competence"], -1)}
        conn.execute(sa.insert(tables.invoices).values(older | {"business_key": found["business_key"][::-1]}))
