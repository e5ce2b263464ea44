"""Several rows become one invoice; a bad row, a repeat or a disputed serie stops them all, each with a reason."""

import json
from datetime import timedelta
from decimal import Decimal

import pytest

from connectors.ledger import invoices
from connectors.nfe.emulator.seed import default_shops
from connectors.nfe.emulator.tax_authority import access_key
from domain.competence import add_months
from domain.parties import TakerData
from domain.problems import FaturistaError
from domain.products.lines import ProductKind, ProductLine
from domain.states import InvoiceState, RowState
from tasks.issuance.decide import start_serie
from tasks.issuance.numbering import UnusableSerie
from tasks.stations.assemble import assemble_rows
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.domain.products.orders_of_a_shop import PERSON
from tests.tasks.closing.months import LAST_MONTH, mark_closed
from tests.tasks.rows import this_month
from tests.tasks.store import FIRST_ROW, NFE_SERIE, RIO_SHOP, Store, sale, sales
from tests.tasks.workshop import fault

POSTED_AT = 1_795_000_000.0


def test_several_rows_are_one_invoice(each_store: Store):
    store = each_store
    asked = [
        sale("A-7", code="CAN-01", unit_price=Decimal("12.50"), order_discount_cents=100),
        sale("B-8"),
        sale("a-7", code="CAN-02", quantity=Decimal(3), unit_price=Decimal("0.335")),
    ]
    reading, (batch,) = store.sold(*asked)
    mugs, other = store.notes(batch)
    leader, single, follower = store.rows(reading)
    assert (mugs.row_id, other.row_id) == (leader.id, single.id)
    # 25,00 + 1,01 (3 × 0,335 half up) - 1,00 of discount.
    assert (mugs.service_cents, mugs.liquid_cents, other.service_cents) == (2501, 2501, 2000)
    content = json.loads(mugs.content)
    assert [item["code"] for item in content["items"]] == ["CAN-01", "CAN-02"]
    assert [row.state for row in (leader, single, follower)] == [RowState.ASSEMBLED] * 3
    assert (store.batch(batch).kind, store.batch(batch).count) == ("nfe", 2)
    assert store.writes() == []


def test_one_bad_line_refuses_all_rows_of_its_order_only(each_store: Store):
    store = each_store
    reading, (batch,) = store.sold(sale(1), sale(2), sale(2, ncm="6912"), sale(2))
    assert store.problems(reading) == {
        FIRST_ROW + 1: ["product.order_blocked"],
        FIRST_ROW + 2: ["product.ncm"],
        FIRST_ROW + 3: ["product.order_blocked"],
    }
    blocked = store.rows(reading)[1].problems[0]
    assert (blocked.params, blocked.where.row) == (
        {"order": "2", "other": FIRST_ROW + 2, "stopped_by": "product.ncm"},
        FIRST_ROW + 1,
    )
    assert len(store.notes(batch)) == 1


def test_an_order_that_lacks_something_says_so_at_its_first_row(store: Store):
    reading, batches = store.sold(sale(1, payment=None), sale(1, payment=None))
    assert store.problems(reading) == {FIRST_ROW: ["product.order_lacks"], FIRST_ROW + 1: ["product.order_blocked"]}
    assert batches == []


def test_a_month_that_has_not_come_is_refused(store: Store):
    reading, batches = store.sold(*[sale(1, competence=add_months(this_month(), 1))] * 2)
    assert store.problems(reading) == {FIRST_ROW: ["competence.future"], FIRST_ROW + 1: ["competence.future"]}
    assert batches == []


@pytest.mark.both_databases
def test_a_copy_of_a_closed_months_orders_is_answered_as_billed(each_store: Store):
    store = each_store
    store.sold(sale(1, competence=LAST_MONTH))
    store.write(mark_closed)
    reading, batches = store.sold(*[sale(2, competence=LAST_MONTH), sale(1, competence=LAST_MONTH)] * 2)
    found = {key: ["closing.closed"] for key in (FIRST_ROW, FIRST_ROW + 2)}
    found |= {key: ["row.living"] for key in (FIRST_ROW + 1, FIRST_ROW + 3)}
    assert (batches, store.problems(reading)) == ([], found)


def test_months_are_judged_by_the_ledgers_clock(store: Store):
    reading = store.read_sheet(*sales(1))
    store.run(resolve_rows, reading)
    store.run_ahead(timedelta(days=-70), assemble_rows, reading)
    assert store.problems(reading) == {}


def test_the_same_file_again_bills_nothing(each_store: Store):
    store = each_store
    file = store.file()
    asked = [sale(1), sale(1), sale(2)]
    store.sold(*asked, file_id=file)
    again, batches = store.sold(*asked, file_id=file)
    assert batches == []
    assert store.problems(again) == {FIRST_ROW + place: ["row.living"] for place in range(3)}


def test_the_same_order_in_another_file_is_refused_on_every_row(each_store: Store):
    """Even with other goods or as the other kind: one sale has one invoice."""
    store = each_store
    store.sold(sale(1))
    again, batches = store.sold(sale(1, code="CAN-02", kind="nfce"), sale(1, kind="nfce"), sale(2))
    assert store.problems(again) == {FIRST_ROW: ["row.living"], FIRST_ROW + 1: ["row.living"]}
    assert [(p.where.row, p.params) for row in store.rows(again) for p in row.problems] == [
        (FIRST_ROW, {"serie": NFE_SERIE, "number": 1}),
        (FIRST_ROW + 1, {"serie": NFE_SERIE, "number": 1}),
    ]
    assert [len(store.notes(batch)) for batch in batches] == [1]


def test_a_repeat_that_a_person_allows_is_billed_again(store: Store):
    store.sold(sale(1))
    _, (batch,) = store.sold(sale(1), sale(1), allow_repeats=True)
    assert [note.number for note in store.notes(batch)] == [2]


def test_an_order_that_was_rejected_is_not_repeated_unchanged(each_store: Store):
    store = each_store
    assert _rejected(store, sale(1)) == [1]
    reading, batches = store.sold(sale(1), sale(1))
    assert store.problems(reading) == {FIRST_ROW + place: ["row.rejected_unchanged"] for place in range(2)}
    assert batches == []
    assert _rejected(store, sale(1, code="CAN-02")) == [2]
    assert _rejected(store, sale(1, code="CAN-02"), retry_rejected=True) == [3]


@pytest.mark.both_databases
def test_a_foreign_user_of_the_serie_stops_it_before_numbering(each_store: Store):
    store = each_store
    store.processed(1)
    stranger = store.act("add_product", invoice_id=store.held()[0]["id"])
    assert stranger
    reading = store.read_sheet(sale(7))
    store.run(resolve_rows, reading)
    with pytest.raises(UnusableSerie) as raised:
        store.run(assemble_rows, reading)
    assert raised.value.problem.code == "serie.ahead"
    assert (raised.value.problem.params["latest"], raised.value.problem.params["ours"]) == (2, 1)
    assert store.batches_of(reading) == []
    assert len(store.read(invoices.drafts_of, reading)) == 1


def test_a_serie_that_somebody_used_before_us_is_not_begun(store: Store):
    store.processed(1)
    store.act("add_product", invoice_id=store.held()[0]["id"], serie=7, number=41)
    store.set(PRODUCTS__NFE_SERIE=7)
    reading = store.read_sheet(sale(7))
    store.run(resolve_rows, reading)
    with pytest.raises(UnusableSerie) as raised:
        store.run(assemble_rows, reading)
    assert (raised.value.problem.code, raised.value.problem.params["start"]) == ("serie.in_use", 42)
    with store.context() as context:
        start_serie(context, emitter_cnpj=RIO_SHOP, serie="7", start=42, person="Ana", kind="nfe")
    store.run(assemble_rows, reading)
    (batch,) = store.batches_of(reading)
    assert [note.number for note in store.notes(batch.id)] == [42]


@pytest.mark.parametrize(("place", "kind"), [(1, "nfe"), (0, "nfce")])
def test_a_same_named_serie_of_another_shop_is_ignored(store: Store, place: int, kind: str):
    """A list may show more than was asked: the access key says whose serie it is."""
    key = access_key(default_shops()[place], kind, 1, 41, POSTED_AT)
    listed = {"nfe": [{"id": 9, "status": "succeeded", "access_key": key}]}
    store.sandbox.faults(fault("nfe.list", "altered", fields=listed))
    _, (batch,) = store.sold(sale(1))
    assert [note.number for note in store.notes(batch)] == [1]
    assert store.asked("nfe.list") == 1


def test_numbers_end_with_the_ninth_digit(store: Store):
    store.processed(1)
    with store.context() as context:
        start_serie(context, emitter_cnpj=RIO_SHOP, serie="1", start=999_999_999, person="Ana", kind="nfe")
        with pytest.raises(FaturistaError) as refused:
            start_serie(context, emitter_cnpj=RIO_SHOP, serie="1", start=10**9, person="Ana", kind="nfe")
        assert refused.value.problem.code == "serie.no_number"
        with pytest.raises(FaturistaError) as refused:
            start_serie(context, emitter_cnpj=RIO_SHOP, serie="F", start=1, person="Ana", kind="nfe")
        assert refused.value.problem.code == "serie.not_a_product_serie"
    reading = store.read_sheet(sale(7), sale(8))
    store.run(resolve_rows, reading)
    with pytest.raises(UnusableSerie) as raised:
        store.run(assemble_rows, reading)
    assert raised.value.problem.code == "serie.exhausted"


def test_foreign_invoices_on_another_serie_are_ignored(store: Store):
    store.processed(1)
    store.act("add_product", invoice_id=store.held()[0]["id"], serie=7, number=41)
    _, (batch,) = store.sold(sale(7))
    assert [note.number for note in store.notes(batch)] == [2]


def test_an_organization_that_is_gone_refuses_its_orders(store: Store):
    reading = store.read_sheet(sale(1), sale(1))
    store.run(resolve_rows, reading)
    store.keep_shops()
    store.run(assemble_rows, reading)
    assert store.problems(reading) == {FIRST_ROW: ["emitter.vanished"], FIRST_ROW + 1: ["emitter.vanished"]}


def test_assembled_again_nothing_is_drafted_twice(store: Store):
    reading, (batch,) = store.sold(*sales(3))
    assert dict(store.run(assemble_rows, reading).counts) == {"drafted": 0, "refused": 0, "batches": 0}
    assert len(store.notes(batch)) == 3


@pytest.mark.parametrize(("kind", "taker"), [("nfe", PERSON), ("nfce", PERSON), ("nfce", TakerData())])
def test_an_order_paid_by_pix_is_issued(store: Store, kind: ProductKind, taker: TakerData):
    """Over the counter the customer may stay unnamed."""
    _, (batch,) = store.sold(sale(1, payment="pix", kind=kind, taker=taker))
    store.run(stage_batch, batch)
    store.approve()
    store.run(release_batch, batch)
    store.follow(batch)
    assert store.states(batch) == [InvoiceState.ACCEPTED]
    body = store.held()[0]["body"]
    assert body["forma_de_pagamento"][0]["tipo_de_pagamento"] == "17"
    assert ("cliente" in body) is (taker is PERSON)


def _rejected(store: Store, first: ProductLine, **options: bool) -> list[int | None]:
    """Let the tax authority reject an order of two lines. Return its number."""
    store.sandbox.switch(product_rejection_share=1.0)
    _, (batch,) = store.sold(first, sale(1), **options)
    store.run(stage_batch, batch)
    store.approve()
    store.run(release_batch, batch)
    store.look(batch)
    assert store.states(batch) == [InvoiceState.REJECTED]
    return [note.number for note in store.notes(batch)]
