"""Series of NF-e that the provider numbers: an extension for clients that send no `nfe_numero`. We always send it."""

import json
from typing import Annotated, Any, Final

from connectors.http.calls import understand
from connectors.http.redacted_model import AnswerModel
from connectors.http.session import HttpSession
from connectors.http.wire_values import Integer, read_object
from connectors.nfe.invoices import require_extensions
from connectors.nfe.payloads.field_types import Group, Whole

_MADE: Final = frozenset({200, 201})
_NOT_THERE: Final = frozenset({404})
_KEYS: Final = ("nfe_numeration", "nfe_numerations")


class Numeration(AnswerModel):
    """A serie. `last_number` is the last used number; the next is one more."""

    shown = frozenset({"id", "serie", "last_number"})

    id: Integer
    serie: Integer
    last_number: Integer
    created_at: str | None = None
    updated_at: str | None = None


class NewNumeration(Group):
    serie: Annotated[int, Whole(digits=3)]
    last_number: Annotated[int, Whole(digits=9)]


class NumerationCalls:
    """Calls about series."""

    def __init__(self, session: HttpSession, *, extensions: bool) -> None:
        self._session, self._extensions = session, extensions

    async def of_organization(self, organization_id: int) -> list[Numeration]:
        path = self._path(organization_id, "GET")
        return understand(await self._session.read("GET", path), _numerations)

    async def create(self, organization_id: int, *, serie: int, last_number: int) -> Numeration:
        """Create a serie. Raises `Refused` for an existing one, `NotFound` for an unknown organization."""
        path = self._path(organization_id, "POST")
        asked = {"nfe_numeration": NewNumeration(serie=serie, last_number=last_number).content()}
        body = json.dumps(asked).encode()
        answer = await self._session.write("POST", path, body, expect=_MADE, foreseen=_NOT_THERE)
        return understand(answer, lambda data: Numeration.model_validate(read_object(data)["nfe_numeration"]))

    def _path(self, organization_id: int, method: str) -> str:
        path = f"/api/v1/organizations/{organization_id}/nfe_numerations"
        require_extensions(f"{method} {path}", are_on=self._extensions)
        return path


def _numerations(data: Any) -> list[Numeration]:
    """Return the list, which may be bare or under a key, singular or plural [A 2.24]."""
    if isinstance(data, dict):
        data = next((data[key] for key in _KEYS if key in data), None)
    if not isinstance(data, list):
        raise TypeError("not a list of series")
    return [Numeration.model_validate(item) for item in data]
