"""Judge the rows of a service sheet as billing would, without writing."""

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice

from connectors.ledger import parties as ledger_parties
from connectors.ledger.files import ReadingRecord
from connectors.ledger.parties import TakerRecord
from connectors.ledger.rows import Parties, RowRecord
from domain.forecasts.notes import Difference
from domain.issuing import SERVICE
from domain.parties import TakerData
from tasks.issuance.unclear_documents import FIELD, clear_documents
from tasks.preview.judged import Judged, known_parties, readable
from tasks.preview.planned import service_note
from tasks.runtime import Runtime
from tasks.services.compose import compose_parts
from tasks.services.paging import PART
from tasks.services.party_search import PartySearch, heard
from tasks.stations.read import FileRead
from tasks.views.history import master_differences


async def judge_rows(runtime: Runtime, reading: ReadingRecord, read: FileRead) -> Judged:
    """Judge a file's rows in parts, as billing does: of a large file, no more than a part is in memory at once."""
    judged = Judged()
    await _clear_documents(runtime, read, judged)
    strangers: dict[int, TakerData] = {}
    good, largest = await _find_parties(runtime, read, strangers, judged)
    emitters, templates = await known_parties(runtime, good.values())
    stand_ins = {taker_id: _stand_in(runtime, taker_id, data) for taker_id, data in strangers.items()}

    async def parts() -> AsyncIterator[Sequence[RowRecord]]:
        for places in _parts(read):
            known = ((place, good.get(read.rows.id_of(place))) for place in places)
            yield [read.rows.record(place, parties) for place, parties in known if parties is not None]

    found: dict[tuple[str, str, str], Difference] = {}
    async for part in compose_parts(runtime, reading, parts, largest, newcomers=stand_ins):
        takers = stand_ins | await runtime.ledger.reading(
            ledger_parties.takers_by_ids, {row.taker_id or 0 for row in part.rows.values()}
        )
        judged.notes += [
            service_note(
                row := part.rows[row_id],
                emitters[row.emitter_id or 0],
                takers[row.taker_id or 0],
                templates[row.template_id or 0],
                competence=invoice.competence,
                amounts=invoice.amounts,
            )
            for row_id, invoice in part.invoices.items()
        ]
        judged.refused += [(part.rows[row_id].row_number, problems) for row_id, problems in part.bad.items()]
        for each in await master_differences(runtime, part.rows.values()):
            found.setdefault((each.document, each.field, each.sheet_says), each)
    judged.differences = tuple(found.values())
    return judged


async def _clear_documents(runtime: Runtime, read: FileRead, judged: Judged) -> None:
    """Let the register tell unclear documents first, as the station does."""
    places = read.rows.naming(FIELD)
    while part := list(islice(places, PART)):
        records = readable([read.rows.record(place) for place in part])
        found = await clear_documents(runtime, records, read.understood)
        read.rows.change(found.lines, found.bad)
        judged.remarks += found.remarks


def _parts(read: FileRead) -> Iterator[range]:
    """Yield the places of the rows, part by part."""
    places = range(len(read.rows))
    return (places[start : start + PART] for start in range(0, len(places), PART))


async def _find_parties(
    runtime: Runtime, read: FileRead, strangers: dict[int, TakerData], judged: Judged
) -> tuple[dict[int, Parties], dict[int, int]]:
    """Return the parties of each row that has them, and the largest amount in cents of each template."""
    search = PartySearch(runtime, heard(read.rows.lines), strangers)
    good: dict[int, Parties] = {}
    largest: dict[int, int] = {}
    for places in _parts(read):
        rows = [read.rows.record(place) for place in places]
        found = await search.find(readable(rows))
        for row in rows:
            if row.id not in found.good:
                judged.refused.append((row.row_number, found.bad.get(row.id, row.problems)))
                continue
            good[row.id] = parties = found.good[row.id]
            template, cents = parties.template_id or 0, int((row.line or {})["service_cents"])
            largest[template] = max(cents, largest.get(template, 0))
        judged.remarks += found.remarks
        judged.updates, judged.looks, judged.writes = found.updates, found.looks, found.writes
    return good, largest


def _stand_in(runtime: Runtime, taker_id: int, data: TakerData) -> TakerRecord:
    document = "" if data.document is None else data.document.number
    return TakerRecord(
        taker_id,
        document,
        0,
        data.name or "",
        {},
        is_complete=True,
        looked_at=runtime.clock(),
        issuer=runtime.issuer_of(SERVICE),
    )
