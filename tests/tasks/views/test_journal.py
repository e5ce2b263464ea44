"""Every reason that the code writes into the journal has its words, and people's texts stay unchanged."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from configs.catalogue import Catalogue
from connectors.ledger import attempts
from connectors.ledger.incidents import Incident
from connectors.ledger.issuance.posting import _COMMANDED
from connectors.ledger.transitions import Event
from domain.states import Entity
from tasks.views.journal import entry_of, say_event, say_reason, say_retired
from tests.house import tree

WORDS = Catalogue.load("en")
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
# Reasons that are composed, or that are a problem's code.
DATES = {"batch.approval_old", "date.emission_future", "date.emission_old", "date.emission_outside"}
COMPOSED = {"proven: counted", "proven: listed", *DATES}
# Not in the journal: why a serie's rest or a ledger's quarantine ended.
ELSEWHERE = {"compared with the provider"}
FRAMES = {"lost", "about_to_send_by", "approved_by", "serie_reserved"}


def written() -> Iterator[str]:
    for path in tree.modules("connectors", "tasks"):
        for node in ast.walk(tree.syntax(path)):
            match node:
                case ast.keyword(arg="because", value=value):
                    yield from texts(value)
                case ast.Assign(targets=[ast.Name(id="because")], value=value):
                    yield from texts(value)
                case ast.AnnAssign(target=ast.Name(id="_BECAUSE" | "_MAYBE_ISSUED"), value=value) if value:
                    yield from texts(value)
    yield from (because for _, because in _COMMANDED.values())


def texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_every_reason_has_its_words_and_no_words_are_idle():
    expected = {entry_of(reason) for reason in {*written(), *COMPOSED} - ELSEWHERE}
    expected |= {f"journal.result_{outcome}" for outcome in get_args(attempts.Outcome)}
    expected |= {f"journal.request_{what}" for what in ("post", "delete", "cancel")} | {
        f"journal.{frame}" for frame in FRAMES
    }
    assert {code for code in WORDS.entries if code.startswith("journal.")} == expected


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("about to post", "about to post it to the provider"),
        ("answered 201", "registered by the provider"),
        ("serie F reserved", "was given a number of serie F"),
        ("serie 1 reserved", "was given a number of serie 1"),
        ("approved by Ana\nMaria", "approved by Ana\nMaria"),
        ("Ana: it is not there", "Ana: it is not there"),
        ("batch.foreign_note", "batch.foreign_note"),
    ],
)
def test_a_reason_is_shown_in_words(reason, shown):
    assert say_reason(WORDS, reason) == shown


def test_the_reason_of_a_retired_number_is_shown_alone():
    assert say_retired(WORDS, "deleted: somebody deleted it") == "somebody deleted it at the provider"
    assert say_retired(WORDS, "retired: Ana: not there") == "Ana: not there"
    assert say_retired(WORDS, "") == ""


def test_a_stopped_batch_says_what_was_found_then():
    def incident(number: int, hours: int) -> Incident:
        at = AT + timedelta(hours=hours)
        return Incident(1, 7, None, "batch.foreign_note", {"number": number}, at, None, None)

    stopped = Event(1, Entity.BATCH, 7, "open", "disturbed", "batch.foreign_note", False, 1, AT)
    shown = say_event(WORDS, stopped, [incident(33, -1), incident(44, 0), incident(55, 1)])
    assert shown.startswith(f"{WORDS.text('state.batch.open')} → {WORDS.text('state.batch.disturbed')}: ")
    assert "44" in shown
