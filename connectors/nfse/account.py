"""The account that the token belongs to (document 000, Account)."""

from connectors.http.calls import understand
from connectors.http.session import HttpSession
from connectors.nfse.shapes import AnswerModel, Text


class Account(AnswerModel):
    """`max_emissions` is text and may say "unlimited" in words."""

    uuid: str
    name: str
    id: int | None = None
    expiration_date: str | None = None
    emission_count: int | None = None
    max_emissions: Text | None = None


class AccountCalls:
    """Calls about the account."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def read(self) -> Account:
        return understand(await self._session.read("GET", "/api/v1"), Account.model_validate)
