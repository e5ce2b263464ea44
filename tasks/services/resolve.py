"""Station 3 for service sheets: look up each issuer, customer and template of a reading once."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from connectors.http.errors import ConnectorError
from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import ReadingRecord
from domain.decisions import decisions_of, sort_decisions
from domain.left_rows import count_left
from domain.problems import Problem
from domain.states import RowState
from domain.station_result import StationResult, Subject
from tasks.issuance.document_completion import clear_documents, store_clear_documents
from tasks.records.carry_out import Requester
from tasks.runtime import Runtime
from tasks.services.paging import in_parts
from tasks.services.party_search import PartySearch
from tasks.services.register_writes import write_register
from tasks.services.taker_merge import TakerMerge


async def resolve_services(runtime: Runtime, reading_id: int) -> StationResult:
    """Find the parties of every row. Safe to repeat: customers are looked up before they are created."""
    ledger = runtime.ledger
    reading = await ledger.read_async(ledger_files.reading_of, reading_id)
    file = await ledger.read_async(ledger_files.file_of_reading, reading_id)
    write = partial(write_register, runtime, Requester(reading.operator, file.name))
    counts = Counter(resolved=0, refused=0)
    statements, unclear = await _collect_statements(runtime, reading)
    counts.update(count_left(unclear).report_counts())
    search = PartySearch(runtime, statements, write=write)
    has_unread = (await ledger.read_async(ledger_rows.count_rows, reading_id)).get(RowState.REFUSED, 0) > 0
    async for records in in_parts(runtime, reading_id, RowState.READ):
        found = await search.find(records)
        if found.bad:
            await ledger.write_async(ledger_rows.refuse_rows, found.bad, because="parties not resolved")
        await ledger.write_async(ledger_rows.resolve_rows, found.good, keys={})
        decisions = [each.to_json() for each in sort_decisions([*decisions_of(found.remarks), *search.rates.all()])]
        search.rates.clear()
        if decisions:
            await ledger.write_async(ledger_files.add_decisions, reading_id, decisions)
        counts.update(resolved=len(found.good), **count_left(found.bad.values()).report_counts())
    with suppress(ConnectorError):
        # The rows are judged. The list of templates only helps the person who corrects them, so a failure is harmless.
        await search.store_templates(reading, has_unread=has_unread)
    return StationResult("resolve", Subject("reading", reading_id), counts=dict(counts))


async def _collect_statements(
    runtime: Runtime, reading: ReadingRecord
) -> tuple[TakerMerge, Sequence[Sequence[Problem]]]:
    """Return the rows' statements about each customer, and the problems of rows whose document stays unclear.

    Complete unclear documents first, because statements are grouped by document.
    """
    statements, unclear = TakerMerge(), list[Sequence[Problem]]()
    async for records in in_parts(runtime, reading.id, RowState.READ):
        found = await clear_documents(runtime, records, reading.understood or {})
        await store_clear_documents(runtime, reading.id, found)
        unclear += found.bad.values()
        statements.collect(record.line or {} for record in found.of(records))
    if statements.differ:
        async for records in in_parts(runtime, reading.id, RowState.READ):
            statements.collect_differing(record.line or {} for record in records)
    return statements, unclear
