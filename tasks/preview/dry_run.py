"""Find out what billing would do with a file: send no write, and store no row.

The ledger stores what the preview looks up at the provider (emitters, templates, takers), as always, so that billing
the same file does not ask again.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import ReadingRecord
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import RowRecord
from domain.forecasts.budget import LOOKS, Budget, Quota, product_budget, quota_of, service_budget
from domain.forecasts.forecast import Forecast, planned_batches
from domain.forecasts.planned_invoices import NumberRange, PlannedNote, group_by_reason, without_settled
from domain.issuing import SERVICE
from domain.left_rows import count_left
from domain.problems import Problem
from tasks.approvals.charged_months import customers_of
from tasks.issuance.numbering import UnusableSerie, batch_size, next_numbers
from tasks.preview.decisions import difference_problems, file_decisions
from tasks.preview.previewed_rows import PreviewedRows
from tasks.runtime import Runtime
from tasks.sheets.kinds import kind_of
from tasks.sheets.mapping_choice import sender_of
from tasks.stations.read import SAMPLE_ROWS, FileRead, read_without_storing
from tasks.stations.reading_options import ReadingOptions
from tasks.views.forecast_comparison import compare_with_ledger, mapped_columns

_PRODUCT_LOOKS: Final = 2


async def forecast_file(runtime: Runtime, path: Path, options: ReadingOptions) -> Forecast:
    """Return what billing this file now would do. Raises `InputError` for an unreadable file."""
    read = read_without_storing(runtime, path, options)
    previewed = await _preview_sheet(runtime, _unstored_reading(read, options, runtime), read)
    refused = sorted(previewed.refused, key=lambda each: each[0])
    counts = count_left(problems for _, problems in refused)
    ranges, unusable = await _ranges(runtime, previewed)
    samples = await _samples(runtime, read)
    differences = without_settled(previewed.differences, previewed.updates)
    numbers = {number for number, _ in refused}
    left = (row for row in read.rows if row.row_number in numbers)
    return Forecast(
        file_name=path.name,
        sheet=str(read.understood["sheet"]),
        kind=read.kind,
        notes=tuple(previewed.notes),
        reasons=tuple(group_by_reason(refused)),
        held_rows=counts.held,
        refused_rows=counts.refused,
        skipped_rows=read.skipped + counts.repeated,
        remarks=(*unusable, *previewed.file_remarks),
        columns=mapped_columns(read.understood),
        differences=differences,
        months=await compare_with_ledger(
            runtime, previewed.notes, left_customers=lambda: customers_of(left, read.understood)
        ),
        ranges=ranges,
        budget=await _budget(runtime, previewed),
        quota=await _quota(runtime, previewed.notes),
        decisions=file_decisions(
            read.understood,
            refused,
            samples,
            difference_problems(differences),
            searched=(*previewed.remarks.all(), *previewed.rates.all()),
        ),
        updates=tuple(previewed.updates),
        run_competence=read.run_competence,
        sender=sender_of(read.understood, options.sender),
    )


async def _samples(runtime: Runtime, read: FileRead) -> list[RowRecord]:
    """Return the first rows of the sheet. If this reading skips billed rows, take them all from the ledger."""
    if not read.skipped:
        return list(islice(read.rows, SAMPLE_ROWS))
    sheet = str(read.understood["sheet"])
    return await runtime.ledger.read_async(ledger_rows.samples_of, read.file_id, sheet, limit=SAMPLE_ROWS)


async def _preview_sheet(runtime: Runtime, reading: ReadingRecord, read: FileRead) -> PreviewedRows:
    """Preview the rows by the rules of their kind of sheet."""
    if kind_of(read.kind).has_orders:
        from tasks.preview.previewed_orders import preview_orders  # noqa: PLC0415 - a file has rows of one kind

        return await preview_orders(runtime, reading, read)
    from tasks.preview.previewed_services import preview_service_rows  # noqa: PLC0415 - as above

    return await preview_service_rows(runtime, reading, read)


def _unstored_reading(read: FileRead, options: ReadingOptions, runtime: Runtime) -> ReadingRecord:
    """Return the reading record that billing would store."""
    stored = {name: getattr(options, name) for name in ("allow_repeats", "retry_rejected", "answer")}
    return ReadingRecord(0, read.file_id, 0, options.operator, runtime.clock(), None, stored, None)


async def _ranges(runtime: Runtime, previewed: PreviewedRows) -> tuple[tuple[NumberRange, ...], list[Problem]]:
    """Return the numbers that the invoices would get, by emitter, and a remark for each unusable serie."""
    counts = Counter((note.kind, note.emitter_cnpj) for note in previewed.notes)
    known = await runtime.ledger.read_async(ledger_parties.emitters_all)
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


async def _budget(runtime: Runtime, previewed: PreviewedRows) -> Budget | None:
    """Return the requests still to make; the preview has made most look-ups already."""
    if not previewed.notes:
        return None
    protocol = runtime.settings.protocol
    issuer = runtime.issuer_of(previewed.notes[0].kind)
    capabilities = runtime.capabilities(issuer)
    batches = planned_batches(previewed.notes, most=batch_size(runtime, issuer))
    sizes = [len(batch) for batch in batches]
    emitters = {note.emitter_cnpj for note in previewed.notes}
    if not capabilities.is_staged:
        return product_budget(
            batches=sizes,
            issuers=len(emitters),
            looks=_PRODUCT_LOOKS,
            extensions=capabilities.can_read,
        )
    templates = {(note.emitter_cnpj, note.template) for note in previewed.notes}
    ceiling = protocol.list_above_cents
    over_ceiling = (
        [] if ceiling is None else [each for each in batches if sum(note.service_cents for note in each) > ceiling]
    )
    return service_budget(
        batches=sizes,
        emitters=len(emitters),
        templates=len(templates),
        series=len({note.group for note in previewed.notes}),
        known_takers=previewed.lookups,
        written_takers=previewed.writes,
        new_takers=len({note.taker_document for note in previewed.notes if note.is_new_taker}),
        looks=LOOKS,
        listed=[len(batch) for batch in over_ceiling],
        template_lists=previewed.template_lists,
    )


async def _quota(runtime: Runtime, notes: Sequence[PlannedNote]) -> Quota | None:
    """Return the quota of the account's plan, which counts service invoices."""
    planned = sum(note.kind == SERVICE for note in notes)
    if not planned:
        return None
    account = await runtime.issuer(runtime.issuer_of(SERVICE)).account()
    return None if account is None else quota_of(account.issued, account.allowance, planned=planned)
