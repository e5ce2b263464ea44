"""Cancelling at the terminal: the preview, the typed total, and the outcome."""

import re

import pytest

from connectors.ledger import cancellations
from domain.states import InvoiceState
from tests.flows.terminal import Terminal
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop

REASON = "--because=Cobrada duas vezes por engano"
ACCEPTED, CANCELLED = InvoiceState.ACCEPTED, InvoiceState.CANCELLED


def test_one_invoice_from_its_number_to_its_end(shop: Workshop, terminal: Terminal):
    batch = shop.processed(2)
    wrong = terminal("cancel", "invoice", "--rps", "F-1", REASON, typed="1,00\n")
    assert (wrong.code, "no cancellation was asked for" in wrong.output) == (1, True)
    assert terminal("cancel", "invoice", "--rps", "F-1", REASON).code == 2
    assert shop.read(cancellations.all_open) == []
    done = terminal("cancel", "invoice", "--rps", "F-1", REASON, typed="100,01\n")
    assert done.code == 0, done
    assert "the city decides" in done.output
    assert "faturista reconcile" in done.output
    assert terminal("reconcile").code == 0
    assert shop.states(batch) == [CANCELLED, ACCEPTED]
    shown = terminal("cancel", "show")
    assert "F-1" in shown.output
    assert "cancelled" in shown.output
    again = terminal("cancel", "invoice", "--rps", "F-1", REASON, "--yes")
    assert (again.code, "only an accepted invoice" in again.output) == (2, True)
    assert "Traceback" not in again.raw


def test_a_batch_is_cancelled_invoice_by_invoice(shop: Workshop, terminal: Terminal):
    batch = shop.processed(3)
    done = terminal("cancel", "batch", batch, REASON, "--yes")
    assert done.code == 0, done
    assert "3 invoices, R$ 300,06 in total" in done.output
    terminal("reconcile")
    assert shop.states(batch) == [CANCELLED] * 3
    assert shop.asked("batches.cancel") == 0


def test_a_refusal_ends_with_one(shop: Workshop, terminal: Terminal):
    batch = shop.processed(1)
    shop.sandbox.faults({"operation": "notes.cancel", "kind": "status_422"})
    ended = terminal("cancel", "invoice", "--rps", "F 1", REASON, "--yes")
    assert (ended.code, "refused" in ended.output) == (1, True)
    assert shop.states(batch) == [ACCEPTED]
    assert "refused to cancel invoice F-1" in terminal("status").output


def test_another_person_agrees(shop: Workshop, terminal: Terminal, monkeypatch: pytest.MonkeyPatch):
    batch = shop.processed(1)
    shop.set(APPROVAL__FOUR_EYES="true")
    assert "faturista cancel approve 1" in terminal("cancel", "batch", batch, REASON, "--yes").output
    assert "waits until another person agrees" in terminal("status").output
    own = terminal("cancel", "approve", "--yes")
    assert (own.code, "another person has to agree" in own.errors) == (2, True)
    shop.set(APPROVAL__FOUR_EYES="false")
    assert terminal("cancel", "approve", 1, typed="100,01\n").code == 0
    assert "waits for another person" in terminal("cancel", "approve").output
    terminal("reconcile")
    assert shop.states(batch) == [CANCELLED]


def test_a_requested_cancellation_is_withdrawn(shop: Workshop, terminal: Terminal):
    batch = shop.processed(1)
    shop.set(APPROVAL__FOUR_EYES="true")
    terminal("cancel", "batch", batch, REASON, "--yes")
    assert "1 cancellation taken back" in terminal("cancel", "withdraw", 1, "--because", "engano").output
    assert terminal("cancel", "withdraw", 1, "--because", "engano").code == 2
    assert shop.states(batch) == [ACCEPTED]


def test_a_product_invoice_shows_the_time_that_is_left(store: Store, terminal: Terminal):
    batch = store.processed(1)
    done = terminal("cancel", "batch", batch, REASON, "--yes")
    assert done.code == 0, done
    assert re.search(r"23 h \d{1,2} min", done.output)
    assert store.states(batch) == [CANCELLED]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("invoice", REASON), "Say which invoice"),
        (("invoice", REASON, "--rps", "F-99"), "No invoice has this number"),
        (("invoice", "--because", " ", "--rps", "F-1"), "reason"),
        (("batch", 99, REASON), "99"),
        (("approve", 7), "Cancellation 7 waits for nobody"),
    ],
)
def test_a_mistake_is_a_sentence(shop: Workshop, terminal: Terminal, command: tuple[object, ...], message: str):
    ended = terminal("cancel", *command)
    assert ended.code == 2, ended
    assert message in ended.errors
    assert "Traceback" not in ended.raw
    assert terminal("cancel", "show").code == 0
