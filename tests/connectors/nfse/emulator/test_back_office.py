"""A person in the provider's web page, and the record for a checker."""

import pytest

from tests.sandboxes import RIO


def refused(provider, verb, body):
    status, answer, _ = provider.call("POST", f"/_sandbox/{verb}", body)
    assert status == 400
    return answer["detail"]


def test_person_sends_a_batch(provider):
    batch = provider.filled_batch(1)
    assert provider.control("act", {"do": "send", "batch_id": batch}) == {"batch_id": batch}
    assert provider.get(f"batches/{batch}")["status"] == "processed"


def test_person_cancels_a_batch_and_a_note(provider):
    batch = provider.filled_batch(1)
    provider.control("act", {"do": "cancel_batch", "batch_id": batch})
    provider.post_note(2)
    provider.get("nfse/2")
    provider.control("act", {"do": "cancel", "note_id": 2})
    assert [note["status"] for note in provider.record()["notes"]] == ["cancelled", "cancelled"]


def test_person_deletes_and_edits_notes(provider):
    batch = provider.filled_batch(2)
    provider.control("act", {"do": "delete", "note_id": 1})
    edit = {"do": "edit", "note_id": 2, "fields": {"competence": "2026-10-01"}}
    provider.control("act", edit | {"service_values": {"service_amount": "10.00"}})
    notes = provider.get(f"batches/{batch}/nfse")["collection"]
    assert [(note["id"], note["competence"]) for note in notes] == [(2, "2026-10-01")]
    values = notes[0]["service_values"]
    assert (values["service_amount"], values["iss_amount"], values["nfse_liquid_amount"]) == ("10.00", "0.50", "10.00")


def test_person_adds_a_note(provider):
    batch = provider.filled_batch(2)
    assert provider.control("act", {"do": "add", "batch_id": batch}) == {"note_id": 3}
    provider.control("act", {"do": "add", "note_id": 1, "serie": "X", "number": 77})
    numbers = [(note["serie"], note["number"]) for note in provider.record()["notes"]]
    assert numbers == [("F", 1), ("F", 2), ("F", 3), ("X", 77)]
    assert provider.get(f"batches/{batch}")["properties"]["created"] == 4


def test_person_acts_in_the_middle_of_the_posting(provider):
    provider.switch(advance="looks")
    provider.faults({"operation": "notes.create", "kind": "act", "after": 1, "act": {"do": "send"}})
    batch = provider.open_batch()
    statuses = [provider.post_note(number, batch=batch)[1]["status"] for number in (1, 2, 3)]
    assert statuses == ["created", "created", "scheduled"]
    assert provider.violations() == ["attached_after_send"]


def test_person_decides_what_a_city_will_say(provider):
    batch = provider.filled_batch(3)
    provider.control("act", {"do": "reject", "note_id": 1, "code": "E987"})
    provider.control("act", {"do": "reject", "note_id": 2, "code": "E1", "description": "Porque sim."})
    provider.post(f"batches/{batch}/send")
    first, second, third = (provider.get(f"nfse/{note}") for note in (1, 2, 3))
    assert [note["status"] for note in (first, second, third)] == ["rejected", "rejected", "accepted"]
    assert first["errors"][0]["description"].startswith("Inscrição municipal")
    assert second["errors"] == [{"code": "E1", "description": "Porque sim.", "tip": ""}]
    assert refused(provider, "act", {"do": "reject", "note_id": 3, "code": "E30"})
    assert refused(provider, "act", {"do": "reject", "note_id": 3})


def test_an_accepted_note_goes_to_its_taker_on_request(provider):
    taker = {"cpf": "00000000191", "social_reason": "Ana", "contact": {"email": "ana@exemplo.invalid"}}
    batch = provider.open_batch(RIO)
    provider.post_note(1, taker=taker, send_nfse_taker=True)
    provider.post_note(2, taker=taker)
    provider.post_note(3, taker=taker, send_nfse_taker=True, batch=batch)
    provider.get("nfse/1")
    assert [note["mailed_to"] for note in provider.record()["notes"]] == ["ana@exemplo.invalid", None, None]


@pytest.mark.parametrize(
    "asked", [{}, {"do": "dance"}, {"do": "send"}, {"do": "send", "batch_id": 9}, {"do": "edit", "note_id": 9}]
)
def test_acts_that_cannot_be(provider, asked):
    assert refused(provider, "act", asked)


def test_a_person_cannot_do_what_the_provider_refuses(provider):
    assert "422" in refused(provider, "act", {"do": "send", "batch_id": provider.open_batch()})


def test_record_is_small_until_more_is_asked_for(provider):
    batch = provider.filled_batch(1)
    small = provider.record()
    assert not {"requests", "note_history", "batch_history"} & set(small)
    assert small["requests_by_operation"] == {"batches.create": 1, "notes.create": 1}
    note = small["notes"][0]
    assert (note["emitter_cnpj"], note["batch_id"], note["serie"], note["number"]) == ("99000001000101", batch, "F", 1)
    assert (note["status"], note["service_values"]["service_amount"]) == ("created", "1000.00")
    whole = provider.record(requests=True, history=True)
    assert [request["operation"] for request in whole["requests"]] == ["batches.create", "notes.create"]
    assert whole["requests"][1]["subject"] == "note 1 F/1"
    assert [(entry["from_status"], entry["to_status"]) for entry in whole["note_history"]] == [(None, "created")]


def test_refused_requests_are_recorded_too(provider):
    provider.post("nfse", {"emitter_id": RIO})
    provider.call("GET", "/api/v1/nowhere")
    assert [(r["operation"], r["status"]) for r in provider.record(requests=True)["requests"]] == [
        ("notes.create", 422),
        ("unknown", 404),
    ]
