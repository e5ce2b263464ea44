"""Invoices: numbered, found by three keys, listed; without extensions only numbered."""

import pytest

from tests.connectors.nfe.samples import RIO, SAO_PAULO, SECRETS


def test_an_invoice_is_found_by_id_access_key_and_our_own_id(shop):
    made = shop.posted(remote_id="A-1")
    found = shop.found(made)
    assert shop.found("A-1") == shop.found(found["access_key"]) == found
    assert (found["organization_id"], found["remote_id"]) == (RIO, "A-1")
    assert set(found["data"]["resposta_emissao"]) == {"data_emissao", "numero_protocolo", "chave_acesso"}


@pytest.mark.parametrize("path", ["/61/nfe/999", "/61/nfe/B-1", f"/61/nfe/{'9' * 44}", "/61/nfce/1", "/62/nfe/1"])
def test_a_missing_item_is_not_found(shop, path):
    shop.posted()
    assert shop.ask("GET", path)[0] == 404


def test_a_missing_number_is_the_series_next(shop):
    shop.posted(number=41)
    shop.posted(number=None)
    shop.posted(number=None, shop=SAO_PAULO)
    assert [invoice["number"] for invoice in shop.record()["product_invoices"]] == [41, 42, 1]


def test_a_list_is_filtered_and_bounded(shop):
    for number in range(1, 13):
        shop.posted(number=number, remote_id=f"A-{number}")

    def numbers(query):
        return [found["data"]["dados_gerais"]["nfe_numero"] for found in shop.ask("GET", f"/61/nfe?{query}")[1]["nfe"]]

    assert numbers("") == list(range(12, 2, -1))
    assert numbers("per_page=2") == [12, 11]
    assert numbers("page=2") == [2, 1]
    assert numbers("per_page=5&page=2") == [7, 6, 5, 4, 3]
    assert numbers("page=3") == []
    assert numbers("page=0") == numbers("page=x") == numbers("page=1")
    assert numbers("remote_id=A-3") == [3]
    assert numbers("status=rejected") == []
    shop.switch(product_filter="ignore")
    assert len(numbers("remote_id=A-3")) == 10


def test_without_extensions_there_is_nothing_to_read(shop):
    shop.switch(product_extensions="off")
    made = shop.posted(remote_id="A-1")
    assert [shop.ask("GET", path)[0] for path in (f"/61/nfe/{made}", "/61/nfe", "/61/nfce")] == [404, 404, 404]
    assert shop.record()["product_invoices"][0]["remote_id"] is None


def test_our_own_id_used_again_is_counted(shop):
    shop.posted(number=1, remote_id="A-1")
    shop.posted(number=2, remote_id="A-1")
    assert shop.violations() == ["duplicate_remote_id"]


def test_security_codes_are_not_kept(shop):
    shop.posted("nfce")
    assert not set(SECRETS) & set(shop.record()["product_invoices"][0]["body"]["dados_gerais"])


def test_equal_content_has_equal_digests(shop):
    shop.posted(number=1)
    shop.posted(number=1)
    shop.posted(number=2)
    first, same, other = (invoice["digest"] for invoice in shop.record()["product_invoices"])
    assert first == same != other


def test_a_list_has_a_window_in_time(shop):
    shop.posted(number=1)
    shop.control("clock", {"ahead_s": 3 * 86_400})
    shop.posted(number=2)
    first = shop.record()["product_invoices"][0]["posted_at"][:10]

    def numbers(query):
        return [found["data"]["dados_gerais"]["nfe_numero"] for found in shop.ask("GET", f"/61/nfe?{query}")[1]["nfe"]]

    assert numbers(f"starting_at={first}T00:00:00Z&ending_at={first}T23:59:59.999999Z") == [1]
    assert numbers(f"starting_at={first}T23:59:59.999999Z") == [2]
    assert numbers("ending_at=2020-01-01") == numbers("ending_at=2020/01/01") == []
    assert numbers("starting_at=2020/01/01") == [2, 1]
    status, body = shop.ask("GET", "/61/nfe?starting_at=ontem")
    assert (status, body["errors"]) == (422, [{"starting_at": ["não é uma data válida"]}])
