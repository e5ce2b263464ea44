"""The calls that all master data share: read, created, replaced, changed, removed under one address.

Writes go on the wire once. After each class of error a person or a tool may do what the README says; no write is
repeated before its outcome was looked up.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar

from connectors.http.calls import NO_ALARMS, OK, understand
from connectors.http.pages import collect
from connectors.http.session import HttpSession
from connectors.nfse.drafts import RequestModel, encoded

A = TypeVar("A")
D = TypeVar("D", bound=RequestModel)
C = TypeVar("C", bound=RequestModel)

CREATED: Final = frozenset({201})
GONE: Final = frozenset({204})
ABSENT: Final = frozenset({404})


class RecordCalls(Generic[A, D, C]):
    """`path` is the collection's; `parse` makes the resource of an answer. Filters that are None are not asked."""

    def __init__(self, session: HttpSession, path: str, parse: Callable[[Any], A]) -> None:
        self._session, self._path, self._parse = session, path, parse

    async def read(self, record_id: int) -> A:
        """`NotFound` when there is none."""
        return understand(await self._session.read("GET", f"{self._path}/{record_id}"), self._parse)

    async def create(self, fields: D | Mapping[str, Any], *, not_after: float | None = None) -> A:
        """`Refused` when a field is wrong or the resource exists already: then look it up."""
        answer = await self._session.write(
            "POST", self._path, encoded(fields), expect=CREATED, alarms=NO_ALARMS, not_after=not_after
        )
        return understand(answer, self._parse)

    async def replace(self, record_id: int, fields: D | Mapping[str, Any]) -> A:
        """PUT of the whole resource; what was answered may be put back, its read-only keys are ignored [A 1.20]."""
        return await self._change("PUT", record_id, fields)

    async def update(self, record_id: int, fields: C | Mapping[str, Any]) -> A:
        """PATCH of some fields."""
        return await self._change("PATCH", record_id, fields)

    async def delete(self, record_id: int) -> None:
        """`NotFound` when there is none (any more)."""
        path = f"{self._path}/{record_id}"
        await self._session.write("DELETE", path, None, expect=GONE, foreseen=ABSENT, alarms=NO_ALARMS)

    async def _change(self, method: str, record_id: int, fields: RequestModel | Mapping[str, Any]) -> A:
        path = f"{self._path}/{record_id}"
        answer = await self._session.write(method, path, encoded(fields), expect=OK, foreseen=ABSENT, alarms=NO_ALARMS)
        return understand(answer, self._parse)

    async def _matching(self, **filters: str | int | None) -> list[A]:
        asked = {name: value for name, value in filters.items() if value is not None}
        return await collect(self._session, self._path, self._parse, query=asked or None)
