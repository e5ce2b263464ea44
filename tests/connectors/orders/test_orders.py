"""Orders: of a plan, of an account, a single one; created, changed and cancelled."""

import pytest

from connectors.http.errors import Conflict, Denied, Doubtful, NotFound, Refused
from connectors.orders.emulator.seed import WITHOUT_ORDERS
from tests.connectors.orders.samples import ACCOUNT, ADDRESS, CNPJ, CPF, IDENTITY, company, new_order


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
        with pytest.raises(NotFound):
            await client.orders.of_account("5f0c7a52-99a1-4b0e-8c3e-00000000dead")
        return order, of_account, await client.orders.of_account(WITHOUT_ORDERS)

    order, of_account, none = ask(talk)
    assert order.number in {each.number for each in of_account}
    assert {each.global_account for each in of_account} == {order.global_account}
    assert none == []


@pytest.mark.parametrize(("slug", "number"), [("nenhum", None), ("essencial", 999), ("a/../b", None)])
def test_unknown_plans_and_orders_are_not_found(ask, slug, number):
    async def talk(client):
        return await (of_plan(client, slug) if number is None else client.orders.read(slug, number))

    with pytest.raises(NotFound):
        ask(talk)


@pytest.mark.parametrize("consumer", [("sandbox-consumer", "wrong"), ("nobody", "sandbox-secret")])
def test_another_consumer_is_denied(ask, consumer):
    with pytest.raises(Denied) as caught:
        ask(lambda client: of_plan(client, "essencial"), consumer)
    assert caught.value.status == 403


def test_an_order_is_found_in_its_plan_and_its_account(ask):
    async def talk(client):
        made = await client.orders.create("essencial", new_order(client_name="Ana Prado", client_cpf=CPF))
        return made, await client.orders.read("essencial", made.number), await client.orders.of_account(ACCOUNT)

    made, alone, of_account = ask(talk)
    assert [alone] == of_account == [made]
    assert (made.amount, made.is_active, made.is_trial, made.active_until) == (8_990, False, False, None)
    assert (made.client_name, made.document_number) == ("Ana Prado", CPF)
    assert made.checkout_url.endswith(f"/essencial/{made.number}/checkout/")


def test_a_trial_is_created_with_a_discount(ask):
    asked = new_order(active_until="2026-12-31", discount_amount=1_050, discount_description="Boas-vindas")

    async def talk(client):
        made = await client.orders.create("profissional", asked)
        return made, await client.discounts.of_order("profissional", made.number)

    made, discounts = ask(talk)
    assert (made.is_trial, made.active_until.isoformat()) == (True, "2026-12-31T03:00:00+00:00")
    assert [(each.amount, each.description) for each in discounts] == [(-1_050, "Boas-vindas")]


def test_an_order_that_was_never_paid_stops_no_other(ask):
    async def talk(client):
        first = await client.orders.create("essencial", new_order())
        return first, await client.orders.create("essencial", new_order())

    first, second = ask(talk)
    assert (first.is_active, second.number) == (False, first.number + 1)


def test_a_second_active_order_of_a_plan_conflicts(ask, sandbox):
    async def talk(client):
        first = await client.orders.create("essencial", new_order())
        await client.orders.create("profissional", new_order())
        sandbox.control("act", {"do": "change_order", "number": first.number, "fields": {"is_active": True}})
        with pytest.raises(Conflict):
            await client.orders.create("essencial", new_order())
        await client.orders.cancel("essencial", first.number)
        second = await client.orders.create("essencial", new_order())
        return await client.orders.read("essencial", first.number), second

    first, second = ask(talk)
    assert (first.is_active, first.next_payment_at, second.is_active) == (False, None, False)


def test_a_company_needs_its_whole_address_unlike_a_person(ask):
    async def talk(client):
        made = await client.orders.create("essencial", new_order())
        changed = await client.orders.change("essencial", made.number, company())
        someone = company(document_number=CPF, **dict.fromkeys(ADDRESS))
        return changed, await client.orders.change("essencial", made.number, someone)

    changed, person = ask(talk)
    assert (changed.document_number, changed.client_name) == (CNPJ, "Ateliê do Cais Ltda")
    assert person.document_number == CPF
    for part in ADDRESS:
        with pytest.raises(ValueError, match="address"):
            company(**{part: None})


@pytest.mark.parametrize(
    "wrong",
    [
        {"global_account": "conta"}, {"client_email": "ninguem"}, {"client_cpf": "99000000131"}, {"colour": "blue"},
        {"active_until": "2026-02-31"}, {"discount_amount": 100}, {"discount_description": "x"},
        {"discount_amount": 0, "discount_description": "x"}, {"client_name": ""}, {"client_name": "\ud800"},
        {"discount_amount": 10**10, "discount_description": "x"}, {"discount_amount": 1.5, "discount_description": "x"},
    ],
)  # fmt: skip
def test_a_bad_order_is_refused_before_it_is_sent(wrong):
    with pytest.raises(ValueError, match="NewOrder") as caught:
        new_order(**wrong)
    assert not any(str(value) in str(caught.value) for value in wrong.values() if len(str(value)) > 4)


def test_an_unknown_order_cannot_be_changed(ask):
    for talk in (
        lambda client: client.orders.create("nenhum", new_order()),
        lambda client: client.orders.change("essencial", 999, company()),
        lambda client: client.orders.cancel("essencial", 999),
    ):
        with pytest.raises(NotFound):
            ask(talk)


def test_a_refusal_of_the_service_comes_back_by_field(ask, sandbox):
    refusal = {"kind": "altered", "operation": "orders.create", "fields": {"number": "x"}}
    sandbox.faults(refusal)
    with pytest.raises(Doubtful):
        ask(lambda client: client.orders.create("essencial", new_order()))
    body = company(document_number=CPF)
    with pytest.raises(Refused) as caught:
        ask(lambda client: client.orders.change("essencial", 1, body.model_copy(update={"identity": "x"})))
    assert list(caught.value.messages) == ["field_errors.identity"]


def test_an_order_made_unheard_is_there_when_looked_for(ask, sandbox):
    sandbox.faults({"kind": "lose_answer", "operation": "orders.create"})

    async def talk(client):
        with pytest.raises(Doubtful):
            await client.orders.create("essencial", new_order())
        return await client.orders.of_account(ACCOUNT)

    assert [order.plan_slug for order in ask(talk)] == ["essencial"]


def test_nothing_personal_shows_where_an_order_becomes_text(ask):
    async def talk(client):
        made = await client.orders.create("essencial", new_order(client_cpf=CPF))
        return [
            made,
            new_order(client_cpf=CPF),
            company(),
            await client.orders.change("essencial", made.number, company()),
        ]

    text = " ".join(f"{each!r} {each}" for each in ask(talk))
    assert not {secret for secret in (CPF, CNPJ, IDENTITY, "cliente.example", "Acácias") if secret in text}
