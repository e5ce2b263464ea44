"""The requests and answers of an emulator's handlers, independent of any web framework."""

import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = dict[str, Any]


class Form(Json):
    """The fields of an HTML form body, where a list with one item looks like a text."""


NO_BODY: Final = b""
_LONGEST_ID: Final = 18
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DEEPEST: Final = 64
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def parse(raw: bytes) -> Any:
    """Parse the JSON of a request; skip a byte order mark.

    Raises `ValueError` for content that no answer could repeat: invalid UTF-8, half of a surrogate pair, NaN, endless
    nesting.
    """
    try:
        found = _DECODER.decode(raw.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    if _SURROGATE.search(raw):
        json.dumps(found, ensure_ascii=False).encode()
    if raw.count(b"[") + raw.count(b"{") > _DEEPEST:
        _measure(found)
    return found


def _measure(found: Any) -> None:
    level = [found]
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise ValueError("nested too deep")


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request for a handler.

    `base` is the absolute URL without path ("http://127.0.0.1:8787"), `rest` the variable parts of the path, `fault` a
    fault that the handler itself must carry out, or None.
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
        """Return the id in the path. Raises `Refusal` (404) if it is too large for a database."""
        if len(self.rest[0]) > _LONGEST_ID:
            raise not_found()
        return int(self.rest[0])

    def uuid(self, place: int = 0) -> str:
        """Return the UUID in a variable part of the path, in small letters, as they are stored."""
        return self.rest[place].lower()

    def fault_of(self, kind: str) -> Mapping[str, Any] | None:
        """Return the injected fault of this request if it is of this kind, else None."""
        return self.fault if self.fault is not None and self.fault.get("kind") == kind else None

    def payload(self) -> Json:
        """Return the body, an empty object if there is none. Raises `Refusal` (422) if it is no object."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise Refusal(422, {"non_field_errors": ["O corpo deve ser um objeto JSON."]})
        return self.body


@dataclass(frozen=True, slots=True)
class Response:
    """Status, JSON body (`None` = empty) and extra headers. The request journal names the answer's `subject`."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    subject: str | None = None
    media: str = "application/json"

    def encoded(self) -> bytes:
        if self.body is None:
            return NO_BODY
        return _ENCODER.encode(self.body).encode()


class Refusal(Exception):
    """An answer other than success. Raise it before any change: the dispatcher does not roll back."""

    def __init__(
        self, status: int, body: Any = None, *, headers: Mapping[str, str] | None = None, media: str = ""
    ) -> None:
        super().__init__(status)
        self.answer = Response(status, body, headers or {}, None, media or "application/json")


def not_found() -> Refusal:
    return Refusal(404, {"detail": "Not found"})


def unreadable_body() -> Refusal:
    """Return the refusal of a body that is not JSON."""
    return Refusal(400, {"detail": "JSON parse error"})


def invalid(errors: Mapping[str, Any]) -> Refusal:
    """Return a 422 with all wrong fields, field → messages [A notes 1.15]."""
    return Refusal(422, dict(errors))
