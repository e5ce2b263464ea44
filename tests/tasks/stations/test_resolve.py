"""Resolving: each distinct party of a reading is looked up once, and only takers are ever created."""

from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.ledger import files, parties
from connectors.ledger.parties import TakerRecord
from connectors.nfse.emulator.seed import default_company
from domain.decisions import Decision
from domain.documents import Document
from domain.states import RowState
from tasks.stations.resolve import resolve_rows
from tests.tasks.rows import RIO, SAO_PAULO, company, line, lines, person, taker
from tests.tasks.workshop import Workshop, fault

REGISTERED = "Tomador 1 Cadastrado"

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def resolved(shop: Workshop, *asked: Any) -> dict[int, list[str]]:
    """Resolve a reading of these rows. Return problem codes by row number; the first row is 5."""
    reading = shop.reading(*asked)
    shop.run(resolve_rows, reading)
    return shop.problems(reading)


def decided_codes(shop: Workshop) -> list[str]:
    """Return the codes of the newest reading's decisions."""
    return [each.problem.code for each in stored_decisions(shop)]


def stored_decisions(shop: Workshop) -> list[Decision]:
    """Return the newest reading's decisions."""
    file = shop.read(files.find_file, sha256=f"{shop.file_count:064x}")
    assert file is not None
    reading = shop.read(files.last_reading, file.id)
    assert reading is not None
    return [Decision.from_json(each) for each in (reading.understood or {})["decisions"]]


def seeded(shop: Workshop, **changes: Any) -> dict[str, Any]:
    """Return other content for the sandbox's company, with changes of the first emitter or its first template."""
    made = default_company()
    made["emitters"][0].update(changes.get("emitter", {}))
    made["emitters"][0]["service_values"][0].update(changes.get("template", {}))
    made["emitters"][0]["service_values"] += changes.get("more_templates", [])
    made["takers"] = changes.get("takers", [])
    shop.sandbox.control("seed", made)
    return made


def known_taker(number: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a taker that the provider has already."""
    return {"cnpj": company(number).number, "social_reason": REGISTERED, "is_complete": True, **changes}


def stored_taker(shop: Workshop) -> TakerRecord | None:
    """Return the first taker in the ledger."""
    ids = shop.read(parties.taker_ids, [company(1).number], "nfse", since=LONG_AGO)
    return next(iter(shop.read(parties.takers_by_ids, ids.values()).values()), None)


def test_each_row_gets_its_parties(each_shop: Workshop):
    shop = each_shop
    reading = shop.reading(line(1), line(2, emitter_cnpj=SAO_PAULO), line(3, taker=taker(1)))
    result = shop.run(resolve_rows, reading)
    assert (result.ending, dict(result.counts)) == ("done", {"resolved": 3, "refused": 0})
    first, second, third = shop.rows(reading)
    assert {row.state for row in (first, second, third)} == {RowState.RESOLVED}
    assert first.taker_id == third.taker_id != second.taker_id
    assert first.emitter_id != second.emitter_id
    assert first.template_id != second.template_id
    emitter = shop.read(parties.emitter_by_cnpj, RIO, "nfse")
    assert emitter is not None
    assert (first.emitter_id, emitter.city_code) == (emitter.id, "3304557")


def test_each_party_is_asked_for_once(shop: Workshop):
    reading = shop.reading(*lines(3), *lines(3), line(4, template_name="Consultoria"))
    shop.run(resolve_rows, reading)
    asked = {
        name: shop.asked(name) for name in ("emitters.list", "service_values.list", "takers.list", "takers.create")
    }
    assert asked == {"emitters.list": 1, "service_values.list": 2, "takers.list": 4, "takers.create": 4}
    again = shop.reading(*lines(3))
    shop.run(resolve_rows, again)
    # The ledger knows these takers: templates and emitters must be looked up again.
    assert (shop.asked("takers.list"), shop.asked("takers.create")) == (4, 4)


def test_run_again_it_changes_nothing(shop: Workshop):
    reading = shop.reading(line(1), line(2, template_name="Mensalidade"))
    shop.run(resolve_rows, reading)
    before = shop.rows(reading)
    assert dict(shop.run(resolve_rows, reading).counts) == {"resolved": 0, "refused": 0}
    assert shop.rows(reading) == before


def test_an_emitter_that_cannot_issue_is_refused_in_words(shop: Workshop):
    assert resolved(shop, line(1, emitter_cnpj=company(77).number), line(2, emitter_cnpj=None), line(3)) == {
        5: ["emitter.unknown"],
        6: ["emitter.missing"],
    }


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"is_active": False}, "emitter.inactive"),
        ({"city": "Niterói", "city_code": 3303302}, "emitter.city_unsupported"),
    ],
)
def test_an_emitter_that_may_not_issue_is_refused(shop: Workshop, change, code):
    seeded(shop, emitter=change)
    assert resolved(shop, line(1), line(2, emitter_cnpj=SAO_PAULO)) == {5: [code]}
    assert shop.asked("takers.create") >= 1


def test_a_template_that_is_not_there_is_never_made(shop: Workshop):
    assert resolved(
        shop,
        line(1, template_name="Outra coisa"),
        line(2, template_name="Mensalidade Sistem"),
        line(3, template_name=None),
        line(4),
    ) == {5: ["template.unknown"], 6: ["template.near"], 7: ["template.missing"]}
    assert shop.asked("service_values.create") == 0


def test_an_unlike_template_name_lists_all_templates(shop: Workshop):
    reading = shop.reading(line(1, template_name="Outra coisa"))
    shop.run(resolve_rows, reading)
    (row,) = shop.rows(reading)
    names = sorted(each["name"] for each in default_company()["emitters"][0]["service_values"])
    assert row.problems[0].params == {"template": "Outra coisa", "known": ", ".join(names)}


def test_the_nearest_template_is_offered_and_not_taken(shop: Workshop):
    reading = shop.reading(line(1, template_name="Mensalidade Sistem"))
    shop.run(resolve_rows, reading)
    (row,) = shop.rows(reading)
    assert row.problems[0].params == {"template": "Mensalidade Sistem", "near": "Mensalidade Sistema"}


def test_rows_with_a_column_of_plans_get_the_runs_template(shop: Workshop):
    known = line(1).template_name
    plans = [line(number, template_name=name, template_otherwise=known) for number, name in ((1, "Ouro"), (2, "Zinco"))]
    assert resolved(shop, *plans) == {}
    assert decided_codes(shop) == ["template.of_run"] * 2


def test_an_unknown_name_beside_a_template_is_refused_whatever_the_runs_template(shop: Workshop):
    known = line(1).template_name
    rows = [line(3, template_otherwise="Consultoria"), line(4, template_name="Ouro", template_otherwise=known)]
    assert list(resolved(shop, *rows).values()) == [["template.unknown"]]


def test_letter_case_and_accents_make_no_other_template(shop: Workshop):
    reading = shop.reading(
        line(1, template_name="mensalidade  SISTEMA"), line(2, template_name="Mensálidade Sistema"), line(3)
    )
    shop.run(resolve_rows, reading)
    assert len({row.template_id for row in shop.rows(reading)}) == 1
    assert shop.problems(reading) == {}


def test_templates_that_differ_by_letter_case_are_questioned(shop: Workshop):
    double = default_company()["emitters"][0]["service_values"][0] | {"name": "MENSALIDADE SISTEMA"}
    seeded(shop, more_templates=[double])
    assert resolved(shop, line(1, template_name="mensalidade sistema"), line(2)) == {5: ["template.twice"]}


def test_two_templates_of_one_name_are_refused(shop: Workshop):
    double = default_company()["emitters"][0]["service_values"][0]
    seeded(shop, more_templates=[double])
    # The other emitter has a template of that name.
    assert resolved(shop, line(1), line(2, emitter_cnpj=SAO_PAULO)) == {5: ["template.twice"]}


def test_a_template_with_a_rate_that_is_no_number_is_refused(shop: Workshop):
    seeded(shop, template={"iss_percentage": "a few"})
    assert resolved(shop, line(1), line(2, template_name="Consultoria")) == {5: ["template.unreadable"]}


def test_a_taker_that_the_provider_has_is_used_as_it_is(each_shop: Workshop):
    shop = each_shop
    seeded(shop, takers=[known_taker()])
    assert resolved(shop, line(1, taker=taker(1, name="Cadastrado"))) == {}
    assert shop.asked("takers.create", "takers.replace", "takers.update") == 0
    found = stored_taker(shop)
    assert found is not None
    assert found.name == REGISTERED


def test_a_taker_is_created_from_all_that_its_rows_say(shop: Workshop):
    bare = taker(1, street=None, zip_code=None, name=None)
    assert resolved(shop, line(1, taker=bare), line(2, taker=taker(1, emails=("a@b.example",)))) == {}
    _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(1).number}")
    (made,) = found["collection"]
    assert (made["social_reason"], made["address"]["street"]) == ("Tomador 1 Ltda", "Rua das Laranjeiras")
    assert made["contact"]["email"] == "a@b.example"


def test_a_person_is_a_taker_by_cpf(shop: Workshop):
    assert resolved(shop, line(1, taker=taker(1, document=person(1), name="Maria"))) == {}
    _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cpf={person(1).number}")
    assert [made["social_reason"] for made in found["collection"]] == ["Maria"]


def test_a_taker_created_by_another_worker_is_found(shop: Workshop):
    """The look-up finds nothing yet, and then the provider refuses: the taker exists already."""
    seeded(shop, takers=[known_taker()])
    shop.sandbox.faults(fault("takers.list", "altered", fields={"count": 0, "collection": []}))
    assert resolved(shop, line(1)) == {}
    assert (shop.asked("takers.create"), shop.asked("takers.list")) == (1, 2)
    found = stored_taker(shop)
    assert found is not None
    assert found.remote_id == 1


def test_a_creation_without_an_answer_is_looked_up(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("takers.create", "lose_answer"))
    assert resolved(shop, line(1)) == {}
    assert shop.asked("takers.create") == 1


def test_a_creation_that_never_arrived_is_asked_again(shop: Workshop):
    shop.sandbox.faults(fault("takers.create", "reset_before"))
    assert resolved(shop, line(1)) == {}
    assert shop.asked("takers.create") == 2


def test_a_taker_that_cannot_be_created_refuses_its_rows_alone(shop: Workshop):
    shop.sandbox.faults(fault("takers.create", "reset_before", count=3))
    shop.set(NFSE__IN_FLIGHT=1)
    found = resolved(shop, *lines(1), line(9, taker=taker(1)))
    assert found == {5: ["taker.not_created"], 6: ["taker.not_created"]}
    assert shop.asked("takers.create") == 3
    assert resolved(shop, *lines(2)) == {}


def test_an_incomplete_taker_is_completed_by_the_row(shop: Workshop):
    seeded(shop, takers=[known_taker(is_complete=False)])
    bare = {"street": None, "city": None, "city_code": None, "state": None, "zip_code": None}
    parked = line(1, emitter_cnpj=SAO_PAULO, taker=taker(1, **bare))
    assert resolved(shop, parked) == {5: ["taker.incomplete", "taker.missing", "taker.missing"]}
    assert shop.asked("takers.update") == 0
    assert resolved(shop, line(1, emitter_cnpj=SAO_PAULO), line(2)) == {}
    assert shop.asked("takers.update") == 1


def test_a_taker_that_stays_incomplete_is_not_used(shop: Workshop):
    seeded(shop, takers=[known_taker(is_complete=False)])
    shop.sandbox.faults(fault("takers.read", "altered", fields={"is_complete": False}))
    assert resolved(shop, line(1), line(2)) == {5: ["taker.incomplete"]}


def test_a_row_without_a_taker_is_refused(shop: Workshop):
    assert resolved(shop, line(1, taker=taker(1, document=None)), line(2)) == {5: ["taker.no_document"]}


def test_a_taker_without_the_citys_fields_is_not_created(shop: Workshop):
    found = resolved(shop, line(1, taker=taker(1, name=None)), line(2))
    assert found == {5: ["taker.missing"]}
    assert shop.asked("takers.create") == 1


def test_rows_that_contradict_about_a_taker_are_refused(each_shop: Workshop):
    shop = each_shop
    asked = [line(1), line(2, taker=taker(1, name="Outro Nome Ltda")), line(3), line(4, taker=taker(1, name=None))]
    reading = shop.reading(*asked)
    shop.run(resolve_rows, reading)
    found = shop.problems(reading)
    assert found[5] == found[6] == ["taker.conflict"]
    assert 7 not in found
    (problem,) = shop.rows(reading)[0].problems
    assert problem.params == {"fields": "name"}
    assert (problem.where.sheet, problem.where.row) == ("Faturamento", 5)


def test_nothing_disputed_becomes_master_data(shop: Workshop):
    """A third row without the disputed name must not decide between the two."""
    silent = taker(1, name=None)
    assert resolved(shop, line(1), line(2, taker=taker(1, name="Outro Nome Ltda")), line(3, taker=silent)) == {
        5: ["taker.conflict"],
        6: ["taker.conflict"],
        7: ["taker.conflict"],
    }
    assert shop.asked("takers.create") == 0


def test_a_silent_row_is_billed_if_the_provider_knows_the_taker(shop: Workshop):
    seeded(shop, takers=[known_taker()])
    silent = taker(1, name=None)
    found = resolved(shop, line(1), line(2, taker=taker(1, name="Outro Nome Ltda")), line(3, taker=silent))
    assert found == {6: ["taker.name_differs"]}


def test_a_held_row_names_a_registered_company_and_masks_a_person(each_shop: Workshop):
    """A clerk compares the two names; one wrong digit in a CPF must not tell a stranger's name."""
    shop = each_shop
    seeded(shop, takers=[known_taker(), {"cpf": person(1).number, "social_reason": "Zulmira da Rocha"}])
    other = taker(1, document=person(1), name="Ana Conceição")
    reading = shop.reading(line(1, taker=taker(1, name="Outro Nome Ltda")), line(2, taker=other))
    shop.run(resolve_rows, reading)
    found = [row.problems[0].params["registered"] for row in shop.rows(reading)]
    assert found == [REGISTERED, "Zul… da Roc…"]


def test_an_answered_row_is_billed_to_the_registered_customer(shop: Workshop):
    seeded(shop, takers=[known_taker()])
    far = line(1, taker=taker(1, name="Outro Nome Ltda"), answered=["taker.name_differs"])
    assert resolved(shop, far) == {}
    assert decided_codes(shop) == ["taker.name_released"]


def test_a_company_that_invoices_itself_is_billed_once_a_person_says_so(shop: Workshop):
    itself = taker(1, document=Document("cnpj", RIO))
    assert resolved(shop, line(1, taker=itself)) == {5: ["document.of_emitter"]}
    assert resolved(shop, line(1, taker=itself, answered=["document.of_emitter"])) == {}
    assert decided_codes(shop) == ["document.of_emitter_released"]


def test_a_row_that_names_another_emitter_is_held_until_a_person_says_so(shop: Workshop):
    names = [each["social_reason"] for each in default_company()["emitters"]]
    rows = [
        line(1, emitter_name=names[0].upper()),
        line(2, emitter_name="Zyx Ltda"),
        line(3, company_name=names[1]),
        line(4, company_name="Zyx Ltda"),
        line(5, emitter_name="Zyx Ltda", answered=["emitter.name_differs"]),
        line(6, company_name=SAO_PAULO),
    ]
    assert resolved(shop, *rows) == {number: ["emitter.name_differs"] for number in (6, 7, 8, 10)}
    assert decided_codes(shop) == ["emitter.name_released"]
    assert shop.asked("emitters.list") == 2


def test_an_unknown_company_beside_customers_alone_is_not_held(shop: Workshop):
    assert resolved(shop, line(1, company_name="Zyx Ltda"), line(2, company_name="Tomador 2 Ltda")) == {}


def test_a_code_that_does_not_belong_to_its_templates_rate_is_held(shop: Workshop):
    template = default_company()["emitters"][0]["service_values"][0]
    rows = [
        line(1, template_name=template["name"], service_item_code=template["service_item_code"]),
        line(2, template_name=template["name"], service_item_code="1701"),
        line(3, template_name=template["name"], service_item_code="1701", city_tax_code="170101", iss_bp=500),
        line(4, template_name=template["name"], service_item_code="1701", answered=["template.code_differs"]),
    ]
    assert resolved(shop, *rows) == {6: ["template.code_differs"]}
    assert decided_codes(shop) == ["template.code_released", "template.code_of_row", "template.rate_differs"]


def test_two_spellings_and_mailboxes_are_one_customer(shop: Workshop):
    rows = [
        line(1, taker=taker(1, emails=("a@x.example",))),
        line(2, taker=taker(1, name="TOMADOR 1 LTDA - ME", emails=("b@x.example",))),
    ]
    assert resolved(shop, *rows) == {}
    assert decided_codes(shop) == ["taker.spellings", "taker.email_unused"]
    problem = stored_decisions(shop)[0].problem
    assert problem.where.row == 6
    assert problem.params == {"registered": "Tomador 1 Ltda", "others": '"TOMADOR 1 LTDA - ME"'}


def test_a_row_without_a_template_gets_its_customers_last(shop: Workshop):
    shop.assembled(line(1))
    assert resolved(shop, line(1, template_name=None, service_cents=7), line(2, template_name=None)) == {
        6: ["template.missing"]
    }
    assert decided_codes(shop) == ["template.of_last_month"]


def test_names_that_differ_in_letters_case_only_are_no_conflict(shop: Workshop):
    assert resolved(shop, line(1), line(2, taker=taker(1, name="TOMADOR  1 ltda"))) == {}


def test_a_row_gets_all_its_problems_at_once(shop: Workshop):
    (found,) = resolved(shop, line(1, emitter_cnpj=None, template_name=None, taker=taker(1, document=None))).values()
    assert sorted(found) == ["emitter.missing", "taker.no_document", "template.missing"]
