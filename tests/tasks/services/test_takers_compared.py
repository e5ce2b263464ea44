"""A customer is compared with the provider's register: at its creation, and at each month's first use."""

from typing import Any, Final

import pytest

from connectors.ledger import parties
from domain.issuing.customers import Customer
from domain.states import RowState
from tasks.issuance.discard import discard_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.rows import company, line, taker
from tests.tasks.workshop import Workshop, fault, remarks

_A_MONTH_S: Final = 32 * 86_400.0
_OTHER: Final = company(77).number


def _resolved(shop: Workshop, *asked: Any) -> list[Any]:
    """Return why rows of this reading were refused."""
    reading = shop.reading(*asked)
    shop.run(resolve_rows, reading)
    rows = shop.rows(reading)
    return [problem for row in rows if row.state is RowState.REFUSED for problem in row.problems or ()]


def _change(shop: Workshop, number: int = 1, **fields: str) -> None:
    """Change a customer in the register's page."""
    _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(number).number}")
    status, _, _ = shop.sandbox.call("PATCH", f"/api/v1/takers/{found['collection'][0]['id']}", fields)
    assert status == 200


def test_an_answer_about_another_customer_maps_nobody_to_it(each_shop: Workshop):
    """The answer to a creation is another customer's: its id would bill that customer."""
    shop = each_shop
    shop.sandbox.faults(fault("takers.create", "altered", after=1, fields={"id": 1, "cnpj": company(1).number}))
    shop.set(NFSE__IN_FLIGHT=1)
    reading = shop.reading(line(1), line(2))
    shop.run(resolve_rows, reading)
    assert shop.problems(reading) == {}
    assert [customer["cnpj"] for customer in _billed(shop, reading)] == [company(1).number, company(2).number]


def _billed(shop: Workshop, reading: int) -> list[Any]:
    ids = [row.taker_id or 0 for row in shop.rows(reading)]
    known = shop.read(parties.takers_by_ids, ids)
    return [shop.sandbox.call("GET", f"/api/v1/takers/{known[each].remote_id}")[1] for each in ids]


def test_a_name_that_is_answered_otherwise_holds_the_row(shop: Workshop):
    shop.sandbox.faults(
        fault("takers.create", "altered", fields={"social_reason": "Outra Empresa"}),
        fault("takers.list", "altered", after=1, fields={"collection": [_record()]}),
    )
    (problem,) = _resolved(shop, line(1))
    assert problem.code == "taker.other_name"
    assert (problem.params["theirs"], problem.params["ours"]) == (
        f"{company(1).formatted} Outra Empresa",
        f"{company(1).formatted} Tomador 1 Ltda",
    )


def _record() -> dict[str, Any]:
    return {"id": 1, "cnpj": company(1).number, "social_reason": "Outra Empresa", "is_complete": True}


@pytest.mark.parametrize(
    ("change", "code"), [({"cnpj": _OTHER}, "taker.other_document"), ({"social_reason": "Outra"}, "taker.other_name")]
)
def test_a_changed_record_holds_rows_at_the_months_first_use(each_shop: Workshop, change, code):
    shop = each_shop
    assert _resolved(shop, line(1), line(2)) == []
    shop.write(age, _A_MONTH_S)
    _change(shop, **change)
    (problem,) = _resolved(shop, line(1), line(2))
    assert (problem.code, problem.where.row) == (code, 5)
    assert Customer(_OTHER if "cnpj" in change else company(1).number, "Outra").shown[:18] in problem.params["theirs"]
    assert problem.params["ours"] == f"{company(1).formatted} Tomador 1 Ltda"
    assert shop.asked("takers.create") == 2


def test_a_name_that_the_sheet_confirms_is_taken_over(shop: Workshop):
    assert _resolved(shop, line(1)) == []
    shop.write(age, _A_MONTH_S)
    _change(shop, social_reason="Outra Empresa S.A.")
    assert _resolved(shop, line(1, taker=taker(1, name="OUTRA EMPRESA SA"))) != []
    assert _resolved(shop, line(1, taker=taker(1, name="Outra  Empresa, S.A."))) == []
    # This month's answers are compared with the new record.
    shop.write(age, 1.0)
    assert [each.code for each in _resolved(shop, line(1))] == ["taker.name_differs"]


def test_a_record_that_was_deleted_is_made_again(shop: Workshop):
    assert _resolved(shop, line(1)) == []
    shop.write(age, _A_MONTH_S)
    shop.forget_taker(1)
    assert _resolved(shop, line(1)) == []
    assert shop.asked("takers.create") == 2


def test_within_a_month_nobody_is_asked_again(shop: Workshop):
    assert _resolved(shop, line(1)) == []
    asked = shop.asked("takers.list", "takers.read")
    assert _resolved(shop, line(1, description="Outra")) == []
    assert shop.asked("takers.list", "takers.read") == asked


def test_a_row_withdrawn_for_its_customer_is_looked_up_again(each_shop: Workshop):
    """The record was changed within the month: the answer to the first post says so, and the sheet comes back."""
    shop = each_shop
    _, (batch,) = shop.assembled(line(1))
    _change(shop, cnpj=_OTHER)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.other_customer"])
    (remark,) = result.remarks
    assert str(remark.params["theirs"]).startswith(f"{_OTHER[:2]}.{_OTHER[2:5]}.")
    assert remark.params["ours"] == f"{company(1).formatted} Tomador 1 Ltda"
    shop.decide(batch, "discard")
    assert shop.run(discard_batch, batch).ending == "done"
    assert shop.there() == []
    (problem,) = _resolved(shop, line(1))
    assert problem.code == "taker.other_document"


def test_a_customer_whose_note_was_refused_is_looked_at_again(each_shop: Workshop):
    """Its record was deleted within the month: the row comes back, and the next sheet creates the record again."""
    shop = each_shop
    _, (batch,) = shop.assembled(line(1), line(2))
    shop.forget_taker(1)
    assert shop.run(stage_batch, batch).ending == "done"
    assert _resolved(shop, line(1)) == []
    assert shop.asked("takers.create") == 3


def test_one_list_is_read_if_it_costs_less_than_single_requests(shop: Workshop):
    asked = [line(number) for number in range(1, 31)]
    assert _resolved(shop, *asked) == []
    shop.write(age, _A_MONTH_S)
    _change(shop, 30, cnpj=_OTHER)
    pages = -(-shop.sandbox.call("GET", "/api/v1/takers")[1]["count"] // 10)
    before = shop.asked("takers.list")
    (problem,) = _resolved(shop, *asked)
    assert (problem.code, problem.where.row) == ("taker.other_document", 34)
    # The pages, and the missing customer by its document; then by its id.
    assert (shop.asked("takers.list") - before, shop.asked("takers.read")) == (pages + 1, 1)
