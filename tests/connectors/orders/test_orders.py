"""Orders: of a plan, of an account, one."""

import pytest

from connectors.http.errors import Denied, NotFound


async def of_plan(client, slug, **how):
    return [order async for page in client.orders.of_plan(slug, **how) for order in page.items]


def test_every_order_of_a_plan_comes_once_however_it_is_paged(ask):
    whole = ask(lambda client: of_plan(client, "essencial"))
    small = ask(lambda client: of_plan(client, "essencial", limit=7, ahead=3))
    assert [order.number for order in small] == [order.number for order in whole]
    assert len({order.number for order in whole}) == len(whole) > 20
    assert {order.plan_slug for order in whole} == {"essencial"}


def test_one_order_is_the_same_alone_as_in_the_list(ask):
    async def talk(client):
        listed = (await of_plan(client, "empresarial"))[0]
        return listed, await client.orders.read("empresarial", listed.number)

    listed, alone = ask(talk)
    assert alone == listed
    assert alone.amount == 89_900
    assert alone.created_at.utcoffset().total_seconds() == 0


def test_orders_of_an_account_and_of_one_that_has_none(ask):
    async def talk(client):
        order = (await of_plan(client, "profissional"))[0]
        of_account = await client.orders.of_account(order.global_account)
        return order, of_account, await client.orders.of_account("5f0c7a52-99a1-4b0e-8c3e-00000000dead")

    order, of_account, none = ask(talk)
    assert order.number in {each.number for each in of_account}
    assert {each.global_account for each in of_account} == {order.global_account}
    assert none == []


@pytest.mark.parametrize(("slug", "number"), [("nenhum", None), ("essencial", 999), ("a/../b", None)])
def test_what_there_is_not(ask, slug, number):
    async def talk(client):
        return await (of_plan(client, slug) if number is None else client.orders.read(slug, number))

    with pytest.raises(NotFound):
        ask(talk)


@pytest.mark.parametrize("consumer", [("sandbox-consumer", "wrong"), ("nobody", "sandbox-secret")])
def test_another_consumer_is_denied(ask, consumer):
    with pytest.raises(Denied) as caught:
        ask(lambda client: of_plan(client, "essencial"), consumer)
    assert caught.value.status == 403
