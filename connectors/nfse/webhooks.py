"""Webhooks: URLs that the provider calls when a note's status changes (document 000, Webhook, Events).

A delivery is unsigned: anybody who knows the URL can send one. So it is a hint, never a fact: it only makes us read the
note earlier [A 1.31].
"""

from typing import Annotated, Any, Final

from connectors.http.calls import NO_ALARMS, OK, require_same, understand
from connectors.http.envelope_pages import collect
from connectors.http.session import HttpSession
from connectors.http.wire_values import Instant, Integer, read_object
from connectors.nfse.drafts import RequestModel, Words, encode_body, required_text
from connectors.nfse.records import ABSENT, CREATED, GONE, with_id
from connectors.nfse.shapes import AnswerModel
from domain.issuing import Hint

_PATH: Final = "/api/v1/webhooks"
_ENDS: Final = frozenset({"accepted", "rejected", "cancelled"})
_LARGEST_ID: Final = 2**63 - 1


class Webhook(AnswerModel):
    """A registered URL; only its name can be changed."""

    id: Integer
    name: str
    url: str
    created_at: Instant | None = None


class WebhookDraft(RequestModel):
    """A URL that already answers POST and GET with 200: the provider tests it at registration."""

    name: Annotated[Words, required_text()]
    url: Annotated[Words, required_text()]


class Delivery(AnswerModel):
    """The content of a delivery: the note, and the claimed change of its status."""

    id: Integer
    from_status: str | None = None
    to_status: str


class WebhookCalls:
    """Calls about webhooks. To change a URL, delete the webhook and create a new one."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def create(self, webhook: WebhookDraft) -> Webhook:
        """Register a webhook. Raises `Refused` if the URL failed the test, `Doubtful` if another one was registered."""
        answer = await self._session.write("POST", _PATH, encode_body(webhook), expect=CREATED, alarms=NO_ALARMS)
        return understand(answer, lambda data: _registered(data, webhook.url))

    async def all(self) -> list[Webhook]:
        return await collect(self._session, _PATH, Webhook.model_validate)

    async def read(self, webhook_id: int) -> Webhook:
        """Return the webhook. Raises `NotFound`."""
        answer = await self._session.read("GET", f"{_PATH}/{webhook_id}")
        return understand(answer, lambda data: with_id(Webhook.model_validate(data), webhook_id))

    async def rename(self, webhook_id: int, name: str) -> Webhook:
        """Change the name (PUT), the only field that can change."""
        path, body = f"{_PATH}/{webhook_id}", encode_body({"name": name})
        answer = await self._session.write("PUT", path, body, expect=OK, foreseen=ABSENT, alarms=NO_ALARMS)
        return understand(answer, lambda data: with_id(Webhook.model_validate(data), webhook_id))

    async def delete(self, webhook_id: int) -> None:
        """Delete the webhook. Raises `NotFound` when there is none."""
        path = f"{_PATH}/{webhook_id}"
        await self._session.write("DELETE", path, None, expect=GONE, foreseen=ABSENT, alarms=NO_ALARMS)


def _registered(data: Any, url: str) -> Webhook:
    made = Webhook.model_validate(data)
    return require_same(made, "url", asked=url, answered=made.url)


def read_delivery(data: Any) -> Delivery | None:
    """Return what a delivery's parsed body claims: a note and its change of status, unproven.

    Return None for any other body, such as the test at registration.
    """
    try:
        return Delivery.model_validate(read_object(data))
    except (ValueError, TypeError):
        return None


def is_test(data: Any) -> bool:
    """Return whether this is the body with which the provider tests a URL at its registration."""
    return isinstance(data, dict) and data.get("test") is True


def hint_of(data: Any) -> Hint | None:
    """Return the hint in a delivery's parsed body, or None if there is none."""
    claimed = read_delivery(data)
    if claimed is None or not 0 < claimed.id <= _LARGEST_ID:
        return None
    return Hint(claimed.id, claimed.to_status in _ENDS)
