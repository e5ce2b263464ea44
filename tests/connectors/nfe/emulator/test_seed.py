"""The initial content of the sandbox."""

from connectors.emulation.documents import is_cnpj
from connectors.nfe.emulator.seed import FIRST_ID, TOKEN, default_shops
from tests.connectors.nfe import samples


def test_the_shops_are_fictional_and_valid():
    assert all(is_cnpj(shop["cnpj"]) and shop["cnpj"].startswith("99") for shop in default_shops())


def test_the_tests_know_what_is_there(shop):
    found = shop.ask("GET")[1]["organizations"]
    assert [each["id"] for each in found] == [samples.RIO, samples.SAO_PAULO] == [FIRST_ID, FIRST_ID + 1]
    assert (found[0]["cnpj"], TOKEN) == (samples.RIO_CNPJ, samples.TOKEN)


def test_a_company_may_bring_its_own_shops(shop):
    own = {"account": {"id": 1}, "organizations": [], "product_token": "other"}
    shop.control("seed", own)
    assert shop.ask("GET", header="Token token=other") == (200, {"organizations": []})
