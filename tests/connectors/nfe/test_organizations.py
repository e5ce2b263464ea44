"""Organizations: read by either set of names, created, certified; the answer never contains a password."""

import pytest

from connectors.http.errors import Disturbed, Doubtful, Refused
from connectors.nfe.organizations import _organizations
from tests.connectors.nfe.samples import RIO, RIO_CNPJ, issued

FIELDS = {
    "razao_social": "Pousada Serra Azul Ltda",
    "cnpj": "99000053000170",
    "email": "fiscal@pousada.example",
    "inscricao_estadual": "ISENTO",
    "codigo_regime_tributario": 1,
    "address": {
        "address": "Rua Chile",
        "number": "5",
        "district": "Centro",
        "city": "Salvador",
        "city_code": 2927408,
        "state": "BA",
        "zipcode": 40020000,
    },
}


@pytest.mark.parametrize("names", ["both", "table", "examples"])
def test_organizations_are_read_by_either_set_of_names(ask, sandbox, names):
    sandbox.switch(product_names=names)
    (found,) = ask(lambda client: client.organizations.find("99.000.051/0001-80"))
    assert (found.id, found.cnpj, found.tax_regime) == (RIO, RIO_CNPJ, "Simples Nacional")
    assert (found.legal_name, found.trade_name) == ("Marés Comércio de Utilidades Ltda", "Marés")
    assert (found.address.city_code, found.address.state) == ("3304557", "RJ")
    assert found.certificate.expires_at == "2027-10-31"


def test_find_returns_nothing_for_an_unknown_cnpj(ask):
    assert ask(lambda client: client.organizations.find(FIELDS["cnpj"])) == []


def test_an_organization_issues_once_it_has_its_certificate(ask, sandbox):
    async def talk(client):
        made = await client.organizations.create(FIELDS)
        with pytest.raises(Refused):
            await client.organizations.create(FIELDS)
        certificate = await client.organizations.upload_certificate(made.id, pfx=b"not a real one", password="secret")
        return made, certificate, await client.organizations.find(FIELDS["cnpj"])

    made, certificate, found = ask(talk)
    assert [each.id for each in found] == [made.id]
    assert made.certificate is None
    assert found[0].certificate.expires_at == certificate.expires_at
    assert "password" not in certificate.model_dump()
    assert "secret" not in str(sandbox.record(requests=True))


def test_a_creation_without_an_answer_is_a_doubt(ask, sandbox):
    sandbox.faults({"operation": "organizations.create", "kind": "lose_answer"})

    async def talk(client):
        with pytest.raises(Doubtful):
            await client.organizations.create(FIELDS)
        return await client.organizations.find(FIELDS["cnpj"])

    assert len(ask(talk)) == 1


def test_another_organization_is_a_doubt(ask, sandbox):
    fields = {"organization": {"cnpj": RIO_CNPJ, "document": RIO_CNPJ}}
    sandbox.faults({"operation": "organizations.create", "kind": "altered", "fields": fields})
    with pytest.raises(Doubtful):
        ask(lambda client: client.organizations.create(FIELDS))


def test_an_uncertified_organization_is_no_row_problem(ask, sandbox):
    sandbox.control("seed", {"account": {"id": 1}, "organizations": [{**FIELDS, "certificate": None}]})

    async def talk(client):
        with pytest.raises(Disturbed):
            await issued(client)

    ask(talk)


SHOP = {"id": 1, "document": "99.000.051/0001-80", "company_name": "Loja"}


@pytest.mark.parametrize(
    "shape",
    [[SHOP], [{"organization": SHOP}], {"organizations": [SHOP]}, {"organization": [{"organization": SHOP}]}],
)
def test_the_list_may_have_any_undocumented_shape(shape):
    assert [found.cnpj for found in _organizations(shape)] == [RIO_CNPJ]


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_name_of_a_field_hides_no_other(empty):
    (found,) = _organizations([{**SHOP, "name": "L", "cnpj": empty, "razao_social": empty, "nome_fantasia": empty}])
    assert (found.cnpj, found.legal_name, found.trade_name) == (RIO_CNPJ, "Loja", "L")


@pytest.mark.parametrize("shape", [None, {}, {"organizations": {}}, [1], [{"id": 1}]])
def test_another_answer_is_no_list_of_organizations(shape):
    with pytest.raises((ValueError, KeyError, TypeError)):
        _organizations(shape)
