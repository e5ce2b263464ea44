"""Preview the rows of a service sheet as billing would treat them, without writing."""

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from connectors.ledger.files import ReadingRecord
from connectors.ledger.parties import TakerRecord
from connectors.ledger.rows import Parties, RowRecord
from domain.forecasts.planned_invoices import Difference
from domain.issuing import SERVICE
from tasks.issuance.document_completion import FIELD, clear_documents
from tasks.preview.planned import service_note
from tasks.preview.previewed_rows import PreviewedRows, read_emitters_and_templates, readable_rows
from tasks.runtime import Runtime
from tasks.services.compose import compose_parts
from tasks.services.paging import PART
from tasks.services.party_search import PartySearch, collect_statements
from tasks.services.replaced import find_replaced
from tasks.services.takers import Newcomer
from tasks.stations.read import FileRead
from tasks.views.forecast_comparison import master_differences

_Parties: TypeAlias = tuple[int, int, int]
"""The fields of `Parties` as a plain tuple of numbers, which the garbage collector visits only once: there are many."""


async def preview_service_rows(runtime: Runtime, reading: ReadingRecord, read: FileRead) -> PreviewedRows:
    """Preview rows in parts, as billing treats them, so that memory holds only one part of a large file."""
    previewed = PreviewedRows()
    await _clear_documents(runtime, read, previewed)
    strangers: dict[int, Newcomer] = {}
    good, largest = await _find_parties(runtime, read, strangers, previewed)
    emitters, templates = await read_emitters_and_templates(runtime, largest)

    now, issuer = runtime.clock(), runtime.issuer_of(SERVICE)

    def newcomer(taker_id: int) -> TakerRecord:
        document, name = strangers[taker_id]
        return TakerRecord(taker_id, document, 0, name, {}, is_complete=True, looked_at=now, issuer=issuer)

    async def parts() -> AsyncIterator[Sequence[RowRecord]]:
        for places in _parts(read):
            known = ((place, good.get(read.rows.id_of(place))) for place in places)
            yield [read.rows.record(place, Parties(*parties)) for place, parties in known if parties is not None]

    found: dict[tuple[str, str, str], Difference] = {}
    async for part in compose_parts(runtime, reading, parts, largest, newcomer=newcomer):
        replaced, _ = await find_replaced(runtime, [part.rows[row_id] for row_id in part.invoices])
        previewed.notes += [
            service_note(
                row := part.rows[row_id],
                emitters[row.emitter_id or 0],
                part.takers[row.taker_id or 0],
                templates[row.template_id or 0],
                competence=invoice.competence,
                amounts=invoice.amounts,
                replaced=replaced.get(row_id),
            )
            for row_id, invoice in part.invoices.items()
        ]
        previewed.refused += [(part.rows[row_id].row_number, problems) for row_id, problems in part.bad.items()]
        for each in await master_differences(runtime, part.rows.values()):
            found.setdefault((each.document, each.field, each.sheet_says), each)
    previewed.differences = tuple(found.values())
    return previewed


async def _clear_documents(runtime: Runtime, read: FileRead, previewed: PreviewedRows) -> None:
    """Complete unclear documents before the search for customers, as station 3 does."""
    places = read.rows.indexes_mentioning(FIELD)
    while part := list(islice(places, PART)):
        records = readable_rows([read.rows.record(place) for place in part])
        found = await clear_documents(runtime, records, read.understood)
        read.rows.change(found.lines, found.bad)
        previewed.remarks.take_all(found.remarks)


def _parts(read: FileRead) -> Iterator[range]:
    """Yield the indexes of the rows, part by part."""
    places = range(len(read.rows))
    return (places[start : start + PART] for start in range(0, len(places), PART))


async def _find_parties(
    runtime: Runtime, read: FileRead, strangers: dict[int, Newcomer], previewed: PreviewedRows
) -> tuple[dict[int, _Parties], dict[int, int]]:
    """Return the parties of each row that has them, and the largest amount in cents of each template."""
    search = PartySearch(runtime, collect_statements(read.rows.lines), strangers)
    previewed.rates = search.rates
    good: dict[int, _Parties] = {}
    largest: dict[int, int] = {}
    for places in _parts(read):
        rows = [read.rows.record(place) for place in places]
        found = await search.find(readable_rows(rows))
        for row in rows:
            if row.id not in found.good:
                previewed.refused.append((row.row_number, found.bad.get(row.id, row.problems)))
                continue
            parties, cents = found.good[row.id], int((row.line or {})["service_cents"])
            template = parties.template_id or 0
            good[row.id] = parties.emitter_id, parties.taker_id or 0, template
            largest[template] = max(cents, largest.get(template, 0))
        previewed.remarks.take_all(found.remarks)
        previewed.updates, previewed.lookups, previewed.writes = found.updates, found.looks, found.writes
    previewed.template_lists = search.template_lists
    return good, largest
