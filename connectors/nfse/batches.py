"""Batches: notes that wait together for one send (document 000, Batch)."""

import json
from collections.abc import AsyncGenerator
from typing import Final

from pydantic import BaseModel, ConfigDict

from connectors.http.calls import Response, require_same, understand
from connectors.http.envelope_pages import Page, collect, one_page, pages
from connectors.http.session import HttpSession
from connectors.http.wire_values import Integer
from connectors.nfse.notes import Note, read_note
from connectors.nfse.records import with_id
from connectors.nfse.shapes import AnswerModel
from connectors.nfse.whole_notes import HistoryEntry, read_history_entry

_CREATED: Final = frozenset({201})
_TAKEN_ON: Final = frozenset({202})
_PAGES_AHEAD: Final = 8
"""Pages of one listing that are requested at once; the session's own limit applies as well."""


class Counters(BaseModel):
    """The number of the batch's notes in each status, and in total."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, hide_input_in_errors=True, defer_build=True)

    created: int
    scheduled: int
    processing: int
    accepted: int
    rejected: int
    cancelled: int
    cancelling: int
    total: int


class Batch(AnswerModel):
    """A batch. `status` is one of created, scheduled, processing, processed."""

    id: Integer
    name: str
    emitter_id: Integer
    status: str
    properties: Counters

    @property
    def counters(self) -> Counters:
        return self.properties


class BatchCalls:
    """Calls about batches. The pipeline never cancels a batch, because that cancels every note at once."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def create(self, emitter_id: int, name: str, *, not_after: float | None = None) -> Batch:
        """Create a batch. Raises `Doubtful` when the answer is about another batch: look ours up by its name."""
        body = json.dumps({"emitter_id": emitter_id, "name": name}, ensure_ascii=False).encode()
        answer = await self._session.write("POST", "/api/v1/batches", body, expect=_CREATED, not_after=not_after)
        return understand(answer, lambda data: _with_name(Batch.model_validate(data), emitter_id, name))

    async def all(
        self, *, status: str | None = None, emitter_id: int | None = None, name: str | None = None
    ) -> list[Batch]:
        """Return all batches, or those that match the filters; the provider may ignore the filters [A 1.14]."""
        filters = {"status": status, "emitter_id": emitter_id, "name": name}
        query = {key: value for key, value in filters.items() if value is not None}
        return await collect(self._session, "/api/v1/batches", Batch.model_validate, query=query or None)

    async def find(self, name: str, emitter_id: int) -> list[Batch]:
        """Return the emitter's batches of exactly this name."""
        found = await self.all(emitter_id=emitter_id, name=name)
        return [batch for batch in found if (batch.emitter_id, batch.name) == (emitter_id, name)]

    async def read(self, batch_id: int) -> Batch:
        """Return the batch. Raises `Unreadable` when the answer is about another batch."""
        return _batch(await self._session.read("GET", f"/api/v1/batches/{batch_id}"), batch_id)

    async def send(self, batch_id: int, *, not_after: float | None = None) -> Batch:
        """Send all notes of the batch. After this step they are tax documents.

        Anything but 202 raises, and then only a read of the batch tells what happened. No refusal is about one row.
        """
        path = f"/api/v1/batches/{batch_id}/send"
        answer = await self._session.write(
            "POST", path, None, expect=_TAKEN_ON, is_about_row=False, not_after=not_after
        )
        return _batch(answer, batch_id)

    async def cancel(self, batch_id: int) -> Batch:
        """Cancel all notes of an unsent batch. Only a person does this, never a station [A 1.5].

        Anything but 202 raises, and then only a read of the batch tells what happened.
        """
        path = f"/api/v1/batches/{batch_id}/cancel"
        answer = await self._session.write("POST", path, None, expect=_TAKEN_ON, is_about_row=False)
        return _batch(answer, batch_id)

    def notes(self, batch_id: int, status: str | None = None) -> AsyncGenerator[Page[Note], None]:
        """Yield the batch's notes page by page, optionally of one status. One listing proves nothing: pages shift."""
        query = {"status": status} if status else None
        path = f"/api/v1/batches/{batch_id}/nfse"
        return pages(self._session, path, read_note, query=query, ahead=_PAGES_AHEAD)

    async def page(self, batch_id: int, number: int) -> Page[Note] | None:
        """Return one page of the batch's notes, counted from 1; None if it is beyond the last one."""
        return await one_page(self._session, f"/api/v1/batches/{batch_id}/nfse", read_note, number=number)

    async def history(self, batch_id: int) -> list[HistoryEntry]:
        """Return every interaction with the batch, oldest first."""
        return await collect(self._session, f"/api/v1/batches/{batch_id}/history", read_history_entry)


def _with_name(found: Batch, emitter_id: int, name: str) -> Batch:
    return require_same(found, "name", asked=(emitter_id, name), answered=(found.emitter_id, found.name))


def _batch(answer: Response, batch_id: int) -> Batch:
    return understand(answer, lambda data: with_id(Batch.model_validate(data), batch_id))
