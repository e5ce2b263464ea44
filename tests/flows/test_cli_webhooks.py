"""The receiver by command: registered once, tried out, shown and removed."""

from pathlib import Path

import pytest

from tests.deployments.listening import claim, post, receiving, until
from tests.flows.terminal import Terminal
from tests.flows.test_cli_staff import as_program
from tests.tasks.staff.people import CARLA, office
from tests.tasks.workshop import Workshop


def test_a_receiver_is_registered_tested_and_removed(shop: Workshop, terminal: Terminal):
    with receiving(shop) as url:
        assert "The address is registered." in terminal("webhooks", "register").output
        assert "registered already" in terminal("webhooks", "register").output
        assert shop.asked("webhooks.create") == 1
        assert "arrived in the ledger" in terminal("webhooks", "test").output
        post(url, claim(7))
        until(lambda: "of invoices that nobody follows" in terminal("webhooks", "show").output)
        shown = terminal("webhooks", "show").output
        assert ("tests" in shown, "sandbox-webhooks" in shown) == (True, False)
        assert "The address is removed." in terminal("webhooks", "remove").output
        assert "was not registered" in terminal("webhooks", "remove").output
    assert shop.asked("webhooks.delete") == 2


def test_an_address_without_a_receiver_is_refused(shop: Workshop, terminal: Terminal):
    shop.set(WEBHOOKS__URL="http://127.0.0.1:9")
    for command in ("register", "test"):
        ended = terminal("webhooks", command)
        assert (ended.code, "refused the address" in ended.output) == (1, True)


def test_a_missing_address_or_a_weak_secret_is_a_sentence(shop: Workshop, terminal: Terminal):
    shop.set(WEBHOOKS__SECRET="plain:guess")
    assert "token_urlsafe" in terminal("webhooks", "register").errors
    shop.set(WEBHOOKS__URL="")
    ended = terminal("webhooks", "show")
    assert (ended.code, "FATURISTA_WEBHOOKS__URL" in ended.errors) == (2, True)


def test_only_an_operator_changes_the_registration(
    shop: Workshop, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    with shop.context() as context:
        office(context)
    as_program(monkeypatch, tmp_path, CARLA)
    for command in ("register", "test", "remove"):
        ended = terminal("webhooks", command)
        assert (ended.code, "Carla may not" in ended.errors) == (2, True)
    assert shop.asked("webhooks.create") == 0
