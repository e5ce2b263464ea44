"""Invoices of orders, and the paid ones."""

from datetime import UTC, datetime

import pytest

from connectors.http.errors import NotFound, Unreadable

SINCE = datetime(2025, 10, 1, 3, tzinfo=UTC)
"""Midnight in São Paulo."""


async def paid(client, slug, since=SINCE, **how):
    return [invoice async for page in client.invoices.paid(slug, since=since, **how) for invoice in page.items]


def test_fourteen_months_of_paid_invoices_agree(ask, sandbox):
    held = sandbox.record()["sales"]
    total = 0
    for slug, months in held["paid_cents"].items():
        found = ask(lambda client, slug=slug: paid(client, slug, limit=30, ahead=4))
        assert sum(invoice.amount_with_adjustments for invoice in found) == sum(months.values())
        assert all(
            invoice.amount_with_adjustments
            == invoice.amount + sum(adjustment.amount for adjustment in invoice.redeemed_adjustments)
            for invoice in found
        )
        total += len(found)
    assert total == held["paid_count"]
    assert len({month for months in held["paid_cents"].values() for month in months}) == 14


def test_since_is_always_sent_as_the_services_own_time(ask, sandbox):
    ask(lambda client: paid(client, "essencial", limit=50))
    (query, *_) = [request["query"] for request in sandbox.record(requests=True)["requests"]]
    assert query == "since=2025-10-01+00%3A00%3A00&limit=50"


def test_since_compares_the_payment(ask):
    everything = ask(lambda client: paid(client, "essencial"))
    middle = everything[len(everything) // 2].paid_at
    later = ask(lambda client: paid(client, "essencial", since=middle))
    assert [invoice.number for invoice in later] == [row.number for row in everything if row.paid_at >= middle]


def test_the_last_evening_of_a_month_is_read_as_sao_paulos(ask, sandbox):
    sandbox.control(
        "act",
        {"do": "add_sale", "plan": "essencial", "like": 1, "fields": {"number": 900, "paid_at": "2026-10-31 23:59:59"}},
    )
    found = ask(lambda client: paid(client, "essencial", since=datetime(2026, 10, 31, tzinfo=UTC)))
    (invoice,) = [row for row in found if row.number == 900]
    assert invoice.paid_at == datetime(2026, 11, 1, 2, 59, 59, tzinfo=UTC)


def test_a_single_page_is_the_last(ask):
    async def talk(client):
        return await client.invoices.paid_page("essencial", since=SINCE, limit=50, number=2)

    page = ask(talk)
    assert page.number == 2
    assert page.last >= 5
    assert len(page.items) == 50


def test_invoices_of_an_order_include_waiting_ones(ask):
    async def talk(client):
        orders = [order async for page in client.orders.of_plan("essencial") for order in page.items]
        lists = [await client.invoices.of_order("essencial", order.number) for order in orders]
        invoices = [invoice for invoices in lists for invoice in invoices]
        alone = await client.invoices.read("essencial", invoices[0].order_number, invoices[0].number)
        return invoices, alone

    invoices, alone = ask(talk)
    assert alone == invoices[0]
    unpaid = [invoice for invoice in invoices if invoice.paid_at is None]
    assert unpaid
    assert all(invoice.activated_at is None for invoice in unpaid)


def test_unknown_plans_orders_and_invoices_are_not_found(ask):
    for talk in (
        lambda client: paid(client, "nenhum"),
        lambda client: client.invoices.of_order("essencial", 999),
        lambda client: client.invoices.read("essencial", 1, 999),
    ):
        with pytest.raises(NotFound):
            ask(talk)


@pytest.mark.parametrize(
    "fields", [{"paid_at": "ontem"}, {"amount": "1.001"}, {"amount_with_adjustments": None}, {"number": "um"}]
)
def test_an_answer_without_an_invoice_is_unreadable(ask, sandbox, fields):
    fields = {"number": 901, "paid_at": "2026-11-01 10:00:00"} | fields
    sandbox.control("act", {"do": "add_sale", "plan": "empresarial", "like": 1, "fields": fields})
    with pytest.raises(Unreadable):
        ask(lambda client: paid(client, "empresarial"))
