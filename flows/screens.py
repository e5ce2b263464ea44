"""Show results on the terminal: the catalogue's texts, and tables that fit a screen."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from rich.console import Console

from configs.catalogue import Catalogue
from connectors.ledger.batches import BatchRecord
from connectors.ledger.invoices import InvoiceRecord
from domain.competence import BRASILIA, format_competence
from domain.forecasts.forecast import MappedColumn
from domain.forecasts.planned_invoices import Reason
from domain.issuing import SERVICE
from domain.left_rows import LeftRows
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.states import InvoiceState, RowState
from flows.console_table import show_list
from flows.safe_console import ALARM, show_alarm
from tasks.preview.page import reason_words, shown_rows
from tasks.sheets.kinds import kind_of
from tasks.views.dashboard import BATCH_HEADINGS, batch_cells
from tasks.views.status import Overview
from tasks.views.trace import RowHistory

if TYPE_CHECKING:
    # Their modules load the workbook writer, which few commands need.
    from tasks.corrections.workbook import Corrections

_FIGURES: Final = frozenset({"count", "total", "batch"})


def show_overview(console: Console, words: Catalogue, seen: Overview) -> None:
    """Show batches, open incidents with what to do, and one line of totals."""
    if seen.batches:
        rows = [[str(cell) for cell in batch_cells(words, view)] for view in seen.batches]
        show_table(console, words, BATCH_HEADINGS, rows)
    if seen.left_out:
        console.print(words.text("cli.batches_ended", count=seen.left_out))
    for notice in seen.notices:
        show_alarm(console, words.say(notice))
    for incident in seen.incidents:
        problem = Problem(incident.code, params=incident.params)
        batch = words.text("cli.batch", batch=incident.batch_id or "-")
        show_alarm(console, f"{batch}: {words.say(problem)}", style=ALARM)
    console.print(summary(words, seen))


def summary(words: Catalogue, seen: Overview) -> str:
    """Return accepted, rejected, total and, where it is known, requests per invoice in one sentence."""
    per_invoice = seen.requests_per_invoice
    counts = words.text(
        "cli.summary",
        accepted=seen.notes.get(InvoiceState.ACCEPTED, 0),
        rejected=seen.notes.get(InvoiceState.REJECTED, 0),
        total=format_brl(seen.accepted_cents),
    )
    if per_invoice is None:
        return counts
    return f"{counts} · {words.text('cli.requests', requests=f'{per_invoice:.2f}'.replace('.', ','))}"


def show_reading(
    console: Console, words: Catalogue, seen: Overview, *, kind: str, skipped: int, left: LeftRows
) -> None:
    """Show how many rows were read, taken, held, refused and billed before.

    `skipped` rows have a living invoice. `kind` is the file's kind: it selects the word for rejected rows.
    """
    taken, read = sum(seen.rows.values()) - seen.rows.get(RowState.REFUSED, 0), sum(seen.rows.values())
    counts = {"taken": taken, "held": left.held, "refused": left.refused, "skipped": skipped + left.repeated}
    console.print(words.text("cli.rows", total=read + skipped, **counts))
    if left.rejected:
        status = words.text(kind_of(kind).rejected_word)
        console.print(words.text("cli.rows_rejected", count=left.rejected, status=status))


def show_remarks(console: Console, words: Catalogue, remarks: Iterable[Problem]) -> None:
    """Show remarks about the file as a whole, which a person should see before approval."""
    for each in remarks:
        show_alarm(console, words.say(each))


def show_columns(console: Console, words: Catalogue, columns: Iterable[MappedColumn]) -> None:
    """Show the field that each column was mapped to, in one paragraph."""
    lines = [
        words.text(
            "cli.column",
            letter=each.letter,
            header=each.header,
            field=words.text("preview.unused") if each.field is None else words.field(each.field),
        )
        for each in columns
    ]
    console.print(words.text("cli.columns", columns=" · ".join(lines)), style="dim")


def show_reasons(console: Console, words: Catalogue, reasons: Sequence[Reason]) -> None:
    """Show every reason why rows were not billed, with their count and row numbers."""
    rows = [(reason_words(words, each), str(len(each.rows)), shown_rows(each.rows)) for each in reasons]
    show_table(console, words, ("reason", "count", "rows"), rows)


def show_corrections(console: Console, words: Catalogue, found: "Corrections | None") -> None:
    """Show where the failing rows are and what to do with them."""
    if found is None:
        return
    console.print(words.text("cli.corrections", count=found.count, path=found.path), soft_wrap=True)
    console.print(words.text("cli.corrections_again"), soft_wrap=True)
    if not found.has_looks:
        console.print(words.text("cli.corrections_plain"))


def show_waiting(console: Console, words: Catalogue, waiting: Sequence[BatchRecord]) -> None:
    """Show what an approval would cover, batch by batch, with the digest it is bound to."""
    rows = [
        (
            str(batch.id),
            format_competence(batch.competence),
            str(batch.count),
            format_brl(batch.total_cents),
            (batch.digest or "")[:12],
        )
        for batch in waiting
    ]
    show_table(console, words, ("batch", "competence", "count", "total", "digest"), rows)


def is_total_confirmed(console: Console, words: Catalogue, waiting: Sequence[BatchRecord]) -> bool:
    """Return whether a person types the batches' total. Raises `FaturistaError` if nobody can type."""
    return is_sum_confirmed(console, words, sum(batch.total_cents for batch in waiting))


def is_sum_confirmed(console: Console, words: Catalogue, cents: int, *, asks: str = "cli.type_total") -> bool:
    """Return whether a person types the shown total of `cents`; `asks` is the code of the question.

    Raises `FaturistaError` if nobody can type.
    """
    total = format_brl(cents)
    try:
        typed = console.input(words.text(asks))
    except EOFError as error:
        raise FaturistaError(Problem("cli.nobody_types")) from error
    return _digits(typed) == _digits(total)


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def show_story(console: Console, words: Catalogue, story: RowHistory) -> None:
    """Show one row's history from its cell to the city's number."""
    row = story.row
    console.print(
        words.text(
            "trace.row",
            file=story.file_name,
            sheet=row.sheet,
            row=row.row_number,
            state=words.text(f"state.row.{row.state.value}"),
        )
    )
    for problem in row.problems:
        console.print(f"  {words.say(problem)}")
    for code, related in (("trace.corrects", story.before), ("trace.corrected", story.after)):
        for each in related:
            state = words.text(f"state.row.{each.row.state.value}")
            line = words.text(code, file=each.file_name, sheet=each.row.sheet, row=each.row.row_number, state=state)
            console.print(f"  {line}")
    for invoice in story.invoices:
        console.print(
            words.text(
                "trace.invoice" if invoice.kind == SERVICE else "trace.sale",
                kind=words.text(f"kind.{invoice.kind}"),
                emitter=story.emitter_name,
                serie=invoice.serie or "-",
                number=invoice.number or "-",
                state=words.text(_state_code(invoice)),
                id=invoice.id,
                remote=invoice.remote_id or "-",
                nfse=invoice.nfse_number or "-",
                amount=format_brl(invoice.service_cents),
            )
        )
    for sentence in (*story.keys, *story.replaced, *story.waits, *story.files):
        console.print(f"  {sentence}", markup=False)
    rows = [
        (step.at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M:%S.%f")[:-3], step.what, step.detail)
        for step in story.steps
    ]
    show_table(console, words, ("instant", "what", "detail"), rows)


def _state_code(invoice: InvoiceRecord) -> str:
    """Return the code of the word for an invoice's state: who rejects it depends on its kind."""
    is_rejected_sale = invoice.kind != SERVICE and invoice.state is InvoiceState.REJECTED
    return "sales.rejected" if is_rejected_sale else f"state.invoice.{invoice.state.value}"


def show_table(console: Console, words: Catalogue, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show a list below the catalogue's headings `heading.<name>`; show nothing without rows."""
    if not rows:
        return
    headings = [words.text(f"heading.{name}") for name in names]
    show_list(console, headings, rows, figures=[name in _FIGURES for name in names])
