"""Invoices that a restored ledger does not know: found, and similar orders are held back."""

from typing import Any

import pytest
import sqlalchemy as sa

from connectors.ledger import parties, tables
from connectors.ledger.backup import quarantine, restorations
from connectors.ledger.database.sql import clock
from domain.competence import add_months
from domain.keys import sale_key
from domain.problems import Problem
from tasks.backup.foreign_invoices import find_unrecorded_invoices
from tasks.runtime import Runtime
from tests.tasks.rows import this_month
from tests.tasks.store import FIRST_ROW, RIO_SHOP, Store, sale
from tests.tasks.workshop import fault

pytestmark = pytest.mark.both_databases

CUSTOMER = "99000000130"
HELD = ["product.billed_before_loss"]


def lose(store: Store, *, cents: int = 2002, months_ago: int = 0) -> None:
    """Simulate that an invoice for the first order is at the provider, and its own rows are lost."""
    key = sale_key(RIO_SHOP, add_months(this_month(), -months_ago), (CUSTOMER, cents))
    finding = Problem("restore.invoice_unknown", params={"serie": "1", "number": 7, restorations.CHARGE: key})

    def write(conn: sa.Connection) -> None:
        line = {"sha256": "a", "taken_at": clock(conn), "restored_at": clock(conn), "restored_by": "Ana"}
        conn.execute(sa.insert(tables.restorations).values(**line, findings=[]))
        quarantine.store_findings(conn, [finding])
        quarantine.free(conn, by="Ana", because="looked at it")

    store.write(write)


def test_an_order_of_same_customer_and_total_waits_on_all_rows(each_store: Store):
    store = each_store
    lose(store, cents=4004)
    reading, (batch,) = store.sold(sale(1), sale(1), sale(2))
    assert store.problems(reading) == {FIRST_ROW: HELD, FIRST_ROW + 1: HELD}
    assert store.rows(reading)[1].problems[0].params == {"serie": "1", "number": 7}
    assert [note.service_cents for note in store.notes(batch)] == [2004]


def test_an_order_of_an_earlier_month_is_held_too(store: Store):
    lose(store, months_ago=1)
    reading, _ = store.sold(sale(1, competence=add_months(this_month(), -13)))
    assert store.problems(reading) == {FIRST_ROW: HELD}


def test_a_monthly_customer_is_held_back_in_no_later_month(store: Store):
    lose(store, months_ago=1)
    reading, _ = store.sold(sale(1))
    assert store.problems(reading) == {}


def test_a_person_can_allow_it(store: Store):
    lose(store)
    reading, batches = store.sold(sale(1), allow_repeats=True)
    assert (store.problems(reading), len(batches)) == ({}, 1)


def found(store: Store) -> list[Problem]:
    async def look(runtime: Runtime) -> list[Problem]:
        issuer = await runtime.ledger.read_async(parties.emitter_by_cnpj, RIO_SHOP, "nfe")
        assert issuer is not None
        return await find_unrecorded_invoices(runtime, issuer, runtime.clock())

    return store.run(look)


def stranger(store: Store, **place: int) -> int:
    """Return the id of an invoice that this ledger does not know; it sells the same as our first one."""
    store.act("add_product", invoice_id=store.held()[0]["id"], **place)
    return max(int(each["id"]) for each in store.held())


def test_invoices_beyond_our_numbers_are_reported_and_known(store: Store):
    store.processed(2)
    stranger(store, serie=9)
    there = stranger(store)
    (finding,) = found(store)
    key = sale_key(RIO_SHOP, this_month(), (CUSTOMER, 2002))
    seen = {name: finding.params[name] for name in ("serie", "number", "invoice", "amount", restorations.CHARGE)}
    assert seen == {"serie": "1", "number": 3, "invoice": there, "amount": "R$ 20,02", restorations.CHARGE: key}


def test_a_cancelled_invoice_holds_nothing_back(store: Store):
    store.processed(1)
    store.act("cancel_product", invoice_id=stranger(store))
    (finding,) = found(store)
    assert (finding.params["status"], restorations.CHARGE in finding.params) == ("cancelled", False)


def test_a_serie_that_was_begun_after_the_copy_is_looked_at_too(store: Store):
    store.processed(1)
    stranger(store, serie=2)
    store.set(PRODUCTS__NFE_SERIE="2")
    assert [(each.params["serie"], each.params["number"]) for each in found(store)] == [("2", 1)]


@pytest.mark.parametrize(("is_read", "codes"), [(True, []), (False, ["restore.sales_hidden"])])
def test_without_a_customer_in_the_list_the_invoice_is_read(store: Store, is_read: bool, codes: list[str]):
    store.processed(1)
    there = stranger(store)
    bare = {"id": there, "status": "processing", "data": {"dados_gerais": {"serie": 1, "nfe_numero": 2}}}
    rules: list[dict[str, Any]] = [fault("nfe.list", "altered", fields={"nfe": [bare]})]
    rules += [] if is_read else [fault("nfe.read", "altered", fields={"nfe": {"data": {"cliente": None}}})]
    store.sandbox.faults(*rules)
    reads = store.asked("nfe.read")
    first, *others = found(store)
    assert (restorations.CHARGE in first.params, [each.code for each in others]) == (is_read, codes)
    assert (store.asked("nfe.read") - reads, [each.params["count"] for each in others]) == (1, [1] * len(codes))


UNSEEN = "restore.sales_unseen"


def crowded(store: Store, count: int) -> list[int]:
    """Add this many foreign invoices, of which a list shows the newest hundred. Return their numbers."""
    first = store.held()[0]["id"]
    for _ in range(count):
        store.act("add_product", invoice_id=first)
    return list(range(2, count + 2))


def test_all_are_found_despite_a_short_list_or_it_is_reported(store: Store):
    store.processed(1)
    numbers = crowded(store, 110)
    asked = store.asked("nfe.list")
    assert [each.params["number"] for each in found(store)] == numbers
    assert store.asked("nfe.list") - asked < 60
    store.sandbox.faults(fault("nfe.list", "status_422", after=1))
    assert [each.code for each in found(store)] == [UNSEEN, *["restore.invoice_unknown"] * 100]
    store.sandbox.switch(product_filter="ignore")
    (unseen, *findings) = found(store)
    assert (unseen.code, [each.params["number"] for each in findings]) == (UNSEEN, numbers[-100:])


def test_an_unfiltered_list_down_to_known_invoices_is_complete(store: Store):
    store.processed(1)
    numbers = crowded(store, 12)
    store.sandbox.switch(product_filter="ignore")
    assert [each.params["number"] for each in found(store)] == numbers
