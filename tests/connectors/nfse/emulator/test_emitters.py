"""Emitters and the records of their series."""

import pytest

from tests.sandboxes import RIO, SAO_PAULO

NEW = {
    "email": "a@b.invalid",
    "social_reason": "Nova Ltda",
    "cnpj": "12ABC34501DE35",
    "fancy_name": "Nova",
    "city_inscription": "1",
    "state": "RJ",
    "city": "Rio de Janeiro",
    "neighborhood": "Centro",
    "street": "Rua",
    "number": "1",
    "zip_code": "20000000",
    "phone": "21999990000",
    "certificate": "AAAA",
    "password": "secret",
    "latest_serie": "A",
    "latest_number": 41,
}


def serie(provider, emitter, name):
    status, body, _ = provider.call("GET", f"/api/v1/emitters/{emitter}/series/{name}")
    return (status, body if status != 200 else (body["serie_number"], (body["latest_nfse"] or {}).get("id")))


def test_emitter_is_found_by_cnpj(provider):
    page = provider.get("emitters?cnpj=99000001000101")
    assert page["count"] == 1
    emitter = page["collection"][0]
    assert (emitter["city_code"], emitter["is_active"], emitter["latest_number"]) == (3304557, True, None)
    assert "series" in {link["rel"] for link in emitter["_links"]}


def test_created_emitter_is_active_and_shows_no_secret(provider):
    status, emitter, _ = provider.call("POST", "/api/v1/emitters", NEW)
    assert (status, emitter["is_active"], emitter["ddd"], emitter["street_type"]) == (201, True, 21, "RUA")
    assert not {"certificate", "password", "filename"} & set(emitter)
    status, errors = provider.post("emitters", NEW)
    assert (status, set(errors)) == (422, {"cnpj", "social_reason"})


def test_cnpj_and_latest_number_do_not_change(provider):
    emitter = provider.post("emitters", NEW)[1]
    path = f"/api/v1/emitters/{emitter['id']}"
    changed = provider.call("PATCH", path, {"cnpj": "99000001000101", "latest_number": 1, "email": "n@b.invalid"})[1]
    assert (changed["cnpj"], changed["latest_number"], changed["email"]) == (NEW["cnpj"], 41, "n@b.invalid")
    assert provider.call("PUT", path, changed)[:2] == (200, changed)
    assert provider.call("PUT", path, {"email": "x"})[0] == 422


def test_a_null_clears_a_field_unless_it_is_required(provider):
    emitter = provider.post("emitters", {**NEW, "complement": "Sala 1", "street_type": "AVN"})[1]
    path = f"/api/v1/emitters/{emitter['id']}"
    for empty in (None, ""):
        status, errors, _ = provider.call("PATCH", path, {"email": empty, "password": empty})
        assert (status, set(errors)) == (422, {"email", "password"})
    changed = provider.call("PATCH", path, {"complement": None, "street_type": None})[1]
    assert changed == {**emitter, "complement": None, "street_type": "RUA"}
    whole = {name: value for name, value in emitter.items() if name != "complement"}
    assert provider.call("PUT", path, whole)[1] == {**emitter, "complement": None}


def test_number_used_elsewhere_begins_the_serie(provider):
    emitter = provider.post("emitters", NEW)[1]["id"]
    assert serie(provider, emitter, "A") == (200, ({"serie": "A", "latest_number": 41}, None))
    assert provider.post_note(None, emitter_id=emitter, serie="A")[1]["number"] == 42


def test_unused_serie_is_not_found(provider):
    assert serie(provider, RIO, "F") == (404, {"detail": "Not found"})
    assert provider.get(f"emitters/{RIO}/series") == []


@pytest.mark.parametrize(("counts", "expected"), [("created", 9), ("issued", 5)])
def test_latest_number_follows_the_switch(provider, counts, expected):
    provider.switch(latest_counts=counts)
    provider.post_note(5)
    provider.post_note(9, batch=provider.open_batch())
    status, (record, note) = serie(provider, RIO, "F")
    assert (status, record["latest_number"], note) == (200, expected, {9: 2, 5: 1}[expected])
    assert provider.get(f"emitters/{RIO}")["latest_number"] == expected


def test_deleted_note_leaves_its_number_used(provider):
    batch = provider.filled_batch(2)
    provider.call("DELETE", "/api/v1/nfse/2")
    assert serie(provider, RIO, "F") == (200, ({"serie": "F", "latest_number": 2}, 1))
    assert batch


def test_numeric_series_and_the_list_of_all(provider):
    provider.post_note(3, serie="1")
    provider.post_note(4, emitter=SAO_PAULO)
    assert serie(provider, RIO, "1")[1][0] == {"serie": "1", "latest_number": 3}
    series = provider.get("emitters/series")
    assert [(row["emitter_id"], row["serie_number"]["serie"]) for row in series] == [(RIO, "1"), (SAO_PAULO, "F")]


def test_inactive_emitter_cannot_issue(provider):
    company = {"account": {"id": 1, "name": "A"}, "emitters": [NEW | {"is_active": False}]}
    provider.control("seed", company)
    assert list(provider.post_note(1)[1]) == ["emitter_id"]


def test_an_emitter_with_a_batch_cannot_be_removed(provider):
    emitter = provider.post("emitters", NEW)[1]["id"]
    batch = provider.open_batch(emitter)
    status, errors, _ = provider.call("DELETE", f"/api/v1/emitters/{emitter}")
    assert (status, list(errors)) == (422, ["emitter"])
    assert provider.get(f"batches/{batch}")["emitter_id"] == emitter


def test_place_changes_in_production_only(provider):
    emitter = provider.post("emitters", NEW | {"environment": "production"})[1]
    path = f"/api/v1/emitters/{emitter['id']}"
    assert emitter["environment"] == "sandbox"
    assert provider.call("PUT", path, emitter | {"city": "São Paulo", "state": "SP"})[1]["city"] == "Rio de Janeiro"
    provider.switch(production="yes")
    moved = provider.call("PATCH", path, {"city": "São Paulo", "state": "SP", "environment": "production"})[1]
    assert (moved["city_code"], moved["environment"]) == (3550308, "production")
