"""The calls that all master data share: read, create, replace, update and delete below one path.

A write is sent once. The README describes what a caller may do after each class of error.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, Protocol, TypeVar

from connectors.http.calls import NO_ALARMS, OK, Response, require_same, understand
from connectors.http.envelope_pages import collect
from connectors.http.session import HttpSession
from connectors.http.wire_values import bare_document
from connectors.nfse.drafts import RequestModel, encode_body


class Identified(Protocol):
    """A resource with the provider's id."""

    @property
    def id(self) -> int: ...


A = TypeVar("A", bound=Identified)
D = TypeVar("D", bound=RequestModel)
C = TypeVar("C", bound=RequestModel)

CREATED: Final = frozenset({201})
GONE: Final = frozenset({204})
ABSENT: Final = frozenset({404})


class RecordCalls(Generic[A, D, C]):
    """The shared calls. `path` is the collection's; `parse` reads the resource from an answer; `names` identify one.

    Filters with None are not sent.
    """

    def __init__(self, session: HttpSession, path: str, parse: Callable[[Any], A], *, names: tuple[str, ...]) -> None:
        self._session, self._path, self._parse, self._names = session, path, parse, names

    async def read(self, record_id: int) -> A:
        """Return the resource. Raises `NotFound`, or `Unreadable` if the answer shows another resource."""
        return self._about(record_id, await self._session.read("GET", f"{self._path}/{record_id}"))

    async def create(self, fields: D | Mapping[str, Any], *, not_after: float | None = None) -> A:
        """Create the resource. Raises `Refused` for a wrong field or an existing resource: then look it up.

        Raises `Doubtful` when the answer is about another resource.
        """
        answer = await self._session.write(
            "POST", self._path, encode_body(fields), expect=CREATED, alarms=NO_ALARMS, not_after=not_after
        )
        asked = fields.wire() if isinstance(fields, RequestModel) else fields
        return understand(answer, lambda data: self._made(self._parse(data), asked))

    async def replace(self, record_id: int, fields: D | Mapping[str, Any]) -> A:
        """Replace the whole resource (PUT). An answer may be sent back: its read-only keys are ignored [A 1.20]."""
        return await self._change("PUT", record_id, fields)

    async def update(self, record_id: int, fields: C | Mapping[str, Any]) -> A:
        """Change some fields (PATCH)."""
        return await self._change("PATCH", record_id, fields)

    async def delete(self, record_id: int) -> None:
        """Delete the resource. Raises `NotFound` when there is none."""
        path = f"{self._path}/{record_id}"
        await self._session.write("DELETE", path, None, expect=GONE, foreseen=ABSENT, alarms=NO_ALARMS)

    async def _change(self, method: str, record_id: int, fields: RequestModel | Mapping[str, Any]) -> A:
        path = f"{self._path}/{record_id}"
        answer = await self._session.write(
            method, path, encode_body(fields), expect=OK, foreseen=ABSENT, alarms=NO_ALARMS
        )
        return self._about(record_id, answer)

    def _made(self, made: A, asked: Mapping[str, Any]) -> A:
        """Return the new resource if what identifies it is what was sent, in any punctuation."""
        for name in self._names:
            if asked.get(name) not in (None, ""):
                require_same(made, name, asked=bare_document(asked[name]), answered=bare_document(getattr(made, name)))
        return made

    def _about(self, record_id: int, answer: Response) -> A:
        return understand(answer, lambda data: with_id(self._parse(data), record_id))

    async def _collect_matching(self, **filters: str | int | None) -> list[A]:
        asked = {name: value for name, value in filters.items() if value is not None}
        return await collect(self._session, self._path, self._parse, query=asked or None)


def with_id(found: A, record_id: int) -> A:
    """Return the resource if it has the requested id. Raises `ValueError` for `understand`."""
    return require_same(found, "id", asked=record_id, answered=found.id)
