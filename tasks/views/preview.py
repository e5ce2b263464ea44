"""What a reading would issue, on one page: counts, totals, and every reason for which a row stays behind."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.invoices import InvoiceRecord
from domain.competence import format_competence
from domain.money import format_brl
from domain.problems import Problem
from domain.products.lines import ProductLine
from domain.products.texts import transliterated
from domain.states import LIVING, RowState
from tasks.runtime import PRODUCTS, Desk

_ROWS_SHOWN = 5


def preview_markdown(desk: Desk, reading_id: int) -> str:
    """The page in the operator's language; amounts are service amounts."""
    reading = desk.ledger.read(ledger_files.reading_of, reading_id)
    file = desk.ledger.read(ledger_files.find_file, file_id=reading.file_id)
    refused = desk.ledger.read(ledger_rows.count_rows, reading_id).get(RowState.REFUSED, 0)
    notes = [note for note in _notes(desk, reading_id) if note.state in LIVING]
    say = desk.catalogue.text
    total = format_brl(sum(note.service_cents for note in notes))
    lines = [
        f"# {say('preview.title', file='' if file is None else file.name)}",
        say("preview.totals", notes=len(notes), total=total, refused=refused),
        *_warnings(desk, reading.understood or {}),
        *_transliterated(desk, reading_id, kind="" if file is None else file.kind),
        f"## {say('preview.by_emitter')}",
        *_table(
            (say("heading.emitter"), say("heading.competence"), say("heading.count"), say("heading.total")),
            _by_emitter(desk, notes),
        ),
        f"## {say('preview.refused')}",
        *_table((say("heading.reason"), say("heading.count"), say("heading.rows")), reasons(desk, reading_id)),
    ]
    return "\n\n".join(_joined(lines))


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Table rows stay together; everything else is a paragraph of its own."""
    table: list[str] = []
    for line in lines:
        if line.startswith("|"):
            table.append(line)
            continue
        if table:
            yield "\n".join(table)
            table = []
        yield line
    if table:
        yield "\n".join(table)


def _notes(desk: Desk, reading_id: int) -> Iterator[InvoiceRecord]:
    for batch in desk.ledger.read(ledger_batches.batches_where, reading_id=reading_id):
        yield from desk.ledger.read(ledger_invoices.invoices_of, batch.id)


def _warnings(desk: Desk, understood: dict[str, object]) -> Iterator[str]:
    warnings = understood.get("warnings")
    if isinstance(warnings, list):
        for raw in warnings:
            yield f"> {desk.catalogue.say(Problem.from_json(raw))}"


def _transliterated(desk: Desk, reading_id: int, *, kind: str) -> Iterator[str]:
    """What a product invoice cannot say as the sheet does: the provider's texts carry no accents."""
    if kind != PRODUCTS:
        return
    rows = desk.ledger.read(ledger_rows.rows_of, reading_id, RowState.ASSEMBLED, limit=desk.settings.limits.rows)
    lines = [ProductLine.from_json(row.line or {}) for row in rows]
    texts = {text for line in lines for text in (line.description, line.taker.name or "")}
    changed = sorted(text for text in texts if transliterated(text) != text)
    if changed:
        shown = "; ".join(f"{text} → {transliterated(text)}" for text in changed[:_ROWS_SHOWN])
        yield f"> {desk.catalogue.text('preview.transliterated', count=len(changed), examples=shown)}"


def _table(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    headings = tuple(headings)
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for row in rows:
        # A cell's text comes from people: what would end the cell or the row is taken out.
        yield f"| {' | '.join(str(cell).replace('|', '/').replace(chr(10), ' ') for cell in row)} |"


def _by_emitter(desk: Desk, notes: Iterable[InvoiceRecord]) -> Iterator[tuple[object, ...]]:
    emitters = {emitter.id: emitter for emitter in desk.ledger.read(ledger_parties.emitters_all)}
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for note in notes:
        groups[emitters[note.emitter_id].name, format_competence(note.competence)].append(note.service_cents)
    for (name, competence), cents in sorted(groups.items()):
        yield name, competence, len(cents), format_brl(sum(cents))


def reasons(desk: Desk, reading_id: int) -> list[tuple[str, int, str]]:
    """Why rows of a reading stay behind: the first row's sentence, how many rows, and where the first of them are."""
    refused = desk.ledger.read(ledger_rows.rows_of, reading_id, RowState.REFUSED, limit=desk.settings.limits.rows)
    sentences: dict[str, str] = {}
    places: defaultdict[str, list[int]] = defaultdict(list)
    for row in refused:
        for problem in row.problems:
            sentences.setdefault(problem.code, desk.catalogue.what(problem))
            places[problem.code].append(row.row_number)
    found = sorted(places.items(), key=lambda item: (-len(item[1]), item[1]))
    return [(sentences[code], len(numbers), _shown(numbers)) for code, numbers in found]


def _shown(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:_ROWS_SHOWN])) + (" …" if len(numbers) > _ROWS_SHOWN else "")
