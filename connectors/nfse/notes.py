"""Service invoices (document 000, NFSe): the request body, and the answer parsed for comparison.

The pipeline's answers are parsed by hand instead of by a model, because there is one for every invoice. Calls for
people return whole notes, see `whole_notes.py`.
"""

import contextlib
import dataclasses
import functools
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Unpack
from urllib.parse import unquote, urlsplit

import orjson

from connectors.http.calls import OK, UNLIKE_DOCUMENT, OtherResource, Response, error_reason, understand
from connectors.http.envelope_pages import Page, collect, pages
from connectors.http.errors import ConnectorError, Disturbed, Doubtful, NotFound
from connectors.http.session import HttpSession
from connectors.http.wire_trace import Wire
from connectors.http.wire_values import bare_document, read_id, read_instant, read_integer, read_object, text_or_none
from connectors.nfse.constants import Constants, read_constants, read_constants_html
from connectors.nfse.drafts import encode_body
from connectors.nfse.note_drafts import IncompleteNote, NoteChanges, NoteDraft
from connectors.nfse.records import with_id
from connectors.nfse.shapes import emission_text, read_day
from connectors.nfse.shown_values import read_shown
from connectors.nfse.whole_notes import HistoryEntry, NoteFilters, NoteStatus, WholeNote, read_error, read_history_entry
from domain import money

AMOUNTS: Final = (
    "service_amount",
    "calculation_base",
    "deduction_amount",
    "iss_amount",
    "pis_amount",
    "cofins_amount",
    "inss_amount",
    "ir_amount",
    "csll_amount",
    "discount_conditioning_amount",
    "unconditioned_discount_amount",
    "other_retentions_amount",
    "retained_iss_amount",
    "nfse_liquid_amount",
)
"""Every amount of `service_values` that an answer may hold."""
_OBSERVED: Final = {
    "unconditioned_discount_amount": "unconditioned_discount",
    "other_retentions_amount": "other_retentions",
}
"""The observed name of an amount by its documented one [A 1.39]."""

_PATH: Final = "/api/v1/nfse"
_MADE: Final = frozenset({200, 201, 202})
_GONE: Final = frozenset({204})
_FORESEEN: Final = frozenset({404})
_TAKEN_ON: Final = frozenset({202})
_ELSEWHERE: Final = frozenset({302})
_MISSING: Final = (None, "")
_OURS: Final = frozenset({"batch_id", "serie", "number"})
# Cached, because all notes of a batch share one instant and one month, and most amounts of a note are zero.
_emission_text: Final = functools.lru_cache(maxsize=16)(emission_text)
_instant: Final = functools.lru_cache(maxsize=16)(read_instant)
_day: Final = functools.lru_cache(maxsize=16)(read_day)
_cents: Final = functools.lru_cache(maxsize=10_000, typed=True)(money.from_wire)


@dataclass(frozen=True, slots=True)
class NoteError:
    """The city's reason for a rejection, in its words."""

    code: str
    description: str
    tip: str

    def to_json(self) -> dict[str, str]:
        return {"code": self.code, "description": self.description, "tip": self.tip}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note at the provider.

    Attributes:
        amounts: The amounts that the answer contains, in cents by wire name.
        emission_at: An aware instant in UTC.
        taker_document: Canonical text.
        status: The provider's text. An unknown status must not prevent reading.
        replaces: Serie and number of the note that this note replaces.
        shown: See `read_shown`.
    """

    id: int
    emitter_id: int | None
    batch_id: int | None
    status: str
    is_complete: bool
    serie: str | None
    number: int | None
    taker_document: str | None
    taker_name: str | None
    emission_at: datetime | None
    competence: date | None
    amounts: Mapping[str, int]
    errors: tuple[NoteError, ...]
    nfse_number: str | None
    nfse_key: str | None
    replaces: tuple[str, int] | None = None
    shown: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PostedNote:
    """The answer to a creation: the note, the HTTP status, and the times on the wire.

    201 means that the note waits in its batch, 202 that it is being issued at once.
    """

    note: Note
    http_status: int
    wire: Wire


class NoteCalls:
    """Calls about single notes."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def create(
        self, body: bytes | NoteDraft | IncompleteNote | Mapping[str, Any], *, not_after: float | None = None
    ) -> PostedNote:
        """Post one note: the bytes of `body` from the pipeline, or a person's request.

        Any readable success returns; the caller compares it with the request.

        A success without a readable id is `Doubtful`. If other fields are unreadable, it is `Disturbed` with
        `remote_id`, because the note exists.
        """
        raw = body if isinstance(body, bytes) else encode_body(body)
        answer = await self._session.write("POST", _PATH, raw, expect=_MADE, not_after=not_after)
        try:
            return PostedNote(read_note(answer.data), answer.status, answer.wire)
        except UNLIKE_DOCUMENT as error:
            raise _unreadable_creation(answer, error) from None

    async def read(self, note_id: int) -> Note:
        """Return the note. Raises `NotFound`, or `Unreadable` when the answer is about another note."""
        answer = await self._session.read("GET", f"{_PATH}/{note_id}")
        return understand(answer, lambda data: with_id(read_note(data), note_id))

    async def delete(self, note_id: int, *, not_after: float | None = None) -> None:
        """Delete an unsent note. `NotFound` when there is none; `Disturbed` when it was sent already."""
        path = f"{_PATH}/{note_id}"
        await self._session.write("DELETE", path, None, expect=_GONE, foreseen=_FORESEEN, not_after=not_after)

    async def whole(self, note_id: int) -> WholeNote:
        """Return the note with all its fields."""
        answer = await self._session.read("GET", f"{_PATH}/{note_id}")
        return understand(answer, lambda data: with_id(WholeNote.model_validate(data), note_id))

    def all(self, **filters: Unpack[NoteFilters]) -> AsyncGenerator[Page[WholeNote], None]:
        """Yield notes page by page [A 1.14].

        The provider may ignore any filter: check the notes, and do not conclude that a missing note does not exist.
        """
        query: dict[str, str | int] = {name: _query_text(value) for name, value in filters.items()}
        return pages(self._session, _PATH, WholeNote.model_validate, query=query or None)

    async def replace(self, note_id: int, note: NoteDraft | Mapping[str, Any]) -> WholeNote:
        """Replace an incomplete note (PUT); once complete, it is issued or waits in its batch [A 1.3]."""
        return await self._change("PUT", note_id, note)

    async def update(self, note_id: int, fields: NoteChanges | Mapping[str, Any]) -> WholeNote:
        """Change fields of an incomplete note (PATCH). Once complete, it is issued or waits in its batch [A 1.3]."""
        return await self._change("PATCH", note_id, fields)

    async def status(self, note_id: int) -> NoteStatus:
        answer = await self._session.read("GET", f"{_PATH}/{note_id}/status")
        return understand(answer, lambda data: with_id(NoteStatus.model_validate(data), note_id))

    async def cancel(self, note_id: int, *, not_after: float | None = None) -> NoteStatus:
        """Ask the city to cancel an accepted note; it may refuse later [A 1.7].

        Only a person may decide this fiscal act. Anything but 202 raises, and then only the status tells what happened.
        Raises `Disturbed` for a note that is not accepted.
        """
        path = f"{_PATH}/{note_id}/cancel"
        answer = await self._session.write(
            "POST", path, None, expect=_TAKEN_ON, foreseen=_FORESEEN, is_about_row=False, not_after=not_after
        )
        return understand(answer, lambda data: with_id(NoteStatus.model_validate(data), note_id))

    async def history(self, note_id: int) -> list[HistoryEntry]:
        """Return every change of the note's status, oldest first."""
        return await collect(self._session, f"{_PATH}/{note_id}/history", read_history_entry)

    async def mirror(self, note_id: int) -> str | None:
        """Return the URL of the printable note, or None [A 1.10].

        Anyone with the URL can open it: send no credentials, do not log it.
        """
        return await self._document(note_id, "mirror")

    async def xml(self, note_id: int) -> str | None:
        """Return the URL of the note's XML, or None. As with `mirror`, anyone with the URL can open it."""
        return await self._document(note_id, "xml")

    async def pdf(self, note_id: int) -> str | None:
        """Return the URL of the note's PDF, or None. As with `mirror`, anyone with the URL can open it."""
        return await self._document(note_id, "pdf")

    async def constants(self, *names: str) -> Constants:
        """Return labels by code for these names, or for all without a name.

        Names: `street_type`, `neighborhood_type`, `rps_situation`, `special_regime`, `rps_type`,
        `taker_special_situation`, `operation_nature`, `status`.
        """
        return await read_constants(self._session, f"{_PATH}/constants", names)

    async def constants_html(self, *names: str) -> Mapping[str, str]:
        """Return the constants as pieces of HTML."""
        return await read_constants_html(self._session, f"{_PATH}/constants", names)

    async def _change(self, method: str, note_id: int, fields: NoteChanges | Mapping[str, Any]) -> WholeNote:
        path = f"{_PATH}/{note_id}"
        answer = await self._session.write(method, path, encode_body(fields), expect=OK, foreseen=_FORESEEN)
        return understand(answer, lambda data: with_id(WholeNote.model_validate(data), note_id))

    async def _document(self, note_id: int, kind: str) -> str | None:
        path = f"{_PATH}/{note_id}/{kind}"
        try:
            answer = await self._session.read("GET", path, expect=_ELSEWHERE, has_bare_404=True)
        except NotFound:
            return None
        return understand(answer, lambda _: _address(answer.headers.get("location", ""), besides=path))

    @staticmethod
    def body(
        content: Mapping[str, Any], *, batch_id: int, serie: str, number: int, emission_at: datetime | None = None
    ) -> bytes:
        """Return the request for `content` with its batch and number [A 1.1, 1.28].

        `emission_at`, aware, fills `emission_date` if the content has none; it is written with Brasília's offset.
        """
        taken = _OURS & content.keys()
        if taken:
            raise ValueError(f"the content must not hold {', '.join(sorted(taken))}")
        request = {**content, "batch_id": batch_id, "serie": serie, "number": number}
        if emission_at is not None and content.get("emission_date") is None:
            request["emission_date"] = _emission_text(emission_at)
        if request.get("emission_date") is None:
            raise ValueError("a note needs an emission date")
        return orjson.dumps(request)


def read_note(data: Any) -> Note:
    """Return a note from any answer: created, read, listed, incomplete.

    Only `is_complete` true proves a complete note. Raises `ValueError`, `KeyError` or `TypeError` for another shape.
    """
    note = read_object(data)
    values = read_object(note.get("service_values") or {})
    taker = read_object(note.get("taker") or {})
    number, emitter, batch = note.get("number"), note.get("emitter_id"), note.get("batch_id")
    serie = note.get("serie")
    emission, competence = text_or_none(note.get("emission_date")), text_or_none(note.get("competence"))
    return Note(
        id=read_id(note["id"]),
        emitter_id=None if emitter is None else read_integer(emitter),
        batch_id=None if batch is None else read_integer(batch),
        status=_status(note["status"]),
        is_complete=note.get("is_complete") is True,
        serie=None if serie is None else str(serie),
        number=None if number is None else read_integer(number),
        taker_document=bare_document(taker.get("cnpj") or taker.get("cpf")),
        taker_name=text_or_none(taker.get("social_reason")),
        emission_at=None if emission is None else _instant(emission),
        competence=None if competence is None else _day(competence),
        amounts=_amounts(values),
        errors=_errors(note),
        nfse_number=text_or_none(note.get("nfse_number")),
        nfse_key=text_or_none(note.get("nfse_key")),
        replaces=_replaced_number(note.get("substitute_rps")),
        shown=read_shown(note, values),
    )


def _amounts(values: Mapping[str, Any]) -> dict[str, int]:
    """Return the amounts in cents by documented name. An ISS that is not retained is zero, and may be null [A 1.39]."""
    found = {name: _cents(value) for name in AMOUNTS if (value := values.get(name)) not in _MISSING}
    for name, observed in _OBSERVED.items():
        if name not in found and (value := values.get(observed)) not in _MISSING:
            found[name] = _cents(value)
    if values.get("retained_iss") is False and values.get("retained_iss_amount", 0) is None:
        found["retained_iss_amount"] = 0
    return found


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return emission_text(value) if isinstance(value, datetime) else str(value)


def _address(text: str, *, besides: str) -> str:
    """Return an absolute web URL.

    A redirect to the path `besides` comes from a gateway: to https, or to a login page that leads back.
    """
    parts = urlsplit(text)
    if parts.path == besides or besides in unquote(parts.query):
        raise OtherResource("address")
    if parts.scheme not in ("https", "http") or not parts.hostname or parts.username is not None:
        raise ValueError("not an address")
    return text


def _status(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a status is text")
    return value


def _replaced_number(value: Any) -> tuple[str, int] | None:
    group = read_object(value or {})
    if group.get("number") in (None, ""):
        return None
    return str(group.get("serie") or ""), read_integer(group["number"])


def _errors(note: Mapping[str, Any]) -> tuple[NoteError, ...]:
    """Return the errors; `errors` and `nfse_errors` are the same list, and either may be missing [A 1.11]."""
    found = note.get("errors") or note.get("nfse_errors")
    if not found:
        return ()
    return tuple(
        NoteError(str(item.get("code") or ""), str(item.get("description") or ""), str(item.get("tip") or ""))
        for item in map(read_error, found)
    )


def _unreadable_creation(answer: Response, error: Exception) -> ConnectorError:
    """Return the error for an unreadable answer to a creation.

    An id proves that the note was created, and a person must check it; without an id, the pipeline looks the note up.
    """
    made: int | None = None
    with contextlib.suppress(TypeError, ValueError, KeyError):
        made = read_id(read_object(answer.data)["id"])
    return (Doubtful if made is None else Disturbed)(
        answer.call.label,
        status=answer.status,
        wire=answer.wire,
        remote_id=made,
        detail=f"answer not understood: {error_reason(error)}",
    )
