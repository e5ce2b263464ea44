"""What a twin's handler receives and gives back, apart from any web framework."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = dict[str, Any]
NO_BODY: Final = b""
_LONGEST_ID: Final = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request as a handler sees it.

    `base` is the absolute address without path ("http://127.0.0.1:8787"), `rest` the variable parts of the path,
    `fault` the fault that a handler itself has to show, if any.
    """

    operation: str
    path: str
    base: str
    query: Mapping[str, str]
    rest: tuple[str, ...] = ()
    body: Any = None
    fault: Mapping[str, Any] | None = None

    @property
    def id(self) -> int:
        """The number in an instance's path; one that no database holds is not found."""
        if len(self.rest[0]) > _LONGEST_ID:
            raise not_found()
        return int(self.rest[0])

    def fault_of(self, kind: str) -> Mapping[str, Any] | None:
        """The fault to show, if it is of this kind."""
        return self.fault if self.fault is not None and self.fault.get("kind") == kind else None

    def payload(self) -> Json:
        """The body, which has to be an object; an absent one counts as empty."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise Refusal(422, {"non_field_errors": ["O corpo deve ser um objeto JSON."]})
        return self.body


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, JSON body (`None` = empty) and extra headers. `subject` is for the record of requests only."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    subject: str | None = None
    media: str = "application/json"

    def encoded(self) -> bytes:
        """The bytes on the wire."""
        if self.body is None:
            return NO_BODY
        return json.dumps(self.body, ensure_ascii=False, separators=(",", ":")).encode()


class Refusal(Exception):
    """An answer other than success; the handler has changed nothing."""

    def __init__(
        self, status: int, body: Any = None, *, headers: Mapping[str, str] | None = None, media: str = ""
    ) -> None:
        super().__init__(status)
        self.answer = Answer(status, body, headers or {}, None, media or "application/json")


def not_found() -> Refusal:
    return Refusal(404, {"detail": "Not found"})


def invalid(errors: Mapping[str, Any]) -> Refusal:
    """A 422: field → messages, all failing fields at once [A notes 1.15]."""
    return Refusal(422, dict(errors))
