"""The outcome of orders: a line for each dropped row with its own amount; the invoice's total appears once."""

from decimal import Decimal
from typing import Any

from domain.parties import TakerData
from domain.products.lines import ProductLine
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.stations.test_report import lines_of, written
from tests.tasks.store import FIRST_ROW, Store, sale

ITEM, TOTAL, REASON = "Item amount (R$)", "Invoice total (R$)", "What happened"


def test_each_line_has_its_amount_and_the_first_the_total(store: Store):
    file, lines = billed(
        store,
        sale(1, order_discount_cents=5),
        sale(2, kind="nfce"),
        sale(1, unit_price=Decimal("0.99")),
        sale(3, ncm="1"),
        sale(3),
    )
    assert {row: (line["Status"], line["Order"], line[ITEM], line[TOTAL]) for row, line in lines.items()} == {
        FIRST_ROW: ("Accepted", "1", 20.02, 21.95),
        FIRST_ROW + 1: ("Accepted", "2", 20.04, 20.04),
        FIRST_ROW + 2: ("Accepted", "1", 1.98, None),
        FIRST_ROW + 3: ("Refused", "3", 20.06, None),
        FIRST_ROW + 4: ("Refused", "3", 20.06, None),
    }
    keys = {each["kind"]: each["access_key"] for each in store.held()}
    assert [line["Access key"] for line in lines.values()] == [keys["nfe"], keys["nfce"], keys["nfe"], None, None]
    assert "NCM" in lines[FIRST_ROW + 3][REASON]
    assert f"Line {FIRST_ROW + 3} of order 3" in lines[FIRST_ROW + 4][REASON]
    paid = sum(line[TOTAL] or 0 for line in lines.values())
    assert round(paid * 100) == sum(note.liquid_cents for batch in store.batches() for note in store.notes(batch.id))
    assert written(store, file, folder=store.home / "again").read_bytes() == written(store, file).read_bytes()


def test_a_rejected_order_says_so_at_each_of_its_rows(store: Store):
    store.sandbox.switch(product_rejection_share=1.0)
    _, lines = billed(store, sale(1), sale(1))
    (there,) = store.held()
    for line in lines.values():
        assert (line["Status"].split()[0], there["errors"][0] in line[REASON]) == ("Rejected", True)


def test_an_order_billed_before_says_so_on_each_row(store: Store):
    billed(store, sale(1))
    _, lines = billed(store, sale(1), sale(1))
    assert [line["Status"] for line in lines.values()] == ["Already billed"] * 2


def test_every_row_of_an_order_shows_its_customer(store: Store):
    nobody = TakerData()
    _, lines = billed(store, sale(1, taker=nobody), sale(2), sale(1), sale(1, taker=nobody))
    assert len({(line["Customer"], line["CPF/CNPJ"]) for line in lines.values()}) == 1
    assert all(line["Customer"] for line in lines.values())


def billed(store: Store, *asked: ProductLine) -> tuple[int, dict[int, dict[str, Any]]]:
    """Bill and issue an order. Return the file's id and its outcome by row."""
    file = store.file(len(store.batches()) + 1)
    _, batches = store.sold(*asked, file_id=file)
    for batch in batches:
        store.run(stage_batch, batch)
    store.approve()
    for batch in batches:
        store.run(release_batch, batch)
        store.follow(batch)
    return file, lines_of(written(store, file))
