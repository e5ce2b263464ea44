"""Nothing that becomes text tells a secret or who somebody is."""

import pytest

from connectors.http.redact import masked, without_secrets


@pytest.mark.parametrize(
    "personal",
    [
        "99000001000101",
        "99.000.001/0001-01",
        "99ABC001000157",
        "99.ABC.001/0001-57",
        "00000000191",
        "000.000.001-91",
        "ana.souza@mares.example",
    ],
)
def test_documents_and_addresses_are_masked_wherever_they_stand(personal):
    assert masked(personal) == "***"
    assert masked(f"o CNPJ/CPF ({personal}), já existe") == "o CNPJ/CPF (***), já existe"


@pytest.mark.parametrize("harmless", ["RPS 123456", "valor 1.234,56", "2026-11-20T10:00:00Z", "id 9000000001"])
def test_other_numbers_stay(harmless):
    assert masked(harmless) == harmless


def test_secrets_are_masked():
    assert masked("Basic abc123 for abc", "abc123", "") == "Basic *** for abc"


def test_long_texts_are_cut():
    assert len(masked("x" * 1_000)) == 300


def test_keys_that_hold_secrets_are_dropped_at_any_depth():
    data = {"id": 1, "token": "t", "list": [{"Password": "p", "ok": 2}], "deep": {"certificate": "c"}}
    assert without_secrets(data) == {"id": 1, "list": [{"ok": 2}], "deep": {}}
