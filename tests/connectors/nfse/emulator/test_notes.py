"""Notes: acceptable content, the waiting place, and the fate of their numbers."""

import pytest

from tests.sandboxes import RIO, SAO_PAULO


def test_note_joins_its_batch_and_waits(provider):
    batch = provider.open_batch()
    status, note = provider.post_note(1, batch=batch)
    assert (status, note["status"], note["batch_id"], note["is_complete"]) == (201, "created", batch, True)
    assert "batch" in {link["rel"] for link in note["_links"]}
    assert provider.get(f"nfse/{note['id']}")["status"] == "created"
    assert not provider.record()["notes"][0]["was_sent"]


def test_complete_note_without_batch_is_issued_at_once(provider):
    status, note = provider.post_note(1)
    assert (status, note["status"]) == (202, "processing")
    history = provider.get(f"nfse/{note['id']}/history")["collection"]
    assert [entry["to_status"] for entry in history][:3] == ["created", "scheduled", "processing"]
    assert {entry["token"] for entry in history} == {"********"}
    assert provider.get(f"nfse/{note['id']}")["status"] == "accepted"


def test_switch_ignores_batch_id(provider):
    provider.switch(batch_id="ignore")
    batch = provider.open_batch()
    status, note = provider.post_note(1, batch=batch)
    assert (status, note["status"], note["batch_id"]) == (202, "processing", None)
    assert provider.record()["notes"][0]["asked_batch_id"] == batch


def test_incomplete_note_waits_for_its_completion(provider):
    status, note, _ = provider.call("POST", "/api/v1/nfse", {"emitter_id": RIO, "allow_incomplete": True})
    assert (status, note["status"], note["is_complete"], note["taker"]) == (201, "created", False, None)
    values = note["service_values"]
    assert (values["service_amount"], values["deduction_amount"]) == (None, "0.00")
    assert {"update", "partial_update"} <= {link["rel"] for link in note["_links"]}
    path = f"/api/v1/nfse/{note['id']}"
    assert (
        provider.call("PATCH", path, {"serie": "F", "service_values": {"service_amount": 10}})[1]["is_complete"]
        is False
    )
    full = {"emission_date": "2026-11-20T10:00:00Z", "number": 7}
    more = {"iss_percentage": 5, "service_item_code": "1701", "city_tax_code": "170101", "description": "x"}
    status, note, _ = provider.call("PATCH", path, full | {"service_values": more})
    assert (status, note["is_complete"], note["number"]) == (200, True, 7)
    assert note["service_values"]["iss_amount"] == "0.50"
    assert provider.get(f"nfse/{note['id']}")["status"] == "accepted"
    assert provider.violations() == []
    assert provider.call("PUT", path, full)[0] == 405


def test_every_failing_field_is_named_at_once(provider):
    status, errors = provider.post_note(
        1,
        serie="TOO-LONG",
        emission_date="yesterday",
        taker_id=99,
        rps_situation="T",
        service_values={"service_amount": "x"},
    )
    assert status == 422
    assert set(errors) == {"serie", "emission_date", "taker", "rps_situation", "service_values"}
    assert set(errors["service_values"]) == {"service_amount"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"emitter_id": 99}, "emitter_id"),
        ({"emitter_id": None}, "emitter_id"),
        ({"taker_id": 99}, "taker"),
        ({"batch": 99}, "batch_id"),
        ({"number": 10**10}, "number"),
        ({"other_informations": "x" * 256}, "other_informations"),
        ({"service_values": {"city_tax_code": None}}, "service_values"),
    ],
)
def test_refused_field(provider, changes, field):
    number = changes.pop("number", 1)
    status, errors = provider.post_note(number, **changes)
    assert (status, list(errors)) == (422, [field])


def test_unknown_template_is_a_list_of_messages(provider):
    status, errors = provider.post_note(1, service_values={"id": 99})
    assert status == 422
    assert isinstance(errors["service_values"], list)


def test_template_supplies_what_is_missing(provider):
    template = provider.get("service-values?emitter_id=1&name=Consultoria")["collection"][0]
    body = {"emitter_id": RIO, "serie": "F", "emission_date": "2026-11-20T10:00:00"}
    status, note = provider.post("nfse", body | {"service_values": {"id": template["id"], "service_amount": 1000}})
    assert status == 202
    assert note["service_values"]["nfse_liquid_amount"] == "938.50"
    assert note["service_values"]["service_item_code"] == "1701"
    assert note["number"] == 1


def test_defaults_are_by_city(provider):
    rio = provider.post_note(1)[1]
    assert (rio["rps_type"], rio["rps_situation"], rio["operation_nature"], rio["special_regime"]) == (1, 1, 1, None)
    assert rio["service_values"]["city_code"] == 3304557
    paulista = provider.post_note(1, emitter=SAO_PAULO, operation_nature=1)[1]
    assert (paulista["rps_type"], paulista["rps_situation"], paulista["operation_nature"]) == ("RPS", "T", None)


def test_sao_paulo_wants_the_takers_city_and_state(provider):
    taker = {"cnpj": "99ABC001000157", "social_reason": "Tomador", "address": {"street": "Rua"}}
    status, errors = provider.post_note(1, emitter=SAO_PAULO, taker=taker)
    assert status == 422
    assert set(errors["taker"]["address"][0]) == {"state", "city"}
    taker["address"] = {"state": "SP", "city": "São Paulo"}
    assert provider.post_note(1, emitter=SAO_PAULO, taker=taker)[0] == 202


def test_wrong_inline_taker_nests_as_a_list_with_one_object(provider):
    taker = {"cnpj": "99ABC001000158", "social_reason": "T", "address": {"state": "RIO"}}
    _, errors = provider.post_note(1, taker=taker)
    assert set(errors["taker"]) == {"cnpj", "address"}
    assert set(errors["taker"]["address"][0]) == {"state"}


def test_instants_come_back_in_utc_and_decimals_as_text(provider):
    note = provider.post_note(1, emission_date="2026-11-30T22:30:00", service_values={"service_amount": 99.99})[1]
    assert note["emission_date"] == "2026-12-01T01:30:00Z"
    assert (note["service_values"]["service_amount"], note["service_values"]["iss_amount"]) == ("99.99", "4.99")


def test_competence_may_come_back_as_an_instant(provider):
    assert provider.post_note(1)[1]["competence"] == "2026-11-01"
    provider.switch(competence_shape="datetime")
    assert provider.get("nfse/1")["competence"] == "2026-11-01T00:00:00Z"


def test_delete_only_while_created(provider):
    batch = provider.filled_batch(2)
    assert provider.call("DELETE", "/api/v1/nfse/1")[:2] == (204, None)
    assert provider.call("GET", "/api/v1/nfse/1")[:2] == (404, {"detail": "Not found"})
    assert provider.get(f"batches/{batch}")["properties"]["total"] == 1
    assert provider.post(f"batches/{batch}/send")[0] == 202
    status, errors, _ = provider.call("DELETE", "/api/v1/nfse/2")
    assert (status, list(errors)) == (422, ["rps"])
    assert [note["is_deleted"] for note in provider.record()["notes"]] == [True, False]


def test_cancel_an_accepted_note(provider):
    provider.post_note(1)
    provider.get("nfse/1")
    status, shown = provider.post("nfse/1/cancel")
    assert (status, shown["status"]) == (202, "cancelling")
    assert "service_values" not in shown
    assert provider.get("nfse/1/status")["status"] == "cancelled"
    assert provider.post("nfse/1/cancel")[0] == 422


def test_city_may_refuse_a_cancellation(provider):
    provider.switch(cancellation="refuse")
    provider.post_note(1)
    provider.get("nfse/1")
    provider.post("nfse/1/cancel")
    shown = provider.get("nfse/1/status")
    assert (shown["status"], shown["errors"][0]["code"]) == ("accepted", "E79")
    assert shown["errors"] == shown["nfse_errors"]


def test_document_urls_redirect_once_documents_exist(provider):
    batch = provider.filled_batch(1)
    status, body, headers = provider.call("GET", "/api/v1/nfse/1/pdf")
    assert (status, body, headers["content-type"]) == (404, None, "text/html")
    provider.post(f"batches/{batch}/send")
    for kind in ("pdf", "xml", "mirror"):
        status, body, headers = provider.call("GET", f"/api/v1/nfse/1/{kind}")
        assert (status, body) == (302, None)
        assert headers["location"].startswith(provider.base_url)


def test_same_number_again_is_accepted_but_recorded(provider):
    batch = provider.open_batch()
    provider.post_note(5, batch=batch)
    assert provider.post_note(5, batch=batch)[0] == 201
    assert provider.post_note(5, batch=batch, competence="2026-10-01")[0] == 201
    first, second = provider.record()["violations"]
    assert (first["kind"], first["has_same_content"], second["has_same_content"]) == ("duplicate_rps", True, False)
    assert provider.post(f"batches/{batch}/send")[0] == 202
    assert provider.violations().count("issued_twice") == 2


def test_deleted_numbers_are_used_numbers(provider):
    batch = provider.open_batch()
    provider.post_note(5, batch=batch)
    provider.call("DELETE", "/api/v1/nfse/1")
    provider.post_note(5, batch=batch)
    assert provider.record()["violations"][0]["earlier"] == [{"id": 1, "status": "created", "is_deleted": True}]


def test_switch_refuses_the_same_number(provider):
    provider.switch(duplicate_rps="refuse")
    batch = provider.open_batch()
    provider.post_note(5, batch=batch)
    status, errors = provider.post_note(5, batch=batch)
    assert (status, list(errors)) == (422, ["number"])
    assert provider.record()["violations"][0]["was_refused"]
    assert len(provider.record()["notes"]) == 1


def test_switch_refuses_a_gap(provider):
    provider.switch(gap="refuse")
    assert provider.post_note(5)[0] == 202
    assert provider.post_note(6)[0] == 202
    status, errors = provider.post_note(8)
    assert (status, list(errors)) == (422, ["number"])


@pytest.mark.parametrize(
    ("attach", "expected"), [("refuse", (422, None)), ("created", (201, "created")), ("scheduled", (201, "scheduled"))]
)
def test_attaching_after_the_send(provider, attach, expected):
    provider.switch(attach_after_send=attach, advance="looks", advance_looks=100)
    batch = provider.filled_batch(1)
    provider.post(f"batches/{batch}/send")
    status, body = provider.post_note(2, batch=batch)
    assert (status, body.get("status")) == expected
    assert provider.violations() == ([] if attach == "refuse" else ["attached_after_send"])


def test_nothing_joins_a_processed_batch(provider):
    batch = provider.filled_batch(1)
    provider.post(f"batches/{batch}/send")
    assert provider.get(f"batches/{batch}")["status"] == "processed"
    status, errors = provider.post_note(2, batch=batch)
    assert (status, list(errors)) == (422, ["batch_id"])


def test_nothing_joins_another_emitters_batch(provider):
    batch = provider.open_batch(SAO_PAULO)
    assert provider.post_note(1, batch=batch)[0] == 422


def test_notes_are_filtered_and_paged(provider):
    batch = provider.filled_batch(12)
    provider.post_note(1, emitter=SAO_PAULO)
    page = provider.get(f"batches/{batch}/nfse?status=created")
    assert (page["count"], len(page["collection"]), page["previous"]) == (12, 10, None)
    assert page["next"] == f"{provider.base_url}/api/v1/batches/{batch}/nfse?status=created&page=2"
    rest = provider.call("GET", page["next"])[1]
    assert (len(rest["collection"]), rest["next"]) == (2, None)
    ids = [note["id"] for note in page["collection"] + rest["collection"]]
    assert ids == sorted(ids, reverse=True)
    assert provider.call("GET", f"/api/v1/batches/{batch}/nfse?page=3")[0] == 404
    assert [note["number"] for note in provider.get("nfse?number=7")["collection"]] == [7]
    assert provider.get("nfse?serie=F&emitter_id=2")["count"] == 1


@pytest.mark.parametrize(("copied", "name"), [("yes", "Antes"), ("no", "Depois")])
def test_taker_is_copied_by_switch(provider, copied, name):
    provider.switch(taker_copied=copied)
    taker = {"cnpj": "99ABC001000157", "social_reason": "Antes"}
    taker_id = provider.post("takers", taker)[1]["id"]
    provider.post_note(1, taker_id=taker_id)
    assert provider.call("PATCH", f"/api/v1/takers/{taker_id}", {"social_reason": "Depois"})[0] == 200
    assert provider.get("nfse/1")["taker"]["social_reason"] == name


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize(
    ("name", "value"), [("taker", "x"), ("taker", []), ("substitute_rps", 7), ("service_values", "x")]
)
def test_a_part_that_is_no_object_is_refused(provider, method, name, value):
    note = provider.post("nfse", {"emitter_id": RIO, "allow_incomplete": True})[1]["id"]
    full = {"serie": "F", "emission_date": "2026-11-20T10:00:00Z", "service_values": {}}
    status, errors, _ = provider.call(method, f"/api/v1/nfse/{note}", full | {name: value})
    assert status == 422
    assert name in errors
    assert name in provider.post("nfse", full | {"emitter_id": RIO, name: value})[1]


def test_an_incomplete_note_stays_its_emitters(provider):
    note = provider.post("nfse", {"emitter_id": RIO, "allow_incomplete": True})[1]["id"]
    changed = provider.call("PATCH", f"/api/v1/nfse/{note}", {"emitter_id": SAO_PAULO, "serie": "F"})[1]
    assert (changed["emitter_id"], changed["serie"], changed["rps_type"]) == (RIO, "F", 1)


def test_a_note_completed_in_its_batch_waits_there(provider):
    batch = provider.open_batch()
    note = provider.post("nfse", {"emitter_id": RIO, "allow_incomplete": True, "batch_id": batch})[1]["id"]
    more = {"iss_percentage": 5, "service_item_code": "1701", "city_tax_code": "170101", "description": "x"}
    full = {"serie": "F", "emission_date": "2026-11-20T10:00:00Z", "service_values": {"service_amount": 10, **more}}
    status, shown, _ = provider.call("PUT", f"/api/v1/nfse/{note}", full)
    assert (status, shown["status"], shown["is_complete"], shown["number"]) == (200, "created", True, 1)
    provider.post(f"batches/{batch}/send")
    assert provider.get(f"nfse/{note}")["status"] == "accepted"


def test_another_taker_may_be_named_while_a_note_is_incomplete(provider):
    first, second = (
        provider.post("takers", {"cpf": cpf, "social_reason": "Ana"})[1]["id"] for cpf in ("00000000191", "99000000130")
    )
    note = provider.post("nfse", {"emitter_id": RIO, "allow_incomplete": True, "taker_id": first})[1]["id"]
    path = f"/api/v1/nfse/{note}"
    assert provider.call("PATCH", path, {"taker_id": second})[1]["taker"]["cpf"] == "99000000130"
    inline = {"cnpj": "99ABC001000157", "social_reason": "Outro"}
    assert provider.call("PATCH", path, {"taker": inline})[1]["taker"]["cnpj"] == "99ABC001000157"
    assert provider.call("PATCH", path, {"serie": "F"})[1]["taker"]["cnpj"] == "99ABC001000157"
