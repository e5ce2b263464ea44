"""Translate the journal's entries into the operator's language. The ledger stores short, stable reasons in English."""

import re
from collections.abc import Sequence
from typing import Final

from configs.catalogue import Catalogue
from connectors.ledger.attempts import Attempt
from connectors.ledger.incidents import Incident
from connectors.ledger.transitions import Event
from domain.problems import Problem
from domain.states import InvoiceState

_NO_LETTERS: Final = re.compile("[^a-z]+")
_SERIE: Final = re.compile("serie (?P<serie>.+) reserved")
_PERSON: Final = re.compile("(?P<act>approved|about to send) by (?P<person>.+)", re.DOTALL)
_STATE_BEFORE: Final = re.compile(f"({'|'.join(InvoiceState)}): ")


def entry_of(reason: str) -> str:
    """Return the catalogue's code for a reason: `journal.about_to_post` for "about to post"."""
    return f"journal.{_NO_LETTERS.sub('_', reason.lower()).strip('_')}"


def say_reason(words: Catalogue, reason: str, incidents: Sequence[Incident] = ()) -> str:
    """Return a reason in the operator's language; return a person's text unchanged.

    The reason of a stopped batch may be an incident's code: then return the sentence of the last one in `incidents`.
    """
    if found := _SERIE.fullmatch(reason):
        return words.text("journal.serie_reserved", serie=found["serie"])
    if found := _PERSON.fullmatch(reason):
        return words.text(f"{entry_of(found['act'])}_by", person=found["person"])
    if entry_of(reason) in words.entries:
        return words.text(entry_of(reason))
    for each in reversed(incidents):
        if each.code == reason:
            return words.what(Problem(each.code, params=each.params))
    return reason


def say_retired(words: Catalogue, reason: str) -> str:
    """Return why a number is retired, without the old state that the ledger writes before the reason."""
    return say_reason(words, _STATE_BEFORE.sub("", reason, count=1))


def say_event(words: Catalogue, event: Event, incidents: Sequence[Incident] = ()) -> str:
    """Return the old state, the new state and the reason as one text. `incidents` are the batch's: see `say_reason`."""
    was = "·" if event.was is None else words.text(f"state.{event.entity.value}.{event.was}")
    becomes = words.text(f"state.{event.entity.value}.{event.becomes}")
    reason = say_reason(words, event.because, [each for each in incidents if each.opened_at <= event.at])
    return f"{was} → {becomes}: {reason}"


def say_attempt(words: Catalogue, attempt: Attempt) -> str:
    """Return our request to the provider, and its outcome."""
    came = words.text(f"journal.result_{attempt.outcome}") if attempt.outcome else words.text("journal.lost")
    return f"{words.text(f'journal.request_{attempt.what}')}: {came}"
