"""Our clients read answers of the real provider, which the published clients' own tests recorded."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from connectors.http.calls import Call, Response
from connectors.http.envelope_pages import _parse as read_page
from connectors.http.error_bodies import DEFAULT, Dialect
from connectors.http.wire_trace import NOTHING_SENT
from connectors.http.wire_values import read_object
from connectors.identity.accounts import HistoryItem, read_account
from connectors.identity.client import DIALECT as IDENTITY
from connectors.identity.identities import Membership
from connectors.identity.members import Member
from connectors.nfse.batches import Batch
from connectors.nfse.emitters import read_emitter
from connectors.nfse.notes import read_note
from connectors.nfse.service_values import Template
from connectors.nfse.takers import Taker
from connectors.nfse.whole_notes import NoteStatus, WholeNote, read_history_entry
from tests.clients.environments import driven

Read = Callable[[Any], Any]
PACKAGES = {"service_invoices": "emites_api", "identity": "passaporte_web"}
# The documents do not cover a user's profile, notifications and sign-on.
OURS = re.compile(r"/api/v1/|/organizations/api/(?:accounts|identities)/(?!.*notifications)")
PAPER = re.compile(r"/(?:mirror|xml|pdf)$")


def note(data: Any) -> Any:
    return read_note(data), WholeNote.model_validate(data)


def page_of(read: Read) -> Read:
    return lambda data: read_page(data, 1, read)


def each(read: Read) -> Read:
    return lambda data: [read(item) for item in data]


READERS: list[tuple[str, str, Read]] = [
    (r"/api/v1/emitters", "GET", page_of(read_emitter)),
    (r"/api/v1/emitters(/\d+)?", "", read_emitter),
    (r"/api/v1/takers", "GET", page_of(Taker.model_validate)),
    (r"/api/v1/takers(/\d+)?", "", Taker.model_validate),
    (r"/api/v1/service-values", "GET", page_of(Template.model_validate)),
    (r"/api/v1/service-values(/\d+)?", "", Template.model_validate),
    (r"/api/v1/batches", "GET", page_of(Batch.model_validate)),
    (r"/api/v1/batches/\d+/nfse", "GET", page_of(note)),
    (r"/api/v1/batches/\d+/history", "GET", page_of(read_history_entry)),
    (r"/api/v1/batches(/\d+(/send|/cancel)?)?", "", Batch.model_validate),
    (r"/api/v1/nfse/constants", "GET", read_object),
    (r"/api/v1/nfse", "GET", page_of(note)),
    (r"/api/v1/nfse/\d+/(status|cancel)", "", NoteStatus.model_validate),
    (r"/api/v1/nfse/\d+/history", "GET", page_of(read_history_entry)),
    (r"/api/v1/nfse(/\d+)?", "", note),
    (r"/organizations/api/accounts/", "GET", each(read_account)),
    (r"/organizations/api/accounts/[^/]+/", "", read_account),
    (r"/organizations/api/accounts/[^/]+/history/", "GET", each(HistoryItem.model_validate)),
    (r"/organizations/api/accounts/[^/]+/members/", "GET", each(Member.model_validate)),
    (r"/organizations/api/accounts/[^/]+/members/([^/]+/)?", "", Member.model_validate),
    (r"/organizations/api/identities/[^/]+/accounts/", "GET", each(Membership.model_validate)),
    (r"/organizations/api/identities/[^/]+/accounts/", "POST", Membership.model_validate),
]


def answers(system: str) -> list[dict[str, Any]]:
    recorded = driven(system, PACKAGES[system], script="recorded.py")
    return [each for each in recorded if OURS.search(each["url"]) and each["method"] != "OPTIONS"]


def reader_of(path: str, method: str) -> Read:
    return next(read for pattern, known, read in READERS if known in ("", method) and re.fullmatch(pattern, path))


@pytest.mark.parametrize("system", PACKAGES)
def test_every_recorded_success_is_read(system):
    successes = [answer for answer in answers(system) if 200 <= answer["status"] < 300 and answer["body"]]
    unread = []
    for answer in successes:
        path = re.sub(r"^https?://[^/]+", "", answer["url"]).partition("?")[0]
        try:
            reader_of(path, answer["method"])(json.loads(answer["body"]))
        except (ValueError, KeyError, TypeError, StopIteration) as error:
            unread.append((answer["method"], path, repr(error)))
    assert unread == []
    assert len(successes) > 30


@pytest.mark.parametrize(("system", "dialect"), [("service_invoices", DEFAULT), ("identity", IDENTITY)])
def test_every_recorded_refusal_is_the_providers_own_word(system: str, dialect: Dialect):
    refusals = [each for each in answers(system) if each["status"] >= 400]
    foreign = []
    for each in refusals:
        body = each["body"]
        call = Call(method=each["method"], path="/", is_write=False, has_bare_404=bool(PAPER.search(each["url"])))
        try:
            data, is_json = json.loads(body), True
        except ValueError:
            data, is_json = None, False
        answer = Response(
            call=call,
            status=each["status"],
            headers={"content-type": each["media"]},
            data=data,
            is_json=is_json,
            wire=NOTHING_SENT,
            size=len(body),
        )
        if not dialect.is_own(answer):
            foreign.append((each["method"], each["url"], each["status"], each["media"], body[:80]))
    assert foreign == []
    assert len(refusals) > 15
