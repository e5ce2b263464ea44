"""Takers: unique by document, and usable only if complete."""

import pytest

CNPJ = "99ABC001000157"
FULL = {
    "cnpj": CNPJ,
    "social_reason": "Tomador Ltda",
    "address": {"street": "Rua", "zip_code": 1310100, "number": 12, "state": "SP"},
    "contact": {"email": "a@b.invalid"},
}


def test_created_taker_has_its_defaults(provider):
    status, taker, headers = provider.call("POST", "/api/v1/takers", FULL)
    assert status == 201
    assert headers["location"] == f"{provider.base_url}/api/v1/takers/{taker['id']}"
    assert (taker["is_complete"], taker["special_situation"], taker["account_id"]) == (True, 0, 1)
    address = taker["address"]
    assert (address["zip_code"], address["number"], address["country"]) == ("01310100", "12", "Brasil")
    assert (address["street_type"], address["neighborhood_type"]) == ("RUA", "RED")
    assert "allow_incomplete" not in taker


@pytest.mark.parametrize(
    "changes",
    [
        {"state_inscription": "ISENTO"},
        {"state_inscription": "isenta"},
        {"state_inscription": "110.042.490.114"},
        {"state_inscription": "P-01100424.3/002"},
        {"state_inscription": ""},
        {"contact": {"phone": "32272144", "ddd": 54}},
        {"contact": {"phone": "(21) 99999-0000"}},
        {"contact": {"phone": ""}},
        {"address": {"street_type": "AVN", "neighborhood_type": "COM"}},
    ],
)
def test_usual_ways_of_writing_are_accepted(provider, changes):
    assert provider.call("POST", "/api/v1/takers", FULL | changes)[0] == 201


def test_address_and_contact_are_null_when_absent(provider):
    taker = provider.post("takers", {"cpf": "000.000.001-91", "social_reason": "Pessoa"})[1]
    assert (taker["cpf"], taker["address"], taker["contact"]) == ("00000000191", None, None)


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"cnpj": None}, {"cpf", "cnpj"}),
        ({"cpf": "00000000191"}, {"cpf", "cnpj"}),
        ({"cnpj": "99ABC001000158"}, {"cnpj"}),
        ({"social_reason": "x" * 121, "special_situation": 6}, {"social_reason", "special_situation"}),
        ({"address": {"state": "SPX"}, "contact": {"phone": "1" * 16}}, {"address", "contact"}),
        ({"address": {"street_type": "AVENIDA"}}, {"address"}),
        ({"address": {"neighborhood_type": "res"}}, {"address"}),
        ({"contact": {"phone": "liga 21"}}, {"contact"}),
        ({"contact": {"phone": "1234567"}}, {"contact"}),
        ({"state_inscription": "a confirmar"}, {"state_inscription"}),
    ],
)
def test_refused_taker(provider, changes, fields):
    status, errors = provider.post("takers", FULL | changes)
    assert (status, set(errors)) == (422, fields)


def test_errors_of_the_address_nest_as_a_list_with_one_object(provider):
    errors = provider.post("takers", FULL | {"address": {"state": "SPX", "zip_code": "x"}})[1]
    assert [set(part) for part in errors["address"]] == [{"state", "zip_code"}]


def test_incomplete_taker_is_of_no_use_until_completed(provider):
    taker = provider.post("takers", {"social_reason": "Só o nome", "allow_incomplete": True})[1]
    assert not taker["is_complete"]
    assert list(provider.post_note(1, taker_id=taker["id"])[1]) == ["taker"]
    changed = provider.call("PATCH", f"/api/v1/takers/{taker['id']}", {"cnpj": CNPJ})[1]
    assert changed["is_complete"]
    assert provider.post_note(1, taker_id=taker["id"])[0] == 202


def test_document_is_unique_however_written(provider):
    provider.post("takers", FULL)
    status, errors = provider.post("takers", FULL | {"cnpj": "99.abc.001/0001-57"})
    assert (status, list(errors)) == (422, ["cnpj"])


def test_filters_are_exact(provider):
    provider.post("takers", FULL)
    assert provider.get(f"takers?cnpj={CNPJ}")["count"] == 1
    assert provider.get(f"takers?cnpj={CNPJ[:8]}")["count"] == 0
    assert provider.get("takers?social_reason=Tomador")["count"] == 0
    assert provider.get("takers?cpf=00000000191")["count"] == 0


def test_whole_resource_may_be_sent_back(provider):
    taker = provider.post("takers", FULL)[1]
    assert provider.call("PUT", f"/api/v1/takers/{taker['id']}", taker)[:2] == (200, taker)


def test_patch_keeps_the_rest_of_the_address(provider):
    taker = provider.post("takers", FULL)[1]
    changed = provider.call("PATCH", f"/api/v1/takers/{taker['id']}", {"address": {"city": "São Paulo"}})[1]
    assert (changed["address"]["city"], changed["address"]["street"]) == ("São Paulo", "Rua")


def test_deleted_taker_is_gone_and_its_id_is_not_given_again(provider):
    taker = provider.post("takers", FULL)[1]
    assert provider.call("DELETE", f"/api/v1/takers/{taker['id']}")[0] == 204
    assert provider.call("GET", f"/api/v1/takers/{taker['id']}")[0] == 404
    assert provider.post("takers", FULL)[1]["id"] > taker["id"]
