"""Scenes that are copied for each test: a copy is what the stations make, and a test that began otherwise gets none."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from connectors.ledger import tables
from tests.tasks.rows import lines
from tests.tasks.scenes import elsewhere, is_untouched
from tests.tasks.store import Store, each_store
from tests.tasks.workshop import Workshop, blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "each_store", "provider", "shop"]


def counts(conn: sa.Connection) -> dict[str, int]:
    """Return the number of rows of each table; of response times, the requests: their rows depend on the machine."""
    asked = {table.name: sa.select(sa.func.count()).select_from(table) for table in tables.metadata.sorted_tables}
    asked[tables.latencies.name] = sa.select(sa.func.sum(tables.latencies.c.requests))
    return {name: conn.execute(query).scalar_one() for name, query in asked.items()}


def content(text: str) -> dict[str, Any]:
    """Return an invoice's content, its customer by document: customers are created at once, in any order."""
    found: dict[str, Any] = json.loads(text)
    found.pop("taker_id", None)
    return found


def sight(shop: Workshop, batch: int) -> dict[str, Any]:
    """Return what a test sees of a scene, without instants."""
    notes = [(note.id, note.number, note.state, note.remote_id, content(note.content)) for note in shop.notes(batch)]
    return {
        "batch": (batch, shop.batch(batch).state, shop.batch(batch).remote_id),
        "notes": notes,
        "services": [(note["id"], note["number"], note["status"]) for note in shop.there()],
        "products": [(invoice["id"], invoice["number"]) for invoice in shop.record()["product_invoices"]],
        "asked": shop.sandbox.requests(),
        "rows": shop.read(counts),
        "files": shop.file_count,
    }


def compare(shop: Workshop, **switches: str) -> None:
    copied = sight(shop, shop.processed(2))
    assert not is_untouched(shop)
    shop.sandbox.control("reset")
    shop.sandbox.switch(**switches)
    with elsewhere(shop) as other:
        assert not is_untouched(other)
        assert sight(other, other.processed(2)) == copied


def test_a_copy_is_what_the_stations_make(each_shop: Workshop) -> None:
    compare(each_shop, advance="at_once")


def test_a_copy_of_a_sale_is_what_the_stations_make(each_store: Store) -> None:
    compare(each_store, advance="at_once", product_advance="at_once")


def test_a_copy_goes_on_with_the_next_number(each_shop: Workshop) -> None:
    first = each_shop.processed(2)
    (batch,) = each_shop.assembled(*lines(2, first=9))[1]
    assert batch > first
    assert [note.number for note in each_shop.notes(batch)] == [3, 4]


BEFORE: dict[str, Callable[[Workshop], object]] = {
    "a setting": lambda shop: shop.set(NFSE__IN_FLIGHT="3"),
    "a switch": lambda shop: shop.sandbox.switch(rejection_share=1.0),
    "a request": lambda shop: shop.sandbox.call("GET", "/api/v1"),
    "a row": lambda shop: shop.reading(*lines(1)),
    "a file": lambda shop: shop.file(7),
}


@pytest.mark.parametrize("before", BEFORE.values(), ids=[*BEFORE])
def test_an_earlier_step_marks_the_shop_as_touched(each_shop: Workshop, before: Callable[[Workshop], object]) -> None:
    assert is_untouched(each_shop)
    before(each_shop)
    assert not is_untouched(each_shop)
