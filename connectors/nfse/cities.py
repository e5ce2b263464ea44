"""Cities that the provider knows (document 000, City)."""

from typing import Final

from connectors.http.envelope_pages import collect
from connectors.http.session import HttpSession
from connectors.http.wire_values import Text
from connectors.nfse.shapes import AnswerModel

_PATH: Final = "/api/v1/cities"


class City(AnswerModel):
    """A city. `status` is `ok` where notes can be issued, `testing` while the city is being certified."""

    name: str
    state: str
    city_code: Text
    status: str


class CityCalls:
    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def all(self, *, name: str | None = None, state: str | None = None) -> list[City]:
        """Return all cities, or those that match the filters; the provider may ignore the filters [A 1.14]."""
        query: dict[str, str | int] = {key: text for key, text in (("name", name), ("state", state)) if text}
        return await collect(self._session, _PATH, City.model_validate, query=query or None)
