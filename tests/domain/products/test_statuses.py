"""The provider's words, and those that only a person can interpret."""

import tomllib
from pathlib import Path

import connectors.nfe
from domain.products.statuses import invoice_state
from domain.states import LIVING, InvoiceState

STATUSES = tomllib.loads(Path(connectors.nfe.__file__).with_name("fields.toml").read_text(encoding="utf-8"))["invoice"][
    "answer"
]["status"]["allowed"]


def test_every_known_word_has_a_meaning_or_needs_a_person():
    assert {status for status in STATUSES if invoice_state(status) is None} == {"error", "not_sent"}
    assert invoice_state("a new word") is None


def test_nothing_that_may_be_an_invoice_counts_as_dead():
    dead = {status for status in STATUSES if (state := invoice_state(status)) and state not in LIVING}
    assert dead == {"rejected", "denegated", "cancelled"}
    assert invoice_state("correction_rejected") is InvoiceState.ACCEPTED
