"""Requests to cancel: one open line an invoice, approved and closed once, despite concurrent writes."""

import pytest
import sqlalchemy as sa

from connectors.ledger import cancellations, leases, tables
from domain.states import BatchState, InvoiceState
from tests.ageing import age
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.workshop import Workshop, blank_ledger, each_shop, provider

__all__ = ["blank_ledger", "each_shop", "provider"]


def test_an_invoice_has_one_open_line(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(2)
    ids = [note.id for note in shop.notes(batch)]
    first = shop.write(cancellations.request, ids, reason="em dobro", by="Ana")
    assert len(first) == 2
    assert shop.write(cancellations.request, ids, reason="em dobro", by="Bia") == []
    assert shop.read(cancellations.due_batches) == []
    assert shop.write(cancellations.approve, first, by="Bia") == first
    assert shop.write(cancellations.approve, first, by="Caio") == []
    assert shop.read(cancellations.due_batches) == [batch]
    assert shop.write(cancellations.withdraw, first[:1], answers=[]) == first[:1]
    assert shop.write(cancellations.withdraw, first[:1], answers=[]) == []
    again = shop.write(cancellations.request, ids, reason="em dobro", by="Ana")
    assert len(again) == 1
    assert {each.approved_by for each in shop.read(cancellations.open_of_batch, batch)} == {"Bia"}


def test_only_an_accepted_invoice_is_asked_about(each_shop: Workshop):
    shop = each_shop
    batch = shop.staged(1)
    ids = [note.id for note in shop.notes(batch)]
    assert shop.states(batch) == [InvoiceState.CREATED]
    assert shop.write(cancellations.request, ids, reason="em dobro", by="Ana") == []


def test_the_database_refuses_to_change_a_request(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(1)
    (made,) = shop.write(cancellations.request, [shop.notes(batch)[0].id], reason="em dobro", by="Ana")
    shop.write(cancellations.approve, [made], by="Bia")

    def change(**news: object) -> None:
        table = tables.cancellations
        shop.write(lambda conn: conn.execute(sa.update(table).where(table.c.id == made).values(**news)))

    for news in ({"reason": "outro"}, {"requested_by": "Caio"}, {"approved_by": "Caio"}):
        with pytest.raises(sa.exc.DBAPIError):
            change(**news)
    assert shop.write(cancellations.end, made, "cancelled")
    assert not shop.write(cancellations.end, made, "refused")
    with pytest.raises(sa.exc.DBAPIError):
        change(outcome="refused")


def test_a_clock_put_back_hides_no_cancellation(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(1)
    (asked,) = request_cancellation(shop, batch)
    shop.write(cancellations.postpone_cancellation, asked.id, seconds=60)
    assert shop.read(cancellations.due_batches) == []
    shop.write(age, -3 * 86_400)
    assert shop.read(cancellations.due_batches) == [batch]
    assert shop.write(leases.claim, batch, owner="dead", seconds=60, states={BatchState.PROCESSED})
    assert shop.read(cancellations.due_batches) == []
    shop.write(age, -3 * 86_400)
    assert shop.read(cancellations.due_batches) == [batch]
