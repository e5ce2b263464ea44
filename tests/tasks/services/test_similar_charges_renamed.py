"""A template that is renamed, created again, or swaps its name with another one is still compared with its invoices."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from connectors.ledger import parties
from domain.corrections.answers import can_release
from tests.tasks.rows import RIO, line, lines
from tests.tasks.workshop import Workshop

OLD: Final = "Mensalidade Sistema"
OTHER: Final = "Consultoria"
NEW: Final = "Plano Mensal"
SWAPPED: Final[Mapping[str, Any]] = {"answered": ["template.swapped"]}
_PATH: Final = "/api/v1/service-values"


def template(shop: Workshop, name: str) -> dict[str, Any]:
    """Return the first emitter's template of this name at the provider."""
    _, found, _ = shop.sandbox.call("GET", f"{_PATH}?emitter_id=1&limit=100")
    (remote_id,) = [each["id"] for each in found["collection"] if each["name"] == name]
    body: dict[str, Any] = shop.sandbox.call("GET", f"{_PATH}/{remote_id}")[1]
    return body


def rename(shop: Workshop, *changes: tuple[str, str]) -> None:
    """Rename templates at the provider, one after the other."""
    for old, new in changes:
        status, _, _ = shop.sandbox.call("PATCH", f"{_PATH}/{template(shop, old)['id']}", {"name": new})
        assert status == 200


def recreate(shop: Workshop, name: str) -> None:
    """Delete a template at the provider and create one with the same name and content."""
    body = template(shop, name)
    remote_id = body.pop("id")
    status, _, _ = shop.sandbox.call("DELETE", f"{_PATH}/{remote_id}")
    assert status == 204
    create(shop, body | {"emitter_id": 1})


def create(shop: Workshop, body: dict[str, Any]) -> None:
    status, made, _ = shop.sandbox.call("POST", _PATH, body)
    assert status == 201, made


def problems(shop: Workshop, *asked, **options) -> dict[int, list[str]]:
    return shop.problems(shop.assembled(*asked, **options)[0])


def test_a_renamed_templates_charges_have_their_invoices(each_shop: Workshop):
    shop = each_shop
    shop.assembled(*lines(3))
    rename(shop, (OLD, NEW))
    reading, batches = shop.assembled(*reversed(lines(3, template_name=NEW)), line(4, template_name=NEW))
    found = {row: ["row.living"] for row in (5, 6, 7)}
    assert (shop.problems(reading), [shop.batch(batch).count for batch in batches]) == (found, [1])
    assert shop.rows(reading)[0].problems[0].params == {"serie": "F", "number": 3}
    rename(shop, (NEW, "Plano"))
    # the second name was billed too: every former name counts
    assert problems(shop, *lines(4, template_name="Plano")) == {row: ["row.living"] for row in range(5, 9)}


def test_a_changed_charge_of_a_renamed_template_is_held(each_shop: Workshop):
    shop = each_shop
    shop.assembled(*lines(3))
    rename(shop, (OLD, NEW))
    changed = {"template_name": NEW, "service_cents": 9}
    assert problems(shop, line(1, **changed)) == {5: ["row.similar_living"]}
    assert problems(shop, line(1, **changed), *lines(2, first=2, template_name=NEW)) == {
        5: ["row.file_question"],
        6: ["row.living"],
        7: ["row.living"],
    }
    assert problems(shop, line(1, **changed, own_key="B-7")) == {}


def test_the_former_name_is_answered_with_the_present_one(each_shop: Workshop):
    shop = each_shop
    shop.assembled(line(1))
    rename(shop, (OLD, NEW))
    reading, _ = shop.assembled(line(1, template_name="mensalidade  SISTEMA"))
    (problem,) = shop.rows(reading)[0].problems
    assert (problem.code, problem.params) == ("template.renamed", {"template": "mensalidade  SISTEMA", "now": NEW})


def test_templates_that_swap_their_names_bill_nothing_again(each_shop: Workshop):
    shop = each_shop
    shop.assembled(line(1), line(2, template_name=OTHER))
    rename(shop, (OLD, NEW), (OTHER, OLD), (NEW, OTHER))
    # the same names, and the names of the same templates
    for names in ((OLD, OTHER), (OTHER, OLD)):
        asked = [line(number, template_name=name, **SWAPPED) for number, name in enumerate(names, start=1)]
        assert problems(shop, *asked) == {5: ["row.living"], 6: ["row.living"]}
        changed = [replace(each, service_cents=9) for each in asked]
        assert problems(shop, *changed) == {5: ["row.similar_living"], 6: ["row.similar_living"]}


@pytest.mark.parametrize("name", [OLD, NEW])
def test_a_new_template_with_a_former_name_bills_nothing_again(each_shop: Workshop, name: str):
    """The old template lives on as NEW; another one has its former name."""
    shop = each_shop
    shop.assembled(line(1))
    body = template(shop, OLD)
    rename(shop, (OLD, NEW))
    del body["id"]
    create(shop, body | {"emitter_id": 1})
    assert problems(shop, line(1, template_name=name, **SWAPPED)) == {5: ["row.living"]}
    assert problems(shop, line(1, template_name=name, service_cents=9, **SWAPPED)) == {5: ["row.similar_living"]}


def test_swapped_names_are_asked_about_until_one_is_billed(shop: Workshop):
    shop.assembled(line(1), line(2, template_name=OTHER))
    rename(shop, (OLD, NEW), (OTHER, OLD), (NEW, OTHER))
    reading, _ = shop.assembled(line(3), line(4, template_name=OTHER))
    assert shop.problems(reading) == {5: ["template.swapped"], 6: ["template.swapped"]}
    assert shop.rows(reading)[0].problems[0].params == {"template": OLD, "now": OTHER}
    assert can_release(["template.swapped"])
    assert problems(shop, line(3, **SWAPPED)) == {}
    assert problems(shop, line(5), line(6, template_name=OTHER)) == {6: ["template.swapped"]}


def test_a_template_that_is_created_again_is_the_same_one(each_shop: Workshop):
    shop = each_shop
    shop.assembled(*lines(2))
    recreate(shop, OLD)
    assert problems(shop, line(1)) == {5: ["row.living"]}
    assert problems(shop, line(1, service_cents=9)) == {5: ["row.similar_living"]}
    rename(shop, (OLD, NEW))
    assert problems(shop, line(2, template_name=NEW)) == {5: ["row.living"]}


def test_another_template_is_another_charge(shop: Workshop):
    shop.assembled(line(1))
    rename(shop, (OLD, NEW))
    assert problems(shop, line(1, template_name=OTHER, service_cents=9)) == {}


def test_an_invoice_keeps_the_name_that_it_was_billed_under(each_shop: Workshop):
    shop = each_shop
    _, (batch,) = shop.assembled(line(1))
    rename(shop, (OLD, NEW))
    shop.assembled(line(2, template_name=NEW))
    (note,) = shop.notes(batch)
    assert note.template_id is not None
    assert shop.read(parties.templates_by_ids, [note.template_id])[note.template_id].name == OLD
    emitter = shop.read(parties.emitter_by_cnpj, RIO, "nfse")
    assert emitter is not None
    names = [each.name for each in shop.read(parties.templates_of, emitter.id)]
    assert NEW in names
    assert OLD not in names
