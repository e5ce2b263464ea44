"""Organizations by either set of field names, their faults, and their certificate."""

import base64
from typing import Any

import pytest

NEW: dict[str, Any] = {
    "razao_social": "Pousada Serra Azul Ltda",
    "cnpj": "99000053000170",
    "email": "fiscal@pousada.example",
    "inscricao_estadual": "ISENTO",
    "address": {"address": "Rua Chile", "number": "5", "district": "Centro", "city": "Salvador", "city_code": 2927408,
                "state": "BA", "zipcode": 40020000},
}  # fmt: skip
EXAMPLES = {"company_name": NEW["razao_social"], "document": NEW["cnpj"], "name": "Serra Azul"}


def test_an_organization_may_be_sent_by_the_examples_names(shop):
    rest = {name: value for name, value in NEW.items() if name not in ("razao_social", "cnpj")}
    status, body = shop.ask("POST", body={"organization": {**rest, **EXAMPLES}})
    assert (status, body["organization"]["cnpj"], body["organization"]["nome_fantasia"]) == (
        201, NEW["cnpj"], "Serra Azul",
    )  # fmt: skip


def test_an_address_is_whole_and_keeps_its_zeros(shop):
    place = {**NEW["address"], "zipcode": "01310100"}
    _, body = shop.ask("POST", body={"organization": {**NEW, "address": place}})
    assert body["organization"]["address"] == {**place, "complement": None, "phone": None}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"cnpj": "99000053000171"}, "cnpj"),
        ({"cnpj": "99000051000180"}, "cnpj"),
        ({"email": None}, "email"),
        ({"inscricao_estadual": "ISENTA"}, "inscricao_estadual"),
        ({"inscricao_estadual": "12.345"}, "inscricao_estadual"),
        ({"razao_social": "x" * 61}, "razao_social"),
        ({"address": {**NEW["address"], "zipcode": None}}, "address.zipcode"),
    ],
)
def test_faults_are_named(shop, changes, field):
    status, body = shop.ask("POST", body={"organization": {**NEW, **changes}})
    assert (status, [list(error) for error in body["errors"]]) == (422, [[field]])


def test_a_certificate_is_taken_and_its_password_masked(shop):
    made = shop.ask("POST", body={"organization": NEW})[1]["organization"]["id"]
    assert shop.post(shop=made)[0] == 422
    file = base64.b64encode(b"pfx").decode()
    status, body = shop.ask("POST", f"/{made}/certificate", {"password": "secret", "file": file})
    assert (status, body["certificate"]["password"]) == (201, "********")
    assert shop.post(shop=made)[0] == 201
    assert "secret" not in str(shop.record(requests=True))


@pytest.mark.parametrize(
    "body", [{}, {"password": "x"}, {"password": "x", "file": "%%%"}, {"password": "x", "file": ""}]
)
def test_a_bad_certificate_is_refused(shop, body):
    assert shop.ask("POST", "/61/certificate", body)[0] == 422
