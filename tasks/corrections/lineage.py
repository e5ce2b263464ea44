"""Find the refused row that each row of a dropped file corrects: by its tags, else by its content.

We write a tag into each returned row. People copy and sort rows, so the tag counts only if the row still has the
refused row's content, apart from the corrections. A charge with a living invoice is never billed again, whatever a
person changed in it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import FileRecord
from connectors.ledger.rows import NewRow, RowRecord
from connectors.ledger.sheets.row_families import living_families
from connectors.ledger.sheets.tag_secrets import TAGS, secret_of
from connectors.spreadsheets.corrections.hidden_data import HiddenData
from connectors.spreadsheets.parsers.cells import parse_yes_no
from connectors.spreadsheets.readings import releases
from domain.corrections.answers import answered_questions, unanswered_problems
from domain.corrections.row_matching import Candidates, RowSummary, is_likely
from domain.corrections.row_tags import is_tag, tagged_row
from domain.left_rows import STOPPED_BY, blocking_code
from domain.problems import Problem, Where
from domain.products.lines import same_order
from tasks.corrections.contract_charges import followed_charges, with_charge
from tasks.corrections.failures import failing_rows
from tasks.corrections.inherited_options import Inheritance
from tasks.corrections.row_summary import summary_of, understood_of
from tasks.runtime import Context
from tasks.sheets.kinds import kind_of

FILES_AT_MOST = 20
"""Largest number of earlier files in which to search for the original of a row without a tag."""


@dataclass(frozen=True, slots=True)
class _Drop:
    """A file that was just read: its rows, a summary of each, and the SHA-256 of the file that it corrects, or None."""

    kind: str
    news: Sequence[NewRow]
    summaries: Sequence[RowSummary]
    came_from: str | None


def follow_rows(
    context: Context,
    found: HiddenData,
    *,
    kind: str,
    understood: Mapping[str, Any],
    news: Sequence[NewRow],
    inheritance: Inheritance,
) -> list[NewRow]:
    """Link corrected rows to their originals, and refuse rows that must not be billed again. Return all rows.

    Also refuse rows with an inherited option that their originals had not. `kind` and `understood` (the column mapping)
    belong to the file just read. Rows of a file without our tags return unchanged.
    """
    tags = [_tags(new, found) for new in news]
    if not any(tags) and found.file_sha256 is None:
        return list(news)
    summaries = [summary_of(kind, understood, new.cells) for new in news]
    drop = _Drop(kind, news, summaries, found.file_sha256)
    named = _rows_of_tags(context, tags)
    originals = {row.id: row for row in context.ledger.read(ledger_rows.rows_by_ids, sorted(set().union(*named)))}
    problems: dict[int, Problem] = {}
    followed = _by_tag(context, drop, named, originals, problems)
    followed |= _by_likeness(context, drop, followed, originals, skipped=problems)
    _refuse_billed(context, followed, problems)
    charges = followed_charges(context, followed)
    for place, charge in charges.items():
        if (line := news[place].line) is not None and (other := charge.problem(line)) is not None:
            problems.setdefault(place, other)
    orders = [same_order(each.order) if each.order else None for each in summaries]
    for place, problem in inheritance.problems(context, understood, news, followed, orders):
        problems.setdefault(place, problem)
    if kind_of(kind).has_orders:
        _block_sales(drop, problems)
    kept = [with_charge(new, charges.get(place)) for place, new in enumerate(news)]
    linked = [_link_row(new, followed.get(place), problems.get(place)) for place, new in enumerate(kept)]
    still = _still_held(linked, followed, releasing_letter(understood))
    if kind_of(kind).has_orders:
        _block_sales(drop, still)
    return [
        new if place not in still else _link_row(new, followed.get(place), still[place])
        for place, new in enumerate(linked)
    ]


def _tags(new: NewRow, found: HiddenData) -> frozenset[str]:
    """Return every text of a row that looks like a tag: a cell of any column, and the end of a comment."""
    texts = {
        cell.strip()
        for cell in new.cells.values()
        # The length rules out most cells.
        if isinstance(cell, str) and 17 <= len(cell) <= 40 and is_tag(cell)
    }
    comment = found.tags.get((new.sheet, new.row_number))
    return frozenset(texts if comment is None else texts | {comment})


def _rows_of_tags(context: Context, tags: Sequence[Collection[str]]) -> list[set[int]]:
    """Return the ids of the ledger rows that each row's tags name; tags of another ledger name none."""
    if not any(tags):
        return [set() for _ in tags]
    secret = context.ledger.write(secret_of, TAGS)
    return [{row for tag in each if (row := tagged_row(tag, secret=secret)) is not None} for each in tags]


def _by_tag(
    context: Context,
    drop: _Drop,
    named: Sequence[Collection[int]],
    originals: Mapping[int, RowRecord],
    problems: dict[int, Problem],
) -> dict[int, RowRecord]:
    """Return, by index in `drop.news`, the ledger row that a row's tag names, if both mean the same charge."""
    understood = understood_of(context, originals.values())
    followed: dict[int, RowRecord] = {}
    first: dict[int, int] = {}
    for place, ids in enumerate(named):
        rows = [originals[each] for each in sorted(ids) if each in originals]
        if len(rows) > 1:
            problems[place] = Problem("row.tag_differs")
        if len(rows) != 1:
            continue
        (row,) = rows
        if not is_likely(summary_of(drop.kind, understood[row.reading_id], row.cells), drop.summaries[place]):
            continue
        other = first.setdefault(row.family, place)
        if other == place:
            followed[place] = row
        elif not kind_of(drop.kind).has_orders:
            # A copied row of a sale is another item of it; in a services sheet it would be a second bill.
            problems[place] = Problem("row.tag_twice", params={"other": drop.news[other].row_number})
    return followed


def _by_likeness(
    context: Context,
    drop: _Drop,
    followed: Mapping[int, RowRecord],
    originals: Mapping[int, RowRecord],
    *,
    skipped: Collection[int],
) -> dict[int, RowRecord]:
    """Return, by index in `drop.news`, the one best match among the refused rows, for rows without a valid tag."""
    files = _files(context, drop, originals)
    taken = {row.family for row in followed.values()}
    failing = [outcome.row for file in files for outcome in failing_rows(context, file)]
    free = {row.id: row for row in failing if row.family not in taken}
    understood = understood_of(context, free.values())
    candidates = Candidates(
        {row.id: summary_of(drop.kind, understood[row.reading_id], row.cells) for row in free.values()}
    )
    found: dict[int, RowRecord] = {}
    for place, summary in enumerate(drop.summaries):
        if (
            place not in followed
            and place not in skipped
            and (row_id := candidates.pop_best_match(summary)) is not None
        ):
            found[place] = free[row_id]
    return found


def _files(context: Context, drop: _Drop, originals: Mapping[int, RowRecord]) -> list[FileRecord]:
    ids = sorted({row.file_id for row in originals.values()})[-FILES_AT_MOST:]
    files = [context.ledger.read(ledger_files.find_file, file_id=each) for each in ids]
    if drop.came_from is not None:
        files.append(context.ledger.read(ledger_files.find_file, sha256=drop.came_from))
    found = {file.id: file for file in files if file is not None and file.kind == drop.kind}
    return list(found.values())


def _refuse_billed(context: Context, followed: Mapping[int, RowRecord], problems: dict[int, Problem]) -> None:
    living = context.ledger.read(living_families, {row.family for row in followed.values()})
    for place, row in followed.items():
        bill = living.get(row.family)
        if bill is not None:
            params: dict[str, str | int] = {"file": bill.file_name, "row": bill.row_number}
            params |= {"serie": bill.serie or "-", "number": bill.number or "-"}
            problems[place] = Problem("row.already_corrected", params=params)


def _block_sales(drop: _Drop, problems: dict[int, Problem]) -> None:
    """Refuse all rows of a sale of which one row is refused: a sale is billed as a whole or not at all."""
    orders = [same_order(summary.order or "") for summary in drop.summaries]
    spoilt: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted(problems):
        spoilt[orders[place]].append(place)
    for place, (order, new) in enumerate(zip(orders, drop.news, strict=True)):
        if order and order in spoilt and place not in problems and not new.problems:
            params: dict[str, str | int] = {"order": (drop.summaries[place].order or "")[:40]}
            params["other"] = drop.news[spoilt[order][0]].row_number
            params[STOPPED_BY] = blocking_code([problems[each] for each in spoilt[order]])
            problems[place] = Problem("product.order_blocked", "order_key", params=params)


def releasing_letter(understood: Mapping[str, Any]) -> str | None:
    """Return the letter of a column that a person added to release held rows, or None."""
    columns = (each for each in understood["columns"] if each["field"] == "is_wanted")
    return next((each["letter"] for each in columns if releases(each["header"])), None)


def _still_held(news: Sequence[NewRow], followed: Mapping[int, RowRecord], letter: str | None) -> dict[int, Problem]:
    """Return, by index in `news`, why a row stays held: it came back without an answer to its question."""
    found: dict[int, Problem] = {}
    for place, row in followed.items():
        new = news[place]
        cell = None if letter is None else new.cells.get(letter)
        is_released = cell is not None and parse_yes_no(cell) is True
        # The month in a sheet's title does not matter to a row with its own month, or billed for another month.
        has_month = new.run_competence is None or new.run_competence != row.run_competence
        for problem in unanswered_problems(row.problems, new.line, is_released=is_released, has_month=has_month):
            found[place] = problem
    return found


def _link_row(new: NewRow, row: RowRecord | None, problem: Problem | None) -> NewRow:
    follows_id = None if row is None else row.id
    if problem is None:
        return replace(new, follows_id=follows_id, line=new.line if row is None else _with_answers(new.line, row))
    placed = replace(problem, where=Where(sheet=new.sheet, row=new.row_number))
    return replace(new, line=None, problems=(*new.problems, placed), follows_id=follows_id)


def _with_answers(line: Mapping[str, Any] | None, row: RowRecord) -> Mapping[str, Any] | None:
    """Return a correction's parsed line, with the codes of the questions that it answers. `row`: the corrected row."""
    found = answered_questions({problem.code for problem in row.problems}, row.line, line)
    return {**line, "answered": list(found)} if line is not None and found else line
