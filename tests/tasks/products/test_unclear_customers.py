"""An order whose customer's number may be a CPF or a CNPJ is billed whole if the register tells which, else not."""

import json

from connectors.nfe.emulator.seed import default_shops
from connectors.nfse.emulator.seed import default_company
from domain.products.lines import ProductLine
from tasks.stations.assemble import assemble_rows
from tasks.stations.resolve import resolve_rows
from tests.domain.products.orders_of_a_shop import PERSON
from tests.tasks.issuance.test_document_completion import AS_CNPJ, AS_CPF, COMPANY, NAME
from tests.tasks.issuance.test_document_completion import PERSON as KNOWN
from tests.tasks.rows import company
from tests.tasks.store import FIRST_ROW, Store, sale


def unclear(order: int = 1, *, name: str = NAME) -> ProductLine:
    """Return a line to a customer with a number that is a valid CPF and, with its zeros, a valid CNPJ."""
    customer = PERSON.to_json() | {"name": name}
    del customer["document"]
    return ProductLine.from_json({**sale(order).to_json(), "taker": customer, "unclear_document": AS_CPF})


def seeded(store: Store, *takers: dict[str, object]) -> None:
    """Let the provider know these customers, and its usual shops."""
    store.sandbox.control("seed", {**default_company(), "takers": list(takers), "organizations": default_shops()})


def test_an_order_is_billed_to_the_customer_that_the_register_knows(each_store: Store):
    store = each_store
    seeded(store, COMPANY)
    reading, (batch,) = store.sold(unclear(), unclear(), sale(2))
    assert store.problems(reading) == {}
    documents = [json.loads(note.content)["customer"]["document"]["number"] for note in store.notes(batch)]
    assert documents == [AS_CNPJ, "99000000130"]
    assert store.writes() == []
    again = store.read_sheet(unclear(), unclear())
    store.run(resolve_rows, again)
    store.run(assemble_rows, again)
    assert set(map(tuple, store.problems(again).values())) == {("row.living",)}


def test_one_customer_that_nobody_can_tell_stops_the_whole_order(each_store: Store):
    store = each_store
    seeded(store, KNOWN)
    reading = store.read_sheet(unclear(), unclear(name="Padaria do Sol"), unclear(2))
    assert dict(store.run(resolve_rows, reading).counts) == {"resolved": 1, "refused": 2}
    assert store.problems(reading) == {
        FIRST_ROW: ["product.order_blocked"],
        FIRST_ROW + 1: ["document.ambiguous"],
    }
    blocked = store.rows(reading)[0].problems[0]
    assert (blocked.params["other"], blocked.params["stopped_by"]) == (FIRST_ROW + 1, "document.ambiguous")
    assert [(row.line or {})["taker"].get("document") for row in store.rows(reading)] == [None, None, ["cpf", AS_CPF]]


def test_two_documents_in_one_order_are_a_contradiction(store: Store):
    seeded(store, COMPANY)
    other = ProductLine.from_json(
        sale(1).to_json() | {"taker": {**PERSON.to_json(), "document": ["cnpj", company(9).number], "name": NAME}}
    )
    reading, batches = store.sold(unclear(), other)
    assert batches == []
    assert store.problems(reading)[FIRST_ROW + 1] == ["product.order_conflict"]
