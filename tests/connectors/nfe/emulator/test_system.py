"""The product side within the sandbox: its own token and paths; shared record, switches, faults and clock."""

import pytest

from tests.connectors.nfe.emulator.conftest import Shop
from tests.connectors.nfe.samples import RIO, TOKEN
from tests.sandboxes import TOKEN as SERVICE_TOKEN
from tests.sandboxes import running_sandbox


@pytest.mark.parametrize(
    "header",
    [
        f"Token token={TOKEN}",
        f'Token token="{TOKEN}"',
        f"Bearer {TOKEN}",
        f"Token {TOKEN}",
        f"token token={TOKEN}",
        f"TOKEN  token={TOKEN}",
    ],
)
def test_the_token_is_taken_in_each_of_its_forms(shop, header):
    assert shop.ask("GET", header=header)[0] == 200


@pytest.mark.parametrize("header", ["", "Token token=", f"Basic {TOKEN}", f"Token token={SERVICE_TOKEN}", TOKEN])
def test_nobody_else_enters(shop, header):
    assert shop.ask("GET", header=header)[0] == 401


def test_each_side_has_its_own_paths(shop):
    assert shop.call("GET", "/api/v1")[0] == 200
    assert shop.call("GET", "/api/v1/emitters")[1]["count"] == 2
    assert shop.ask("GET", "/61/nothing")[0] == 404
    assert shop.ask("PUT", f"/{RIO}/nfe", {})[0] == 405


def test_one_record_holds_both_sides(shop):
    shop.posted()
    shop.call("GET", "/api/v1")
    record = shop.record()
    assert [invoice["number"] for invoice in record["product_invoices"]] == [1]
    assert record["requests_by_operation"] == {"account.read": 1, "nfe.create": 1}


def test_switches_of_both_sides_are_set_together(shop):
    found = shop.switch(product_extensions="off", gap="refuse")
    assert (found["product_extensions"], found["gap"]) == ("off", "refuse")
    status, body, _ = shop.call("POST", "/_sandbox/switches", {"product_extensions": "maybe"})
    assert (status, body["detail"][:18]) == (400, "product_extensions")
    assert shop.control("switches")["product_extensions"] == "off"


def test_a_reset_makes_it_new(shop):
    shop.posted()
    shop.switch(product_extensions="off")
    shop.control("reset")
    assert shop.record()["product_invoices"] == []
    assert shop.control("switches")["product_extensions"] == "on"
    assert [found["id"] for found in shop.ask("GET")[1]["organizations"]] == [61, 62]


def test_a_killed_sandbox_is_the_same_provider_again(tmp_path):
    state = tmp_path / "provider.db"
    with running_sandbox(state=state, product_advance="at_once") as sandbox:
        made = Shop(sandbox.base_url).posted(number=9)
        sandbox.kill()
    with running_sandbox(state=state) as sandbox:
        shop = Shop(sandbox.base_url)
        assert shop.found(made)["status"] == "succeeded"
        shop.posted(number=9)
        assert shop.violations() == ["duplicate_product_number"]


def test_an_accident_follows_a_request(shop):
    shop.faults({"operation": "nfe.create", "kind": "act", "act": {"do": "add_product"}})
    shop.posted(number=5)
    assert [invoice["number"] for invoice in shop.record()["product_invoices"]] == [5, 6]
