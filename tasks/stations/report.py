"""Station 9: write a workbook with the outcome of every row of a file, for the people who dropped it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import parties as ledger_parties
from connectors.ledger.batches import BatchRecord
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import RowOutcome, RowRecord
from connectors.ledger.sheets.answers import newest_change
from connectors.ledger.sheets.row_families import Living, living_families
from connectors.ledger.sheets.row_outcomes import newest_rows
from connectors.spreadsheets.outcome.writer import write_outcome
from connectors.spreadsheets.row_summaries import RowSummary
from domain.competence import parse_competence
from domain.decisions import Decision
from domain.issuing.customers import is_same_name
from domain.left_rows import is_held
from domain.problems import FaturistaError, Problem, Where
from domain.reports import Outcome, OutcomeReport, OutcomeRow, summarize
from domain.states import LIVING, InvoiceState, RowState
from tasks.backup.detaching import refuse_detached
from tasks.corrections.failures import is_rejected
from tasks.corrections.file_names import OUTCOME, answer_paths
from tasks.corrections.related_files import corrected_in_other_files
from tasks.documents.stored_documents import stored_files
from tasks.runtime import Context
from tasks.runtime.shared_files import publish_answer, withdraw_answer
from tasks.sheets.kinds import SheetKind, kind_of
from tasks.views.due_work import suspended_batches
from tasks.views.forecast_comparison import mapped_columns
from tasks.views.left_rows import is_repeated
from tasks.views.lineage import lineage
from tasks.views.rejections import explain, is_otherwise_valid, problems_of, repeats_the_issuer
from tasks.views.waiting import why_waiting
from tasks.views.withdrawal_reasons import withdrawal_reasons

_OUTCOMES: Final[dict[InvoiceState, Outcome]] = {
    InvoiceState.ACCEPTED: "accepted",
    InvoiceState.REJECTED: "rejected",
    InvoiceState.REFUSED: "refused",
    InvoiceState.CANCELLED: "cancelled",
    InvoiceState.REPLACED: "cancelled",
    InvoiceState.DELETED: "withdrawn",
    InvoiceState.RETIRED: "withdrawn",
    InvoiceState.IN_DOUBT: "in_doubt",
    InvoiceState.UNRESOLVED: "in_doubt",
}
_UNTAXED: Final[frozenset[Outcome]] = frozenset({"rejected", "refused", "withdrawn", "cancelled"})
"""Outcomes of invoices that nobody pays: the workbook shows no taxes for them, so that nobody adds those up."""


_CHOSEN_DOCUMENTS: Final = frozenset({"document.kind_chosen", "document.of_register"})
_CELLS_SHOWN: Final = 5


def refuse_detached_rows(context: Context, file_id: int) -> None:
    """Raise `FaturistaError` (`closing.detached`) if a row of the file is in a detached month: its texts are gone."""
    invoices = (outcome.invoice for outcome in context.ledger.read(newest_rows, file_id))
    for competence in sorted({invoice.competence for invoice in invoices if invoice is not None}):
        refuse_detached(context, competence)


def report_outcome(context: Context, file_id: int, *, folder: Path | None = None) -> Path:
    """Write the outcome workbook of a file. Return its path. The same content gives the same bytes.

    Raises `FaturistaError` for a file that was never dropped or read.
    """
    ledger = context.ledger
    file = ledger.read(ledger_files.find_file, file_id=file_id)
    reading = ledger.read(ledger_files.last_reading, file_id)
    if file is None or reading is None:
        raise FaturistaError(Problem("file.not_in_ledger", params={"file": file_id}))
    outcomes = ledger.read(newest_rows, file_id)
    emitters = {emitter.id: emitter for emitter in ledger.read(ledger_parties.emitters_all)}
    batches = {batch.id: batch for batch in ledger.read(ledger_batches.batches_where)}
    understood = reading.understood or {"columns": []}
    kind = kind_of(file.kind)
    summaries = list(_with_customers((outcome, kind.summary_of_row(outcome.row, understood)) for outcome in outcomes))
    gone = corrected_in_other_files(context, file_id, [outcome for outcome in outcomes if _is_left(outcome)])
    row_of = partial(_outcome_row, kind=kind, suspended=suspended_batches(context))
    lines = (
        _gone_on(context, row_of(context, outcome, summary, emitters, batches), outcome, gone)
        for outcome, summary in summaries
    )
    path, *others = answer_paths(context, file, folder, OUTCOME)
    files = stored_files(context, {batch.id for batch in _batches_in(outcomes, batches)})
    invoices = [outcome.invoice for outcome in outcomes if outcome.invoice is not None]
    lineage_texts, why_withdrawn = lineage(context, invoices), withdrawal_reasons(context, invoices, batches)
    rows = tuple(
        _with_files(
            _with_lineage(
                _mark_corrected(context, _with_withdrawal(context, line, outcome, why_withdrawn), bill),
                outcome,
                lineage_texts,
            ),
            outcome,
            files,
        )
        for line, bill, outcome in zip(lines, _billed_elsewhere(context, outcomes), outcomes, strict=True)
    )
    report = OutcomeReport(
        file_name=file.name,
        file_sha256=file.sha256,
        made_at=ledger.read(newest_change, file_id) or reading.started_at,
        rows=rows,
        totals=summarize(rows),
        words=kind.outcome_words(context.catalogue),
        control_total_cents=understood.get("declared_cents"),
        warnings=tuple(_notices(context, understood)),
        columns=tuple(_columns(context, understood)),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_outcome(path, report)
    publish_answer(context.settings, path)
    for other in others:
        # No later report would update the answer in another language: withdraw it.
        if other.is_file():
            withdraw_answer(context.settings, other)
    return path


def _with_lineage(line: OutcomeRow, outcome: RowOutcome, lineage_texts: Mapping[int, Sequence[str]]) -> OutcomeRow:
    """Return the line with sentences about the invoice that its invoice replaces, or that replaces it."""
    texts = lineage_texts.get(outcome.invoice.id, ()) if outcome.invoice is not None else ()
    return _add_reasons(line, [(text, "") for text in texts]) if texts else line


def _with_withdrawal(
    context: Context, line: OutcomeRow, outcome: RowOutcome, why_withdrawn: Mapping[int, Problem]
) -> OutcomeRow:
    """Return the line with the reason why its invoice was taken back, and what to do."""
    why = why_withdrawn.get(outcome.invoice.id) if outcome.invoice is not None else None
    return line if why is None else _add_reasons(line, [_words_of(context, why)])


def _with_files(line: OutcomeRow, outcome: RowOutcome, files: Mapping[int, Mapping[str, Path]]) -> OutcomeRow:
    """Return the line with the addresses of its invoice's documents. They hold wherever somebody moves the workbook."""
    kept = files.get(outcome.invoice.id, {}) if outcome.invoice is not None else {}
    return replace(line, files={kind: path.absolute().as_uri() for kind, path in kept.items()})


def _notices(context: Context, understood: Mapping[str, Any]) -> Iterator[str]:
    """Yield the decisions that chose a customer's document without asking, then the warnings about the sheet."""
    words = context.catalogue
    for each in map(Decision.from_json, understood.get("decisions", ())):
        if each.problem.code in _CHOSEN_DOCUMENTS:
            yield f"{each.cells(_CELLS_SHOWN)}: {words.what(each.problem)}"
    yield from (words.say(Problem.from_json(raw)) for raw in understood.get("warnings", ()))


def _columns(context: Context, understood: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the field that each column was mapped to, in the operator's words."""
    words = context.catalogue
    for each in mapped_columns(understood):
        field = words.text("preview.unused") if each.field is None else words.field(each.field)
        yield each.letter, each.header, field


def _billed_elsewhere(context: Context, outcomes: Sequence[RowOutcome]) -> Iterator[Living | None]:
    """Yield, for each row, the living invoice of another row of its charge, such as a correction; else None.

    Yield None for a row that has a living invoice of its own.
    """
    living = context.ledger.read(living_families, {outcome.row.family for outcome in outcomes})
    for outcome in outcomes:
        has_own = outcome.invoice is not None and outcome.invoice.state in LIVING
        yield None if has_own else living.get(outcome.row.family)


def _mark_corrected(context: Context, line: OutcomeRow, bill: Living | None) -> OutcomeRow:
    if bill is None:
        return line
    params: dict[str, str | int] = {"file": bill.file_name, "row": bill.row_number}
    params |= {"serie": bill.serie or "-", "number": bill.number or "-"}
    billed = replace(line, outcome="repeated", status=context.catalogue.text("status.repeated"), problems=(), mends=())
    return _add_reasons(billed, [_words_of(context, Problem("row.already_corrected", params=params))])


def _is_left(outcome: RowOutcome) -> bool:
    """Return whether a person may have corrected the row since."""
    return outcome.row.state is RowState.REFUSED or (outcome.invoice is not None and is_rejected(outcome))


def _gone_on(context: Context, line: OutcomeRow, outcome: RowOutcome, gone: Mapping[int, RowRecord]) -> OutcomeRow:
    """Return the line; if the row was dropped again in another file, refer to that file's answer instead of advice."""
    row = gone.get(outcome.row.family) if _is_left(outcome) else None
    if row is None:
        return line
    file = context.ledger.read(ledger_files.find_file, file_id=row.file_id)
    name = "" if file is None else file.name
    text = context.catalogue.text("outcome.gone_on", file=name, row=row.row_number)
    # somebody followed this row's advice in the other file, or it is outdated
    bare = replace(line, mends=("",) * len(line.mends))
    return _add_reasons(bare, [(text, context.catalogue.text("outcome.act_gone_on"))])


def _with_customers(summaries: Iterable[tuple[RowOutcome, RowSummary]]) -> Iterator[tuple[RowOutcome, RowSummary]]:
    """Yield each row's summary with its order's customer, whom the sheet may name on only one line of the order."""
    summaries = list(summaries)
    customers = {
        outcome.invoice.id: summary
        for outcome, summary in reversed(summaries)
        if outcome.invoice is not None and summary.taker_name
    }
    for outcome, summary in summaries:
        named = customers.get(outcome.invoice.id) if outcome.invoice is not None else None
        if named is None or summary.taker_name or summary.taker_document:
            yield outcome, summary
        else:
            yield outcome, replace(summary, taker_name=named.taker_name, taker_document=named.taker_document)


def _batches_in(outcomes: Iterable[RowOutcome], batches: Mapping[int, BatchRecord]) -> Iterator[BatchRecord]:
    for outcome in outcomes:
        if outcome.invoice is not None and outcome.invoice.batch_id is not None:
            yield batches[outcome.invoice.batch_id]


def _outcome_row(
    context: Context,
    outcome: RowOutcome,
    summary: RowSummary,
    emitters: dict[int, EmitterRecord],
    batches: dict[int, BatchRecord],
    *,
    kind: SheetKind,
    suspended: Mapping[int, int],
) -> OutcomeRow:
    row, invoice = outcome.row, outcome.invoice
    # An order's invoice has many rows: each shows its own line, and the first one the amount that the customer pays.
    is_whole = invoice is not None and (not kind.has_orders or invoice.row_id == row.id)
    emitter = emitters.get(invoice.emitter_id if invoice else row.emitter_id or 0) or next(
        (each for each in emitters.values() if each.cnpj == summary.emitter_cnpj), None
    )
    batch = batches.get(invoice.batch_id) if invoice is not None and invoice.batch_id is not None else None
    ended = _outcome_of(row, invoice)
    has_taxes = is_whole and ended not in _UNTAXED
    named = None if invoice is None else json.loads(invoice.content).get("taker_name")
    line = OutcomeRow(
        sheet=row.sheet,
        row=row.row_number,
        outcome=ended,
        status=context.catalogue.text(_status_word(kind, invoice, ended)),
        emitter_cnpj=emitter.cnpj if emitter else summary.emitter_cnpj,
        emitter_name=emitter.name if emitter else None,
        taker_document=summary.taker_document,
        taker_name=named or summary.taker_name,
        sheet_name=None if is_same_name(named, summary.taker_name) else summary.taker_name,
        subject=summary.subject,
        description=summary.description,
        competence=invoice.competence if invoice else summary.competence or parse_competence(row.run_competence or ""),
        emission_at=(invoice.emission_at or (batch.emission_at if batch else None)) if invoice else None,
        serie=invoice.serie if invoice else None,
        number=invoice.number if invoice else None,
        service_cents=invoice.service_cents if invoice and not kind.has_orders else summary.service_cents,
        liquid_cents=invoice.liquid_cents if invoice and has_taxes else None,
        amounts=invoice.amounts if invoice and has_taxes else {},
        batch_name=batch.name if batch else None,
        remote_id=invoice.remote_id if invoice else None,
        nfse_number=invoice.nfse_number if invoice else None,
        nfse_key=invoice.nfse_key if invoice else None,
    )
    return _add_reasons(line, _reasons(context, row, invoice, batch, suspended))


def _add_reasons(line: OutcomeRow, problems: Iterable[tuple[str, str]]) -> OutcomeRow:
    """Return the line with further reasons, and what to do about each."""
    found = list(problems)
    whats, mends = (tuple(each[place] for each in found) for place in (0, 1))
    return replace(line, problems=(*line.problems, *whats), mends=(*line.mends, *mends))


def _outcome_of(row: RowRecord, invoice: InvoiceRecord | None) -> Outcome:
    if invoice is not None:
        return _OUTCOMES.get(invoice.state, "waiting")
    if is_repeated(row):
        return "repeated"
    if is_held(row.problems):
        return "held"
    return "refused" if row.problems else "waiting"


def _status_word(kind: SheetKind, invoice: InvoiceRecord | None, ended: Outcome) -> str:
    if invoice is not None and invoice.state is InvoiceState.REPLACED:
        return "state.invoice.replaced"
    return kind.rejected_word if ended == "rejected" else f"status.{ended}"


def _reasons(
    context: Context,
    row: RowRecord,
    invoice: InvoiceRecord | None,
    batch: BatchRecord | None,
    suspended: Mapping[int, int],
) -> Iterator[tuple[str, str]]:
    """Yield (sentence, advice): our problems, what the invoice waits for, the provider's or the city's messages."""
    errors = () if invoice is None else invoice.errors
    explained = list(explain(context.catalogue, errors, is_otherwise_valid=is_otherwise_valid(row.problems)))
    for problem in row.problems:
        # The workbook shows the sentence beside its row: only the column is new to the reader.
        what, mend = _words_of(context, replace(problem, where=Where(column=problem.where.column)))
        yield what, "" if repeats_the_issuer(problem, explained) else mend
    if invoice is None:
        return
    held_up = why_waiting(context, invoice, batch, suspended)
    if held_up is not None:
        yield _words_of(context, held_up)
    for problem in problems_of(invoice):
        yield _words_of(context, problem)
    yield from explained


def _words_of(context: Context, problem: Problem) -> tuple[str, str]:
    """Return a problem's sentence, with its place, and the advice."""
    words = context.catalogue
    place = words.place(problem.where)
    return (f"{place}: " if place else "") + words.what(problem), words.advice(problem)
