"""No text form reveals a secret or a person."""

import json
import logging

import pytest

from connectors.http import session  # noqa: F401 - whoever sends has hushed the transport
from connectors.http.redact import mask_text, secrets_in, without_secrets


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
    assert mask_text(personal) == "***"
    assert mask_text(f"o CNPJ/CPF ({personal}), já existe") == "o CNPJ/CPF (***), já existe"


@pytest.mark.parametrize("harmless", ["RPS 123456", "valor 1.234,56", "2026-11-20T10:00:00Z", "id 9000000001"])
def test_other_numbers_stay(harmless):
    assert mask_text(harmless) == harmless


def test_secrets_are_masked():
    assert mask_text("Basic abc123 for abc", "abc123", "") == "Basic *** for abc"


@pytest.mark.parametrize("form", [str, repr, str.strip])
def test_a_secret_is_masked_however_it_is_quoted(form):
    secret = "t0p 's3cret\n"
    assert "s3cret" not in mask_text(f"illegal header {form(secret)} here", secret)


def test_long_texts_are_cut():
    assert len(mask_text("x" * 1_000)) == 300


def test_keys_that_hold_secrets_are_dropped_at_any_depth():
    data = {"id": 1, "token": "t", "list": [{"Password": "p", "ok": 2}], "deep": {"certificate": "c"}}
    assert without_secrets(data) == {"id": 1, "list": [{"ok": 2}], "deep": {}}


def test_the_secrets_of_a_request_are_known_wherever_they_stand():
    body = {
        "name": "n",
        "password": "letmein",
        "certificate": {"content": ["base64"], "pin": "1"},
        "list": [{"TOKEN": "t0ken"}],
    }
    assert secrets_in(json.dumps(body).encode()) == ("letmein", "base64", "t0ken")
    assert [secrets_in(raw) for raw in (None, b"", b"{", b"[" * 100_000, b'"password"')] == [()] * 5


def test_the_transports_own_log_has_no_header(caplog):
    logger = logging.getLogger("httpcore.http11")
    with caplog.at_level(logging.DEBUG, logger.name):
        logger.debug("receive_response_headers.complete return_value=%r", [("Location", "http://localhost/?token=t")])
        logger.debug("receive_response_headers.failed exception=ReadError")
    assert [record.getMessage() for record in caplog.records] == ["receive_response_headers.failed exception=ReadError"]
