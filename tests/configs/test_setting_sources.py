"""The origin of each setting is shown, and no secret."""

import os

import pytest

from configs.load import keys_of
from configs.setting_sources import masked, origins
from configs.settings import Settings


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith("FATURISTA_")]:
        monkeypatch.delenv(name)
    return monkeypatch.setenv


def test_each_setting_names_the_place_that_counts(environment):
    environment("FATURISTA_NFSE__IN_FLIGHT", "7")
    environment("FATURISTA_INBOX", '{"watch_s": 9}')
    found = {each.key: (each.value, each.source) for each in origins("local")}
    assert found["nfse.in_flight"] == ("7", "FATURISTA_NFSE__IN_FLIGHT")
    assert found["inbox.watch_s"] == ("9.0", "FATURISTA_INBOX")
    assert found["protocol.lease_s"] == ("30.0", "local.toml")
    assert found["limits.rows"] == ("50000", "base.toml")


def test_every_setting_is_shown():
    shown = {each.key for each in origins("local")}
    nested = {"series.by_emitter", "products.codes", "systems"}
    assert {key for key in keys_of(Settings) if key not in nested} <= shown


WHO = "ana:s3cret@"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain:sandbox-token", "plain:***"),
        ("env:FATURISTA_NFSE_TOKEN", "env:FATURISTA_NFSE_TOKEN"),
        (f"postgresql://{WHO}db.example/x?sslmode=require", f"postgresql://{'***@'}db.example/x?sslmode=require"),
        ("postgresql://db.example/x?user=ana&password=s3cret", "postgresql://db.example/x?user=ana&password=***"),
        (50, "50"),
    ],
)
def test_no_secret_is_shown(value, shown):
    assert masked(value) == shown
