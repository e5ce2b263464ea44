"""Judge a file as the line would, without a request that writes and without a new row in the ledger.

The ledger stores what the rehearsal looks up at the provider (emitters, templates, takers), as always, so that billing
the same file does not ask again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from connectors.ledger import parties as ledger_parties
from connectors.ledger.files import ReadingRecord
from connectors.ledger.parties import EmitterRecord, TakerRecord, TemplateRecord
from connectors.ledger.rows import Parties, RowRecord
from domain.forecasts.budget import LOOKS, Budget, Quota, product_budget, quota_of, service_budget
from domain.forecasts.forecast import Forecast, planned_batches
from domain.forecasts.notes import Difference, NumberRange, PlannedNote, reasons, without
from domain.issuing import SERVICE
from domain.parties import TakerData
from domain.problems import Problem
from domain.states import RowState
from tasks.issuance.numbering import UnusableSerie, batch_size, next_numbers
from tasks.preview.decisions import differing, file_decisions
from tasks.preview.planned import product_note, service_note
from tasks.products.assemble import compose_orders, group_orders
from tasks.products.resolve import find_issuers
from tasks.runtime import Runtime
from tasks.services.assemble import compose_rows
from tasks.services.resolve import find_parties
from tasks.sheets.kinds import kind_of
from tasks.stations.read import FileRead, ReadingOptions, read_without_storing
from tasks.views.history import compare_with_ledger, mapped_columns, master_differences, transliterations

_PRODUCT_LOOKS: Final = 2


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judged rows, and the decisions about them (`remarks`).

    Billing looks up `looks` registered customers again, and writes the records of `writes` of them.
    """

    notes: list[PlannedNote]
    bad: Mapping[int, Sequence[Problem]]
    records: Mapping[int, RowRecord]
    remarks: Sequence[Problem] = ()
    updates: Sequence[Difference] = ()
    looks: int = 0
    writes: int = 0


async def forecast_file(runtime: Runtime, path: Path, options: ReadingOptions) -> Forecast:
    """Return what billing this file now would do. Raises `LayoutError` for an unreadable file."""
    read = read_without_storing(runtime, path, options)
    good = [row for row in read.rows if row.state is RowState.READ]
    judge = _judge_orders if kind_of(read.kind).has_orders else _judge_rows
    judged = await judge(runtime, _imagined(read, options, runtime), good)
    refused: list[tuple[int, Sequence[Problem]]] = [
        (row.row_number, row.problems) for row in read.rows if row.state is RowState.REFUSED
    ]
    refused += [(judged.records[row_id].row_number, problems) for row_id, problems in judged.bad.items()]
    ranges, unusable = await _ranges(runtime, judged)
    differences = without(await master_differences(runtime, judged.records.values()), judged.updates)
    return Forecast(
        file_name=path.name,
        sheet=str(read.understood["sheet"]),
        kind=read.kind,
        notes=tuple(judged.notes),
        reasons=tuple(reasons(sorted(refused, key=lambda each: each[0]))),
        refused_rows=len(refused),
        skipped_rows=read.skipped,
        remarks=(*unusable, *transliterations(read.kind, judged.records.values())),
        columns=mapped_columns(read.understood),
        differences=differences,
        months=await compare_with_ledger(runtime, judged.notes),
        ranges=ranges,
        budget=await _budget(runtime, judged),
        quota=await _quota(runtime, judged.notes),
        decisions=file_decisions(read.understood, refused, read.rows, [*judged.remarks, *differing(differences)]),
        updates=tuple(judged.updates),
    )


def _imagined(read: FileRead, options: ReadingOptions, runtime: Runtime) -> ReadingRecord:
    """Return the reading record that would be stored."""
    wishes = {name: getattr(options, name) for name in ("allow_repeats", "retry_rejected", "answer")}
    return ReadingRecord(0, read.file_id, 0, options.operator, runtime.clock(), None, wishes, None)


async def _judge_rows(runtime: Runtime, reading: ReadingRecord, rows: Sequence[RowRecord]) -> _Judged:
    strangers: dict[int, TakerData] = {}
    found = await find_parties(runtime, rows, newcomers=strangers)
    resolved = {row.id: _resolved(row, found.good[row.id]) for row in rows if row.id in found.good}
    stand_ins = {taker_id: _stand_in(runtime, taker_id, data) for taker_id, data in strangers.items()}
    composed, bad = await compose_rows(runtime, reading, list(resolved.values()), newcomers=stand_ins)
    emitters, templates = await _parties(runtime, resolved)
    takers = await runtime.ledger.reading(
        ledger_parties.takers_by_ids, {row.taker_id or 0 for row in resolved.values()}
    )
    takers |= stand_ins
    notes = [
        service_note(
            row := resolved[row_id],
            emitters[row.emitter_id or 0],
            takers[row.taker_id or 0],
            templates[row.template_id or 0],
            competence=invoice.competence,
            amounts=invoice.amounts,
        )
        for row_id, invoice in composed.items()
    ]
    records = {row.id: row for row in rows} | resolved
    return _Judged(notes, {**found.bad, **bad}, records, found.remarks, found.updates, found.looks, found.writes)


def _resolved(row: RowRecord, parties: Parties) -> RowRecord:
    return replace(
        row,
        state=RowState.RESOLVED,
        emitter_id=parties.emitter_id,
        taker_id=parties.taker_id,
        template_id=parties.template_id,
    )


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


async def _parties(
    runtime: Runtime, resolved: Mapping[int, RowRecord]
) -> tuple[dict[int, EmitterRecord], dict[int, TemplateRecord]]:
    emitters = await runtime.ledger.reading(ledger_parties.emitters_all)
    wanted = {row.template_id for row in resolved.values() if row.template_id is not None}
    templates = await runtime.ledger.reading(ledger_parties.templates_by_ids, wanted)
    return {emitter.id: emitter for emitter in emitters}, templates


async def _judge_orders(runtime: Runtime, reading: ReadingRecord, rows: Sequence[RowRecord]) -> _Judged:
    good, unresolved = await find_issuers(runtime, rows)
    resolved = {row.id: _resolved(row, good[row.id]) for row in rows if row.id in good}
    groups = group_orders(list(resolved.values()))
    composed, bad = await compose_orders(runtime, reading, groups)
    emitters, _ = await _parties(runtime, resolved)
    notes = [
        product_note(
            resolved[leader],
            emitters[resolved[leader].emitter_id or 0],
            competence=invoice.competence,
            cents=invoice.amounts.total_cents,
        )
        for leader, invoice in composed.items()
    ]
    records = {row.id: row for row in rows} | resolved
    return _Judged(notes, {**unresolved, **bad}, records)


async def _ranges(runtime: Runtime, judged: _Judged) -> tuple[tuple[NumberRange, ...], list[Problem]]:
    """Return the numbers that the invoices would get, by emitter, and a remark for each unusable serie."""
    counts = Counter((note.kind, note.emitter_cnpj) for note in judged.notes)
    known = await runtime.ledger.reading(ledger_parties.emitters_all)
    emitters: dict[tuple[str, str], EmitterRecord] = {(each.kind, each.cnpj): each for each in known}
    ranges: list[NumberRange] = []
    unusable: list[Problem] = []
    for group, count in sorted(counts.items()):
        emitter = emitters[group]
        try:
            found = await next_numbers(runtime, emitter, count=count)
        except UnusableSerie as error:
            unusable.append(error.problem)
        else:
            last = found.first + count - 1
            ranges.append(NumberRange(emitter.kind, emitter.name, found.serie, found.first, last))
    return tuple(ranges), unusable


async def _budget(runtime: Runtime, judged: _Judged) -> Budget | None:
    """Return the requests still to make; the rehearsal has made most look-ups already."""
    if not judged.notes:
        return None
    protocol = runtime.settings.protocol
    issuer = runtime.issuer_of(judged.notes[0].kind)
    capabilities = runtime.capabilities(issuer)
    batches = planned_batches(judged.notes, most=batch_size(runtime, issuer))
    sizes = [len(batch) for batch in batches]
    emitters = {note.emitter_cnpj for note in judged.notes}
    if not capabilities.is_staged:
        return product_budget(
            batches=sizes,
            issuers=len(emitters),
            looks=_PRODUCT_LOOKS,
            extensions=capabilities.can_read,
        )
    templates = {(note.emitter_cnpj, note.template) for note in judged.notes}
    ceiling = protocol.list_above_cents
    dear = [] if ceiling is None else [each for each in batches if sum(note.service_cents for note in each) > ceiling]
    return service_budget(
        batches=sizes,
        emitters=len(emitters),
        templates=len(templates),
        series=len({note.group for note in judged.notes}),
        known_takers=judged.looks,
        written_takers=judged.writes,
        new_takers=len({note.taker_document for note in judged.notes if note.is_new_taker}),
        looks=LOOKS,
        listed=[len(batch) for batch in dear],
    )


async def _quota(runtime: Runtime, notes: Sequence[PlannedNote]) -> Quota | None:
    """Return the quota of the account's plan, which counts service invoices."""
    planned = sum(note.kind == SERVICE for note in notes)
    if not planned:
        return None
    account = await runtime.issuer(runtime.issuer_of(SERVICE)).account()
    return None if account is None else quota_of(account.issued, account.allowance, planned=planned)
