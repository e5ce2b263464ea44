"""Answers about a note in its later life: replaced, being cancelled, filtered by amount or name."""

import pytest

from tests.sandboxes import RIO, SAO_PAULO


def replacing(number, serie="F"):
    return {"number": number, "serie": serie, "rps_type": 1}


def test_a_replaced_note_ends_when_the_new_one_is_accepted(provider):
    first = provider.post_note(1)[1]["id"]
    status, second = provider.post_note(2, substitute_rps=replacing(1))
    assert (status, second["substitute_rps"]) == (202, replacing(1))
    assert provider.get(f"nfse/{second['id']}")["status"] == "accepted"
    assert provider.get(f"nfse/{first}")["status"] == "cancelled"
    assert provider.violations() == []


def test_a_rejected_replacement_replaces_nothing(provider):
    first = provider.post_note(1)[1]["id"]
    second = provider.post_note(2, substitute_rps=replacing(1), service_values={"service_item_code": "17"})[1]["id"]
    assert [provider.get(f"nfse/{note}")["status"] for note in (second, first)] == ["rejected", "accepted"]


@pytest.mark.parametrize("asked", [replacing(99), replacing(1, "Z")])
def test_a_replacement_of_an_unknown_number_is_refused(provider, asked):
    provider.post_note(1)
    status, errors = provider.post_note(2, substitute_rps=asked)
    assert (status, list(errors["substitute_rps"])) == (422, ["number"])


def test_another_emitters_number_is_not_replaced(provider):
    provider.post_note(1)
    status, errors = provider.post_note(2, emitter=SAO_PAULO, substitute_rps=replacing(1))
    assert (status, list(errors)) == (422, ["substitute_rps"])


def test_a_note_that_waits_in_a_batch_cannot_be_replaced(provider):
    provider.post_note(1, batch=provider.open_batch())
    assert provider.post_note(2, substitute_rps=replacing(1))[0] == 422


def test_only_the_xml_is_there_while_a_note_is_being_cancelled(provider):
    provider.post_note(1)
    provider.switch(advance="looks", advance_looks=9)
    (note,) = provider.get("nfse")["collection"]
    address = f"{provider.base_url}/api/v1/nfse/{note['id']}"
    status, answer = provider.post(f"nfse/{note['id']}/cancel")
    assert (status, answer["status"]) == (202, "cancelling")
    assert (answer["pdf_url"], answer["mirror_url"], answer["xml_url"]) == (None, None, f"{address}/xml")


def test_notes_are_found_by_amount_name_and_batch(provider):
    batch = provider.open_batch()
    taker = {"cnpj": "99ABC001000157", "social_reason": "Tomador Ltda"}
    provider.post_note(1, batch=batch, service_values={"service_amount": "90.00"}, taker=taker)
    provider.post_note(2, batch=batch, service_values={"service_amount": "1000.00"})
    provider.post_note(3, emitter=RIO, service_values={"service_amount": "100.00"})

    def numbers(query):
        return sorted(note["number"] for note in provider.get(f"nfse?{query}")["collection"])

    assert numbers("service_amount_gte=100") == [2, 3]
    assert numbers("service_amount_lte=100.00") == [1, 3]
    assert numbers("service_amount=90") == [1]
    assert numbers("nfse_liquid_amount_gte=100&nfse_liquid_amount_lte=999.99") == [3]
    assert numbers("taker_social_reason=Tomador%20Ltda") == [1]
    assert numbers(f"batch_id={batch}") == [1, 2]


@pytest.mark.parametrize("template", ["", None])
def test_an_empty_template_id_means_none(provider, template):
    assert provider.post_note(1, service_values={"id": template})[0] == 202
