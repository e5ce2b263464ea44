"""A number that may be a CPF or a CNPJ is the customer's whom the register knows by it, or it comes back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from connectors.ledger import rows as ledger_rows
from domain.services.lines import ServiceLine
from domain.states import RowState
from tasks.issuance.document_completion import clear_documents, store_clear_documents
from tasks.runtime import Runtime
from tasks.stations.assemble import assemble_rows
from tasks.stations.resolve import resolve_rows
from tests.tasks.corrections.rounds import FIRST, bill, edited, put, returned, write_month
from tests.tasks.dropped_sheets import cells
from tests.tasks.rows import line, taker
from tests.tasks.services.test_paging import MORE_THAN_A_PART
from tests.tasks.stations.test_resolve import resolved, seeded, stored_decisions
from tests.tasks.workshop import Workshop, codes

AS_CPF, AS_CNPJ = "40773000100", "00040773000100"
NAME = "Zyx Norte"
PERSON = {"cpf": AS_CPF, "social_reason": NAME, "is_complete": True}
COMPANY = {"cnpj": AS_CNPJ, "social_reason": NAME, "is_complete": True}
AMBIGUOUS = {5: ["document.ambiguous"]}


def unclear(number: int = 1, *, name: str | None = NAME, **changes: Any) -> ServiceLine:
    """Return a row with a number that is a valid CPF and, with its zeros, a valid CNPJ."""
    customer = taker(number, document=None, name=name)
    return line(number, **{"taker": customer, "unclear_document": AS_CPF, **changes})


def documents(shop: Workshop, reading: int) -> list[list[str] | None]:
    """Return the document of each row's line."""
    return [(row.line or {})["taker"].get("document") for row in shop.rows(reading)]


@pytest.mark.parametrize(("known", "kind", "number"), [(PERSON, "cpf", AS_CPF), (COMPANY, "cnpj", AS_CNPJ)])
def test_the_only_one_that_the_register_knows_is_billed(each_shop: Workshop, known, kind, number):
    shop = each_shop
    seeded(shop, takers=[known])
    reading = shop.reading(unclear())
    assert dict(shop.run(resolve_rows, reading).counts) == {"resolved": 1, "refused": 0}
    (row,) = shop.rows(reading)
    assert row.line == ServiceLine.from_json({**unclear().to_json(), "unclear_document": None}).to_json() | {
        "taker": {**unclear().taker.to_json(), "document": [kind, number]}
    }
    (decision,) = stored_decisions(shop)
    assert (decision.problem.code, decision.problem.params["kind"]) == ("document.of_register", kind.upper())
    assert decision.rows == (5,)
    assert shop.asked("takers.create") == 0


@pytest.mark.parametrize(
    "takers",
    [
        [],
        [PERSON, COMPANY],
        [{**COMPANY, "social_reason": "Padaria do Sol"}],
        [PERSON, {**COMPANY, "social_reason": "Padaria do Sol"}],
    ],
    ids=["nobody", "both", "another name", "both and one by another name"],
)
def test_an_unclear_document_comes_back_and_creates_nobody(each_shop: Workshop, takers):
    shop = each_shop
    seeded(shop, takers=takers)
    reading = shop.reading(unclear(), line(2))
    assert dict(shop.run(resolve_rows, reading).counts) == {"resolved": 1, "refused": 1}
    assert shop.problems(reading) == AMBIGUOUS
    assert shop.asked("takers.create") == 1
    problem = shop.rows(reading)[0].problems[0]
    assert (problem.field, problem.where.sheet, problem.where.row) == ("document", "Faturamento", 5)


def test_a_row_without_a_name_is_nobodys(shop: Workshop):
    seeded(shop, takers=[PERSON])
    assert resolved(shop, unclear(name=None)) == AMBIGUOUS


def test_a_number_of_few_digits_comes_back_with_its_length(shop: Workshop):
    reading = shop.reading(unclear(unclear_document="1000136"))
    shop.run(resolve_rows, reading)
    (problem,) = shop.rows(reading)[0].problems
    assert (problem.code, problem.params) == ("document.length", {"length": 7})


def test_a_customer_of_the_ledger_is_known_without_a_look(shop: Workshop):
    seeded(shop, takers=[COMPANY])
    resolved(shop, unclear())
    before = shop.asked("takers.list")
    assert resolved(shop, unclear(2)) == {}
    # the other candidate is nobody's in the ledger, so the register is asked about it alone
    assert shop.asked("takers.list") == before + 1


def test_a_customer_that_is_the_emitter_is_held(shop: Workshop):
    seeded(shop, takers=[COMPANY], emitter={"cnpj": AS_CNPJ})
    assert resolved(shop, unclear(emitter_cnpj=AS_CNPJ)) == {5: ["document.of_emitter"]}
    assert [each.problem.code for each in stored_decisions(shop)] == ["document.of_register"]


def test_a_cleared_row_joins_the_other_rows_of_its_customer(each_shop: Workshop):
    shop = each_shop
    seeded(shop, takers=[COMPANY])
    whole = unclear(2).to_json() | {"unclear_document": None}
    whole["taker"] = {**whole["taker"], "document": ["cnpj", AS_CNPJ], "name": "Zyx Norte Ltda"}
    assert resolved(shop, ServiceLine.from_json(whole), unclear(3, name="ZYX NORTE")) == {}
    decided = [each.problem.code for each in stored_decisions(shop)]
    assert decided == ["document.of_register", "taker.spellings"]


def test_rows_of_every_part_are_cleared_before_any_creation(shop: Workshop):
    """The first row creates the company; the last one is judged by the register as it was before."""
    company = unclear(1).to_json() | {"unclear_document": None}
    company["taker"] = {**company["taker"], "document": ["cnpj", AS_CNPJ]}
    between = [line(99, emitter_cnpj=None)] * MORE_THAN_A_PART
    reading = shop.reading(ServiceLine.from_json(company), *between, unclear(2))
    shop.run(resolve_rows, reading)
    assert shop.asked("takers.create") == 1
    assert shop.problems(reading)[6 + len(between)] == ["document.ambiguous"]


def test_a_stopped_run_goes_on_with_what_it_had_found(each_shop: Workshop):
    """The register changes between the two runs: what was found before holds."""
    shop = each_shop
    seeded(shop, takers=[COMPANY])
    reading = shop.reading(unclear(1), unclear(2, name="Abc Sul"))

    async def stopped(runtime: Runtime) -> None:
        records = await runtime.ledger.read_async(ledger_rows.rows_of, reading, RowState.READ)
        await store_clear_documents(runtime, reading, await clear_documents(runtime, records, {}))

    shop.run(stopped)
    seeded(shop, takers=[PERSON, {**COMPANY, "social_reason": "Abc Sul"}])
    shop.run(resolve_rows, reading)
    assert documents(shop, reading) == [["cnpj", AS_CNPJ], None]
    assert shop.problems(reading) == {5: ["taker.name_differs"], 6: ["document.ambiguous"]}
    assert sum(each.problem.code == "document.of_register" for each in stored_decisions(shop)) == 1


def billed(shop: Workshop, asked: Sequence[ServiceLine]) -> int:
    reading = shop.reading(*asked)
    shop.run(resolve_rows, reading)
    shop.run(assemble_rows, reading)
    return reading


def test_the_same_sheet_again_finds_the_row_billed(each_shop: Workshop):
    shop = each_shop
    seeded(shop, takers=[COMPANY])
    assert shop.problems(billed(shop, [unclear()])) == {}
    assert shop.problems(billed(shop, [unclear()])) == {5: ["row.living"]}
    whole = unclear().to_json() | {"unclear_document": None}
    whole["taker"] = {**whole["taker"], "document": ["cnpj", AS_CNPJ]}
    assert shop.problems(billed(shop, [ServiceLine.from_json(whole)])) == {5: ["row.living"]}


def test_a_returned_row_is_billed_once_the_register_knows_it(shop: Workshop, tmp_path: Path):
    """The correction workbook comes back as it is: somebody registered the customer meanwhile."""
    content = [cells(1, **{"CNPJ/CPF": AS_CPF, "Razão Social": NAME}), cells(2, Modelo="Errado")]
    (first, _) = bill(shop, write_month(tmp_path / "mes.xlsx", content))
    assert codes(first.problems) == ["document.ambiguous"]
    workbook = returned(shop, tmp_path / "mes.xlsx")
    shop.sandbox.call("POST", "/api/v1/takers", {"cnpj": AS_CNPJ, "social_reason": NAME})
    again, other = bill(shop, edited(workbook, tmp_path / "de-volta.xlsx", put("Discriminação", "Contrato 1", FIRST)))
    assert (again.state, again.family, codes(other.problems)) == (RowState.ASSEMBLED, first.id, ["template.unknown"])
    assert (again.line or {})["taker"]["document"] == ["cnpj", AS_CNPJ]
    assert bill(shop, edited(workbook, tmp_path / "outra-vez.xlsx", put("CEP", "01310-200", FIRST)))[0].problems
