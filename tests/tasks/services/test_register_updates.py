"""Test that a marked row's e-mail and address are written into the register once, before its invoice."""

from functools import partial
from typing import Any

import pytest

from connectors.ledger import remote_changes
from domain.issuing import SERVICE
from domain.services.lines import ServiceLine
from tasks.records.carry_out import Requester
from tasks.runtime import Runtime
from tasks.services.party_search import FoundParties, PartySearch, collect_statements
from tasks.services.register_updates import UPDATED, Update, update_register
from tasks.services.register_writes import write_register
from tasks.stations.resolve import resolve_rows
from tests.tasks.rows import company, line, taker
from tests.tasks.stations.test_resolve import known_taker, seeded
from tests.tasks.workshop import Workshop, fault

NEW = {"emails": ("novo@padaria.example",), "street": "Rua Nova", "zip_code": "20040002"}


def _asking(number: int = 1, **changes: Any) -> ServiceLine:
    data = taker(number, **{**NEW, **changes.pop("taker", {})})
    return line(number, updates_register=True, taker=data, **changes)


def _known(shop: Workshop, *numbers: int) -> None:
    """Have these customers in the register, without an unsent invoice."""
    shop.run(resolve_rows, shop.reading(*(line(number) for number in numbers or (1,))))


def _incomplete(shop: Workshop) -> None:
    """Have the first customer in the register with an e-mail and a street, and incomplete."""
    contact, address = {"email": "velho@padaria.example"}, {"street": "Rua das Laranjeiras"}
    seeded(shop, takers=[known_taker(is_complete=False, contact=contact, address=address)])


def _resolved(shop: Workshop, *asked: ServiceLine) -> list[Any]:
    reading = shop.reading(*asked)
    shop.run(resolve_rows, reading)
    return [problem for row in shop.rows(reading) for problem in row.problems or ()]


def previewed(shop: Workshop, reading: int) -> FoundParties:
    """Return what a preview finds of the reading's parties."""
    records = shop.rows(reading)

    async def find(runtime: Runtime) -> FoundParties:
        statements = collect_statements(lambda: (record.line or {} for record in records))
        return await PartySearch(runtime, statements, {}).find(records)

    return shop.run(find)


def _register(shop: Workshop, number: int = 1) -> dict[str, Any]:
    _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(number).number}")
    record: dict[str, Any] = found["collection"][0]
    return record


def _journal(shop: Workshop) -> list[tuple[str, str, str | None]]:
    return [(each.asked_by, each.verb, each.outcome) for each in shop.read(remote_changes.newest, 9)]


def test_a_marked_row_changes_the_register_once(each_shop: Workshop):
    shop = each_shop
    _known(shop)
    name = _register(shop)["social_reason"]
    assert _resolved(shop, _asking(taker={"name": "TOMADOR 1"}), line(1, service_cents=5)) == []
    record = _register(shop)
    assert (record["contact"]["email"], record["address"]["street"]) == ("novo@padaria.example", "Rua Nova")
    assert record["social_reason"] == name
    assert _journal(shop) == [("clerk", "change", "done")]
    assert _resolved(shop, _asking()) == []
    assert shop.asked("takers.update") == 1


def test_a_preview_shows_the_change_and_writes_nothing(shop: Workshop):
    _known(shop)
    reading = shop.reading(_asking())
    found = previewed(shop, reading)
    seen = {(each.field, each.provider_says, each.sheet_says) for each in found.updates}
    assert ("email", "", "novo@padaria.example") in seen
    assert {field for field, *_ in seen} == {"email", "street", "zip_code"} <= UPDATED
    assert [each.code for each in found.remarks] == ["taker.updated"] * 3
    assert (shop.asked("takers.update"), _journal(shop)) == (0, [])


def test_rows_without_the_mark_get_no_remark(shop: Workshop):
    _known(shop)
    reading = shop.reading(line(1), _asking(service_cents=6))
    found = previewed(shop, reading)
    assert {each.code for each in found.remarks} == {"taker.updated"}


def test_a_lost_answer_is_looked_up(each_shop: Workshop):
    shop = each_shop
    _known(shop)
    shop.sandbox.faults(fault("takers.update", "lose_answer"))
    assert _resolved(shop, _asking()) == []
    assert shop.asked("takers.update") == 1
    assert _journal(shop) == [("clerk", "change", "done")]


@pytest.mark.both_databases
def test_a_worker_with_an_old_look_writes_nothing(each_shop: Workshop):
    """Two workers looked at the record at once, and the other one has written it since."""
    shop = each_shop
    _known(shop)
    _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(1).number}")
    data = taker(1, **NEW)

    async def both(runtime: Runtime) -> list[Update]:
        looked = await runtime.register(runtime.issuer_of(SERVICE)).customer(found["collection"][0]["id"])
        assert looked is not None
        write = partial(write_register, runtime, Requester("clerk", "x"))
        asked = partial(update_register, looked, [data], data, (), waits=False, write=write)
        return [await asked(), await asked()]

    updates = shop.run(both)
    assert [(each.taker.data.street, each.problems) for each in updates] == [("Rua Nova", ())] * 2
    assert shop.asked("takers.update") == 1
    assert _journal(shop) == [("clerk", "change", "done")]


def test_an_update_in_doubt_is_not_repeated_before_quiet(each_shop: Workshop):
    shop = each_shop
    _known(shop)
    shop.sandbox.faults(fault("takers.update", "reset_before"))
    for _ in range(2):
        (problem,) = _resolved(shop, _asking())
        assert problem.code == "taker.update_unknown"
    assert shop.asked("takers.update") == 1
    reading = shop.reading(_asking())
    shop.run_quiet(resolve_rows, reading)
    assert shop.problems(reading) == {}
    assert shop.asked("takers.update") == 2
    assert [outcome for *_, outcome in _journal(shop)] == ["done", "absent"]


def test_another_update_waits_for_one_in_doubt(shop: Workshop):
    _known(shop)
    shop.sandbox.faults(fault("takers.update", "reset_before"))
    _resolved(shop, _asking())
    other = _asking(taker={"street": "Rua Outra"})
    (problem,) = _resolved(shop, other)
    assert (problem.code, shop.asked("takers.update")) == ("taker.update_unknown", 1)
    shop.run_quiet(resolve_rows, shop.reading(other))
    assert _register(shop)["address"]["street"] == "Rua Outra"


def test_rows_that_differ_are_asked_and_change_nothing(shop: Workshop):
    _known(shop, 1, 2)
    other = _asking(taker={"street": "Rua Outra"}, service_cents=7)
    found = _resolved(shop, _asking(), other, _asking(2), line(2, service_cents=8))
    assert [each.code for each in found] == ["taker.update_differs"] * 2
    assert found[0].params == {"fields": "street"}
    assert _register(shop)["address"]["street"] == "Rua das Laranjeiras"
    assert _register(shop, 2)["address"]["street"] == "Rua Nova"


def test_an_unsent_invoice_keeps_its_customers_data(shop: Workshop):
    shop.staged(1)
    (problem,) = _resolved(shop, _asking(service_cents=9))
    assert problem.code == "taker.update_waits"
    assert shop.asked("takers.update") == 0


def test_another_customers_row_changes_nothing(shop: Workshop):
    _known(shop)
    (problem,) = _resolved(shop, _asking(taker={"name": "Quitanda Verde Mar"}))
    assert (problem.code, shop.asked("takers.update")) == ("taker.name_differs", 0)
    (problem,) = _resolved(shop, _asking(template_name="Nenhum"))
    assert (problem.code, shop.asked("takers.update")) == ("template.unknown", 0)


def test_a_refused_update_says_why(shop: Workshop):
    _known(shop)
    shop.sandbox.faults(fault("takers.update", "status_422"))
    (problem,) = _resolved(shop, _asking())
    assert problem.code == "taker.update_refused"
    assert problem.params == {"reason": "errors: Unprocessable Entity"}
    assert [outcome for *_, outcome in _journal(shop)] == ["refused"]


def test_a_new_customer_needs_no_update(shop: Workshop):
    assert _resolved(shop, _asking()) == []
    assert (_register(shop)["contact"]["email"], shop.asked("takers.update")) == ("novo@padaria.example", 0)


def test_one_write_completes_and_updates_a_record(each_shop: Workshop):
    shop = each_shop
    _incomplete(shop)
    assert _resolved(shop, _asking()) == []
    record = _register(shop)
    assert (record["contact"]["email"], record["address"]["street"]) == ("novo@padaria.example", "Rua Nova")
    assert (record["address"]["number"], record["is_complete"]) == ("10", True)
    assert _journal(shop) == [("clerk", "change", "done")]
    assert shop.asked("takers.update") == 1


def test_an_update_mends_what_an_incomplete_record_has_wrong(shop: Workshop):
    seeded(shop, takers=[known_taker(is_complete=False, address={"complement": "x" * 101})])
    (incomplete, unfit) = _resolved(shop, line(1))
    assert (incomplete.code, unfit.field) == ("taker.incomplete", "complement")
    assert _resolved(shop, _asking(taker={"complement": "Sala 2"})) == []
    assert (_register(shop)["address"]["complement"], shop.asked("takers.update")) == ("Sala 2", 1)


def test_a_completion_takes_no_half_of_another_address(shop: Workshop):
    seeded(shop, takers=[known_taker(is_complete=False)])
    other = {"city_code": "3304557", "city": "Rio de Janeiro", "state": "RJ"}
    assert _resolved(shop, _asking(taker=other), line(1, service_cents=5, taker=taker(1, complement="Fundos"))) == []
    address = _register(shop)["address"]
    assert (address["street"], address["city_code"]) == ("Rua Nova", 3304557)
    assert address["complement"] is None


def test_a_completion_without_an_answer_is_looked_up(shop: Workshop):
    _incomplete(shop)
    shop.sandbox.faults(fault("takers.update", "lose_answer"))
    assert _resolved(shop, line(1)) == []
    assert (shop.asked("takers.update"), _journal(shop)) == (1, [("clerk", "change", "done")])
    assert _register(shop)["contact"]["email"] == "velho@padaria.example"


def test_a_completion_in_doubt_is_not_repeated_before_quiet(shop: Workshop):
    _incomplete(shop)
    shop.sandbox.faults(fault("takers.update", "reset_before"))
    for asked in (line(1), line(1), _asking()):
        (problem,) = _resolved(shop, asked)
        assert problem.code == "taker.update_unknown"
    assert shop.asked("takers.update") == 1
    reading = shop.reading(line(1))
    shop.run_quiet(resolve_rows, reading)
    assert shop.problems(reading) == {}
    assert [outcome for *_, outcome in _journal(shop)] == ["done", "absent"]


def test_a_refused_completion_says_why(shop: Workshop):
    _incomplete(shop)
    shop.sandbox.faults(fault("takers.update", "status_422"))
    found = _resolved(shop, line(1))
    assert [each.code for each in found] == ["taker.incomplete", "provider.refused_field"]
    assert found[1].params == {"field": "errors", "message": "Unprocessable Entity"}


def test_a_field_that_a_row_changes_is_reported_once(shop: Workshop):
    _incomplete(shop)
    seen = previewed(shop, shop.reading(_asking()))
    found = [each.field for each in seen.updates]
    assert len(found) == len(set(found))
    assert {"email", "street", "number"} <= set(found)
    assert {each.code for each in seen.remarks} == {"taker.updated"}


def test_a_preview_leaves_a_record_to_be_completed(shop: Workshop):
    _incomplete(shop)
    seen = previewed(shop, shop.reading(line(1)))
    assert (seen.looks, seen.writes, shop.asked("takers.update")) == (1, 1, 0)
    found = {each.field: (each.provider_says, each.sheet_says) for each in seen.updates}
    assert found["number"] == ("", "10")
    assert found.keys().isdisjoint({"email", "street"})
    assert {each.code for each in seen.remarks} == {"taker.completed"}
    assert _resolved(shop, line(1)) == []
    assert (_register(shop)["is_complete"], shop.asked("takers.update")) == (True, 1)


def test_another_customers_row_completes_nothing(shop: Workshop):
    _incomplete(shop)
    (problem,) = _resolved(shop, line(1, taker=taker(1, name="Quitanda Verde Mar")))
    assert (problem.code, shop.asked("takers.update")) == ("taker.name_differs", 0)


def test_an_unfit_update_names_its_field(shop: Workshop):
    _known(shop)
    (problem,) = _resolved(shop, _asking(taker={"complement": "x" * 101}))
    assert (problem.field, shop.asked("takers.update")) == ("complement", 0)
