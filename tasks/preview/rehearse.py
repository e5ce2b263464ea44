"""Judge a file as the line would, without a request that writes and without a new row in the ledger.

The ledger stores what the rehearsal looks up at the provider (emitters, templates, takers), as always, so that billing
the same file does not ask again.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final

from connectors.ledger import parties as ledger_parties
from connectors.ledger.files import ReadingRecord
from connectors.ledger.parties import EmitterRecord, TakerRecord
from connectors.ledger.rows import Parties, RowRecord
from domain.competence import month_text
from domain.forecasts.budget import LOOKS, Budget, Quota, product_budget, quota_of, service_budget
from domain.forecasts.forecast import Forecast, planned_batches
from domain.forecasts.notes import Difference, NumberRange, PlannedNote, reasons, without
from domain.issuing import SERVICE
from domain.left_rows import count_left
from domain.parties import TakerData
from domain.problems import Problem
from domain.states import RowState
from domain.templates import ServiceTemplate
from tasks.issuance.numbering import UnusableSerie, batch_size, next_numbers
from tasks.preview.decisions import differing, file_decisions
from tasks.preview.planned import product_note, service_note
from tasks.products.assemble import compose_orders, group_orders
from tasks.products.resolve import find_issuers
from tasks.runtime import Runtime
from tasks.services.assemble import compose_parts
from tasks.services.paging import PART
from tasks.services.resolve import PartySearch, heard
from tasks.sheets.kinds import kind_of
from tasks.stations.read import SAMPLE_ROWS, FileRead, ReadingOptions, read_without_storing
from tasks.views.history import compare_with_ledger, mapped_columns, master_differences, transliterations

_PRODUCT_LOOKS: Final = 2


@dataclass(slots=True)
class _Judged:
    """The judged rows, and the decisions about them (`remarks`).

    `refused` are the numbers of refused rows with their problems, `oddities` are remarks about the whole file. Billing
    looks up `looks` registered customers again, and writes the records of `writes` of them.
    """

    notes: list[PlannedNote] = field(default_factory=list)
    refused: list[tuple[int, Sequence[Problem]]] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)
    oddities: Sequence[Problem] = ()
    differences: Sequence[Difference] = ()
    updates: Sequence[Difference] = ()
    looks: int = 0
    writes: int = 0


async def forecast_file(runtime: Runtime, path: Path, options: ReadingOptions) -> Forecast:
    """Return what billing this file now would do. Raises `LayoutError` for an unreadable file."""
    read = read_without_storing(runtime, path, options)
    judge = _judge_orders if kind_of(read.kind).has_orders else _judge_rows
    judged = await judge(runtime, _imagined(read, options, runtime), read)
    refused = sorted(judged.refused, key=lambda each: each[0])
    left = count_left(problems for _, problems in refused)
    ranges, unusable = await _ranges(runtime, judged)
    differences = without(judged.differences, judged.updates)
    return Forecast(
        file_name=path.name,
        sheet=str(read.understood["sheet"]),
        kind=read.kind,
        notes=tuple(judged.notes),
        reasons=tuple(reasons(refused)),
        held_rows=left.held,
        refused_rows=left.refused,
        skipped_rows=read.skipped + left.repeated,
        remarks=(*unusable, *judged.oddities),
        columns=mapped_columns(read.understood),
        differences=differences,
        months=await compare_with_ledger(runtime, judged.notes),
        ranges=ranges,
        budget=await _budget(runtime, judged),
        quota=await _quota(runtime, judged.notes),
        decisions=file_decisions(
            read.understood, refused, list(islice(read.rows, SAMPLE_ROWS)), [*judged.remarks, *differing(differences)]
        ),
        updates=tuple(judged.updates),
        run_competence=None if options.competence is None else month_text(options.competence),
    )


def _imagined(read: FileRead, options: ReadingOptions, runtime: Runtime) -> ReadingRecord:
    """Return the reading record that would be stored."""
    stored = {name: getattr(options, name) for name in ("allow_repeats", "retry_rejected", "answer")}
    return ReadingRecord(0, read.file_id, 0, options.operator, runtime.clock(), None, stored, None)


async def _judge_rows(runtime: Runtime, reading: ReadingRecord, read: FileRead) -> _Judged:
    """Judge a file's rows in parts, as billing does: of a large file, no more than a part is in memory at once."""
    judged = _Judged()
    strangers: dict[int, TakerData] = {}
    good, largest = await _find_parties(runtime, read, strangers, judged)
    emitters, templates = await _known(runtime, good.values())
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


def _parts(read: FileRead) -> Iterator[range]:
    """Yield the places of the rows, part by part."""
    places = range(len(read.rows))
    return (places[start : start + PART] for start in range(0, len(places), PART))


async def _find_parties(
    runtime: Runtime, read: FileRead, strangers: dict[int, TakerData], judged: _Judged
) -> tuple[dict[int, Parties], dict[int, int]]:
    """Return the parties of each row that has them, and the largest amount in cents of each template."""
    search = PartySearch(runtime, heard(read.rows.lines), strangers)
    good: dict[int, Parties] = {}
    largest: dict[int, int] = {}
    for places in _parts(read):
        rows = [read.rows.record(place) for place in places]
        found = await search.find(_readable(rows))
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


def _readable(rows: Sequence[RowRecord]) -> list[RowRecord]:
    return [row for row in rows if row.state is RowState.READ]


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


async def _known(
    runtime: Runtime, parties: Iterable[Parties]
) -> tuple[dict[int, EmitterRecord], dict[int, ServiceTemplate]]:
    """Return all emitters, and the templates of these rows, by ledger id."""
    emitters = await runtime.ledger.reading(ledger_parties.emitters_all)
    wanted = {each.template_id for each in parties if each.template_id is not None}
    templates = await runtime.ledger.reading(ledger_parties.templates_by_ids, wanted)
    return (
        {emitter.id: emitter for emitter in emitters},
        {template_id: ServiceTemplate.from_json(record.body) for template_id, record in templates.items()},
    )


async def _judge_orders(runtime: Runtime, reading: ReadingRecord, read: FileRead) -> _Judged:
    """Judge a file's orders together: the rows of one may lie anywhere in the sheet."""
    rows = list(read.rows)
    known = _readable(rows)
    good, unresolved = await find_issuers(runtime, known)
    resolved = {row.id: _resolved(row, good[row.id]) for row in known if row.id in good}
    groups = group_orders(list(resolved.values()))
    composed, bad = await compose_orders(runtime, reading, groups)
    emitters, _ = await _known(runtime, good.values())
    notes = [
        product_note(
            resolved[leader],
            emitters[resolved[leader].emitter_id or 0],
            competence=invoice.competence,
            cents=invoice.amounts.total_cents,
        )
        for leader, invoice in composed.items()
    ]
    problems = {**unresolved, **bad}
    problems |= {row.id: row.problems for row in rows if row.state is RowState.REFUSED}
    refused = [(row.row_number, problems[row.id]) for row in rows if row.id in problems]
    return _Judged(notes, refused, oddities=tuple(transliterations(read.kind, known)))


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
