"""The account that the token belongs to (document 000, Account)."""

from typing import Any

from connectors.http.calls import understand
from connectors.http.redact import without_secrets
from connectors.http.session import HttpSession
from connectors.http.wire_values import Integer, Text
from connectors.nfse.emitters import Emitter
from connectors.nfse.shapes import AnswerModel


class Plan(AnswerModel):
    """The account's paid plan."""

    name: str | None = None
    slug: str | None = None


class Account(AnswerModel):
    """The account. `max_emissions` is a text, because the provider may write "unlimited"."""

    uuid: str
    name: str
    id: Integer | None = None
    expiration_date: str | None = None
    emission_count: Integer | None = None
    max_emissions: Text | None = None
    plan: Plan | None = None
    emitters: tuple[Emitter, ...] = ()

    @property
    def emissions_left(self) -> int | None:
        """Return how many notes the plan still covers; None if it has no limit or the limit is no number."""
        text = (self.max_emissions or "").strip()
        if not (text.isascii() and text.isdigit()) or self.emission_count is None:
            return None
        return max(0, int(text) - self.emission_count)


class AccountCalls:
    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def read(self) -> Account:
        return understand(await self._session.read("GET", "/api/v1"), _account)


def _account(data: Any) -> Account:
    return Account.model_validate(without_secrets(data))
