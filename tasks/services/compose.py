"""Compose an invoice from each resolved row of a service sheet. Write nothing."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from connectors.http.errors import NotFound
from connectors.ledger import parties as ledger_parties
from connectors.ledger.closings import closed_months
from connectors.ledger.contracts import source_of_sheet
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.drafting import Newest, newest_entries
from connectors.ledger.files import ReadingRecord
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.parties import EmitterRecord, TakerRecord, TemplateFamily, TemplateRecord
from connectors.ledger.rows import RowRecord
from domain.cities import city_of
from domain.competence import competence_problem, emission_problem
from domain.invoice_numbers import place_text
from domain.issuing.service_invoice import ServiceInvoice
from domain.money import format_brl
from domain.problems import Problem
from domain.services.invoices import LARGEST_CENTS, compose_invoice, other_keys
from domain.services.lines import ServiceLine
from domain.taxes import compute_amounts
from domain.templates import ServiceTemplate
from tasks.issuance.former_months import former_months
from tasks.issuance.lost_charges import ChargeFacts, post_backup_duplicates
from tasks.issuance.repeats import asks_again, place_problem, without_repeats
from tasks.runtime import Runtime
from tasks.services.moved_files import find_moved
from tasks.services.named_payments import name_payments
from tasks.services.replaced import find_replaced, place_of, without_replacements
from tasks.services.resembling_files import Comparison, compare_charges, hold_changed
from tasks.services.similar_charges import hold_similar, is_of_contracts

if TYPE_CHECKING:
    from tasks.services.sheet_charges import SheetCharges
    from tasks.services.sheet_payments import SheetPayments

Parts: TypeAlias = Callable[[], AsyncIterator[Sequence[RowRecord]]]
"""The rows of a reading in parts; called for each pass."""

StandIn: TypeAlias = Callable[[int], TakerRecord]
"""Returns a temporary record, by its negative id, for a customer that neither the provider nor the ledger has."""

_DATES_AT_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Known:
    """The emitters and templates of a reading, by ledger id. `verdicts` has a problem for each unusable template.

    `newcomer` returns the stand-in record of a new taker in a preview. `now` is the ledger's time, because release
    checks the same dates by it. `closed` are months in which no invoice may be added. `date_problems` caches the
    problems by competence and emission instant.
    """

    emitters: Mapping[int, EmitterRecord]
    templates: Mapping[int, ServiceTemplate]
    families: Mapping[int, TemplateFamily]
    verdicts: Mapping[int, Problem | None]
    newcomer: StandIn | None
    now: datetime
    closed: frozenset[date]
    date_problems: dict[tuple[date, datetime | None], tuple[Problem, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComposedPart:
    """Some resolved rows of a reading, by id: the invoices of some, and the problems of the others.

    `takers` are those of all these rows, by their own ids. `replaced` has the ids of the issued invoices that rows
    replace. `newest` were the ledger's newest entries before the rows were compared with it.
    """

    rows: Mapping[int, RowRecord]
    takers: Mapping[int, TakerRecord]
    invoices: Mapping[int, ServiceInvoice]
    bad: Mapping[int, Sequence[Problem]]
    replaced: Mapping[int, int]
    newest: Newest


@dataclass(frozen=True, slots=True)
class _Composed:
    """The invoices of some rows, by row id, and the problems of the other rows (`bad`).

    `barred` has the problems of invoices whose month or date may not be billed now. They are compared with the ledger
    all the same: a charge that has an invoice must not be billed in another month. `other_keys`: see `other_keys`.
    """

    invoices: dict[int, ServiceInvoice] = field(default_factory=dict)
    barred: dict[int, Sequence[Problem]] = field(default_factory=dict)
    other_keys: dict[int, set[str]] = field(default_factory=dict)
    replaced: dict[int, int] = field(default_factory=dict)
    bad: dict[int, Sequence[Problem]] = field(default_factory=dict)

    def leave_out(self, problems: Mapping[int, Sequence[Problem]]) -> None:
        """Compose no invoice for these rows, because of these problems."""
        for row_id in problems:
            for found in (self.invoices, self.barred, self.other_keys):
                found.pop(row_id, None)
        self.bad.update(problems)


async def compose_parts(
    runtime: Runtime,
    reading: ReadingRecord,
    parts: Parts,
    largest: Mapping[int, int],
    *,
    newcomer: StandIn | None = None,
) -> AsyncIterator[ComposedPart]:
    """Yield the invoices of a reading's resolved rows, part by part. Write nothing.

    `largest` has the largest requested amount in cents by template. With `newcomer` this is a preview, whose rows
    the ledger does not have.
    """
    newest = await runtime.ledger.read_async(newest_entries)
    known = await _look_up(runtime, largest, newcomer)
    charges = await _charges_of(runtime, reading)

    async def named() -> AsyncIterator[Sequence[RowRecord]]:
        async for records in parts():
            yield (await name_payments(runtime, records)).records

    async def compose(records: Sequence[RowRecord]) -> Mapping[int, ServiceInvoice]:
        takers = await _takers_of(runtime, known, records)
        return (await _compose_each(runtime, known, records, takers, {})).invoices

    seen = await compare_charges(runtime, reading, named(), compose, _family_ids(known))
    if seen.resembled is None:
        seen = replace(seen, resembled=await find_moved(runtime, reading, named(), compose, _family_ids(known)))
    before: dict[str, int] | None = None if newcomer is None else {}
    async for unnamed in parts():
        records, unknown = await name_payments(runtime, unnamed)
        takers = await _takers_of(runtime, known, records)
        months = await former_months(runtime, records)
        composed = await _compose_each(runtime, known, records, takers, months)
        if charges is not None:
            composed.leave_out(await charges.outdated(runtime, records))
        elif any(record.follows_id is not None for record in records):
            from tasks.services.sheet_charges import billed_by_others  # noqa: PLC0415 - few sheets are corrections

            composed.leave_out(await billed_by_others(runtime, records))
        composed.leave_out({row_id: (*composed.bad.get(row_id, ()), each) for row_id, each in unknown.items()})
        by_id = {record.id: record for record in records}
        kept, left = await _hold_back(runtime, reading, known, composed, by_id, months=months, seen=seen, before=before)
        yield ComposedPart(by_id, takers, kept, {**composed.bad, **left}, composed.replaced, newest)


async def _charges_of(runtime: Runtime, reading: ReadingRecord) -> "SheetCharges | SheetPayments | None":
    """Return the charges or payments of a sheet that we wrote; None for any other file."""
    if not is_of_contracts(reading):
        return None
    source = await runtime.ledger.read_async(source_of_sheet, reading.file_id)
    # A dropped sheet needs neither module.
    if source == "contracts":
        from tasks.services.sheet_charges import sheet_charges  # noqa: PLC0415

        return await sheet_charges(runtime, reading.file_id)
    if source == "payments":
        from tasks.services.sheet_payments import sheet_payments  # noqa: PLC0415

        return sheet_payments(runtime)
    return None


async def _hold_back(
    runtime: Runtime,
    reading: ReadingRecord,
    known: _Known,
    found: _Composed,
    by_id: Mapping[int, RowRecord],
    *,
    months: Mapping[int, frozenset[date]],
    seen: Comparison,
    before: dict[str, int] | None,
) -> tuple[dict[int, ServiceInvoice], dict[int, Sequence[Problem]]]:
    """Return the invoices that bill no charge again and may be billed now, and the problems of the others."""
    composed, repeated = await without_repeats(
        runtime,
        reading,
        found.invoices,
        by_id,
        retried={each.id for each in by_id.values() if asks_again([each])},
        before=before,
        barred=found.barred,
        others=found.other_keys,
    )
    # A replacement resembles the invoice that it replaces: that is no second charge.
    compared = without_replacements(composed)
    changed = hold_changed(reading, seen.resembled, compared, by_id)
    similar = await hold_similar(
        runtime, reading, compared, by_id, ours=seen.ours, families=_family_ids(known), former_months=months
    )
    held = {**similar, **changed}
    composed = {row_id: invoice for row_id, invoice in composed.items() if row_id not in held}
    is_ours = is_of_contracts(reading)
    charges = {
        row_id: replace(_charge(invoice, known.emitters[by_id[row_id].emitter_id or 0]), is_ours=is_ours)
        for row_id, invoice in composed.items()
    }
    code = "row.customer_billed_before_loss" if is_ours else "row.billed_before_loss"
    lost: dict[int, Sequence[Problem]] = {}
    for row_id, (serie, number) in (await post_backup_duplicates(runtime, reading, charges)).items():
        del composed[row_id]
        billed = Problem(code, params={"serie": serie, "number": number})
        lost[row_id] = [place_problem(by_id[row_id], billed)]
    kept = {row_id: invoice for row_id, invoice in composed.items() if row_id not in found.barred}
    return kept, {**found.barred, **lost, **repeated, **held}


async def _compose_each(
    runtime: Runtime,
    known: _Known,
    records: Sequence[RowRecord],
    takers: Mapping[int, TakerRecord],
    months: Mapping[int, frozenset[date]],
) -> _Composed:
    """Compose the rows. `months` are the former months of the rows that a person corrected."""
    replaced, unfit = await find_replaced(runtime, records)
    found = _Composed(bad=dict(unfit), replaced={row_id: other.id for row_id, other in replaced.items()})
    for record in records:
        if record.id in unfit:
            continue
        other = replaced.get(record.id)
        line = _line_of(record, other)
        invoice, problems = _compose(runtime, known, takers, record, line=line, replaced=other)
        placed = [place_problem(record, problem) for problem in problems]
        if invoice is None:
            found.bad[record.id] = placed
            continue
        found.invoices[record.id] = invoice
        if placed:
            found.barred[record.id] = placed
        names, others = known.families[record.template_id or 0].names, months.get(record.id, frozenset())
        if len(names) > 1 or others:
            found.other_keys[record.id] = other_keys(line, invoice, template_names=names, months=others)
    return found


async def _takers_of(runtime: Runtime, known: _Known, records: Sequence[RowRecord]) -> dict[int, TakerRecord]:
    """Return the ledger's records of these rows' takers; in a preview add stand-ins for new takers."""
    wanted = {row.taker_id for row in records if row.taker_id is not None}
    found = await runtime.ledger.read_async(ledger_parties.takers_by_ids, wanted)
    if known.newcomer is None:
        return found
    return found | {each: known.newcomer(each) for each in wanted if each < 0}


def _family_ids(known: _Known) -> Mapping[int, int]:
    return {template_id: family.id for template_id, family in known.families.items()}


def _charge(invoice: ServiceInvoice, emitter: EmitterRecord) -> ChargeFacts:
    return ChargeFacts(
        issuer=emitter.issuer,
        cnpj=emitter.cnpj,
        competence=invoice.competence,
        document=invoice.taker_document,
        cents=invoice.total_cents,
    )


async def _look_up(runtime: Runtime, largest: Mapping[int, int], newcomer: StandIn | None) -> _Known:
    """Read the emitters, templates and closed months. `largest`: the largest requested amount in cents, by template."""
    ledger = runtime.ledger
    emitters = {record.id: record for record in await ledger.read_async(ledger_parties.emitters_all)}
    templates = await ledger.read_async(ledger_parties.templates_by_ids, largest.keys())
    # Leave out an amount that no invoice can have: its row is refused, and the provider's refusal would stop them all.
    verdicts = {
        template_id: await _confirm(
            runtime, emitters[templates[template_id].emitter_id], templates[template_id], min(cents, LARGEST_CENTS)
        )
        for template_id, cents in largest.items()
    }
    read = {template_id: ServiceTemplate.from_json(record.body) for template_id, record in templates.items()}
    return _Known(
        emitters,
        read,
        await ledger.read_async(ledger_parties.template_families),
        verdicts,
        newcomer,
        await ledger.read_async(ledger_now),
        frozenset(await ledger.read_async(closed_months)),
    )


async def _confirm(
    runtime: Runtime, emitter: EmitterRecord, record: TemplateRecord, service_cents: int
) -> Problem | None:
    """Compare our liquid amount with the issuer's for this template's largest amount, once a run."""
    ours = compute_amounts(service_cents, ServiceTemplate.from_json(record.body).profile).liquid_cents
    try:
        theirs = await runtime.register(emitter.issuer).calculate(record.remote_id, service_cents)
    except NotFound:
        return Problem("template.gone", "template", params={"template": record.name})
    if ours == theirs:
        return None
    return Problem(
        "template.calculation_differs",
        "template",
        params={
            "template": record.name,
            "service": format_brl(service_cents),
            "ours": format_brl(ours),
            "theirs": format_brl(theirs),
        },
    )


def _line_of(record: RowRecord, replaced: InvoiceRecord | None) -> ServiceLine:
    line = ServiceLine.from_json(record.line or {})
    if replaced is None:
        return line
    # The business key has our own number, whichever number the sheet says: one replacement for one invoice.
    return replace(line, replaces=place_text(replaced.serie or "", replaced.number or 0))


def _compose(
    runtime: Runtime,
    known: _Known,
    takers: Mapping[int, TakerRecord],
    record: RowRecord,
    *,
    line: ServiceLine,
    replaced: InvoiceRecord | None,
) -> tuple[ServiceInvoice | None, Sequence[Problem]]:
    """Return the invoice of a row, with the problems of its dates, or None with everything that is wrong."""
    assert record.emitter_id is not None
    assert record.template_id is not None
    assert record.taker_id is not None
    verdict = known.verdicts[record.template_id]
    if verdict is not None:
        return None, [verdict]
    problems = _date_problems(runtime, line, known)
    emitter = known.emitters[record.emitter_id]
    city = city_of(emitter.city_code)
    assert city is not None
    composed = compose_invoice(
        line,
        emitter_cnpj=emitter.cnpj,
        city=city,
        taker_remote_id=takers[record.taker_id].remote_id,
        taker_name=takers[record.taker_id].name or None,
        template=known.templates[record.template_id],
        is_confirmed=True,
        replaces=None if replaced is None else place_of(replaced),
    )
    if isinstance(composed, ServiceInvoice):
        return composed, problems
    return None, [*problems, *composed]


def _date_problems(runtime: Runtime, line: ServiceLine, known: _Known) -> Sequence[Problem]:
    """Return why the row's month or emission date may not be billed. Cache: a sheet has few different dates."""
    if line.competence is None:
        return ()
    dates = line.competence, line.emission_at
    found = known.date_problems.get(dates)
    if found is None and len(known.date_problems) < _DATES_AT_MOST:
        found = known.date_problems[dates] = _problems_of(runtime, *dates, known)
    return _problems_of(runtime, *dates, known) if found is None else found


def _problems_of(
    runtime: Runtime, competence: date, emission_at: datetime | None, known: _Known
) -> tuple[Problem, ...]:
    protocol, now = runtime.settings.protocol, known.now
    found = (
        competence_problem(competence, now, known.closed),
        emission_problem(
            emission_at or now,
            competence,
            now,
            max_age_days=protocol.emission_max_age_days,
            is_holiday=runtime.is_holiday,
            allowed_months_after=protocol.allowed_months_after,
        ),
    )
    return tuple(problem for problem in found if problem is not None)
