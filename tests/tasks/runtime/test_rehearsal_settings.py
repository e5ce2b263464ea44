"""A rehearsal has the profile's settings, but none of its addresses and secrets."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from configs.load import load_settings
from tasks.runtime.rehearsal_settings import REHEARSAL, in_place, rehearsal_variables

URL = "http://127.0.0.1:1"
GIVEN = {
    "NFSE__BASE_URL": "https://nfse.example",
    "ORDERS__BASE_URL": "https://orders.example",
    "ORDERS__PLANS": '["essencial"]',
    "ORDERS__RULES": "plans.toml",
    "IDENTITY__BASE_URL": "https://identity.example",
    "PRODUCTS__BASE_URL": "https://products.example",
    "LEDGER__URL": "postgresql+psycopg://ledger.example/x?sslmode=require",
    "SERIES__BY_EMITTER": '{"99000001000101": "G"}',
    "CALENDAR__DAYS": '["--01-25"]',
    "NOTIFICATIONS__TARGETS": '{"finance": "env:FATURISTA_NOTIFY_FINANCE"}',
    "NOTIFICATIONS__TOPICS": '{"approval": ["finance"]}',
    "DOCUMENTS__HOSTS": '["files.example"]',
    "BACKUP__ALLOW_PLAIN": "true",
    "STORE__URL": "s3://shared.example/faturista",
    "STORE__ENDPOINT": "https://store.example",
    "STORE__KEY": "env:FATURISTA_STORE_KEY",
    "STORE__SECRET": "env:FATURISTA_STORE_SECRET",
    "WEBHOOKS__URL": "https://webhooks.example",
    "WEBHOOKS__SECRET": "env:FATURISTA_WEBHOOKS_SECRET",
}


def texts(value: Any) -> Iterator[str]:
    """Every text of a settings tree."""
    if isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("profile", ["production", "homologation", "local"])
def test_no_address_and_no_secret_of_the_profile_is_left(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(f"FATURISTA_{name}", value)
    before = {name: value for name, value in os.environ.items() if name.startswith("FATURISTA_")}
    settings = load_settings(profile)
    with in_place(rehearsal_variables(settings, home="/rehearsal", outbox="/kept", base_url=URL)):
        rehearsed = load_settings(REHEARSAL)
    assert {name: value for name, value in os.environ.items() if name.startswith("FATURISTA_")} == before
    found = list(texts(rehearsed.model_dump(mode="json")))
    assert not [text for text in found if ".example" in text or text.startswith(("env:", "block:"))]
    assert {text for text in found if text.startswith("http")} == {URL}
    assert rehearsed.ledger.url == "sqlite:////rehearsal/ledger.db"
    kept = ("series", "calendar", "reading", "preview", "limits", "retry", "language")
    assert all(getattr(rehearsed, name) == getattr(settings, name) for name in kept)
    assert (rehearsed.orders.plans, rehearsed.orders.rules) == (("essencial",), "plans.toml")
    assert rehearsed.approval.automatic
