"""Adjustments of an order's coming invoices."""

import pytest

from connectors.http.errors import NotFound


def test_a_list_without_pages_and_one_by_the_last_part_of_its_address(ask):
    async def talk(client):
        plans = {
            order.number: slug
            for slug in ("essencial", "profissional", "empresarial")
            async for page in client.orders.of_plan(slug)
            for order in page.items
        }
        (adjustment,) = await client.adjustments.of_order(plans[12], 12)
        return adjustment, await client.adjustments.read(plans[12], 12, adjustment.number)

    listed, alone = ask(talk)
    assert alone == listed
    assert (alone.amount, alone.description, alone.valid_until) == (1_250, "Usuário adicional", None)
    assert alone.valid_from.isoformat() == "2026-12-01"


def test_what_there_is_not(ask):
    with pytest.raises(NotFound):
        ask(lambda client: client.adjustments.read("essencial", 999, 1))
