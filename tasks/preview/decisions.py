"""List every decision about a sheet that its reader, its parser or the party search made without asking a person."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from connectors.ledger.rows import RowRecord
from connectors.spreadsheets.parsers import cells
from domain.decisions import Decision, DecisionKind, decisions_of, kind_of, sort_decisions
from domain.forecasts.planned_invoices import Difference
from domain.parties import ADDRESS_FIELDS
from domain.problems import Problem, Where
from tasks.preview.decisions_section import TEACHABLE, letter_of
from tasks.stations.read import SAMPLE_ROWS

_SAMPLES: Final = 3
_SHOWN: Final = 24
_NOTES: Final = 8
_NOTE_SHOWN: Final = 40
_MORE: Final = "…"
_CODES: Final = frozenset({"city_code"})
"""Parts of an address that the system derives: most sheets have no column of them."""


def file_decisions(
    understood: Mapping[str, Any],
    refused: Iterable[tuple[int, Sequence[Problem]]],
    rows: Sequence[RowRecord],
    more: Iterable[Problem] = (),
    *,
    searched: Iterable[Decision] = (),
) -> tuple[Decision, ...]:
    """Return every decision about a file, the worst first.

    Args:
        understood: How the reader understood the file, with its warnings and the decisions about its rows.
        refused: Row numbers with their problems; only problems that hold a row are decisions.
        rows: Rows of the file, which give sample values for unused columns.
        more: Differences from the register.
        searched: Decisions of the search for customers and templates.
    """
    warnings = [_with_samples(Problem.from_json(raw), rows) for raw in understood.get("warnings", ())]
    held = [each for _, problems in refused for each in problems if kind_of(each.code) is DecisionKind.HELD]
    if any(each.code == "row.hidden" for each in held):
        # the list of held rows has the hidden rows already
        warnings = [each for each in warnings if each.code != "sheet.hidden_rows"]
    of_rows = [_with_quotes(Decision.from_json(raw), rows) for raw in understood.get("decisions", ())]
    letters = {column["field"]: column["letter"] for column in understood.get("columns", ())}
    found = sort_decisions([*decisions_of([*warnings, *held]), *searched, *decisions_of(more), *of_rows])
    return tuple(_with_column(each, letters) for each in found)


def difference_problems(differences: Iterable[Difference]) -> list[Problem]:
    """Return a problem for each row and field in which the sheet's customer differs from the register.

    Billing uses the register's data. All parts of a row's address are one problem. Leave out e-mails: the search for
    customers reports them, because it knows the other rows of the customer.
    """
    fields: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for each in differences:
        if each.field != "email":
            fields[each.row_number][each.field] = None
    found: list[Problem] = []
    for row, names in fields.items():
        parts = [name for name in names if name in ADDRESS_FIELDS]
        shown = [name for name in parts if name not in _CODES] or parts
        if parts:
            # name the part that people type: the sheet has a column of it
            found.append(Problem("taker.address_differs", shown[0], Where(row=row), {"fields": ", ".join(shown)}))
        found += [
            Problem("taker.differs", name, Where(row=row), {"field": name}) for name in names if name not in parts
        ]
    return found


def _with_column(decision: Decision, letters: Mapping[str, str]) -> Decision:
    """Return a decision with the column of its field; the search for customers knows only row numbers."""
    where, field = decision.problem.where, decision.problem.field or ""
    letter = letter_of(field, letters)
    if where.row is None or where.column is not None or letter is None:
        return decision
    return dataclasses.replace(
        decision, problem=dataclasses.replace(decision.problem, where=dataclasses.replace(where, column=letter))
    )


def _with_quotes(decision: Decision, rows: Sequence[RowRecord]) -> Decision:
    """Return a decision about unprinted notes with some of their texts: one of them may forbid billing."""
    letter = decision.problem.where.column
    if decision.problem.code != "row.notes_unprinted" or letter is None:
        return decision
    numbers = frozenset(decision.rows)
    texts = (_cell_text(row.cells.get(letter), _NOTE_SHOWN) for row in rows[:SAMPLE_ROWS] if row.row_number in numbers)
    params = {**decision.problem.params, "samples": _join_first(texts, _NOTES)}
    return dataclasses.replace(decision, problem=dataclasses.replace(decision.problem, params=params))


def _with_samples(problem: Problem, rows: Sequence[RowRecord]) -> Problem:
    """Return the problem of an unused column with some of its values, so that a person recognises the column."""
    letter = problem.where.column
    if problem.code not in TEACHABLE or letter is None:
        return problem
    texts = (_cell_text(row.cells.get(letter)) for row in rows[:SAMPLE_ROWS])
    return dataclasses.replace(problem, params={**problem.params, "samples": _join_first(texts, _SAMPLES)})


def _join_first(texts: Iterable[str], most: int) -> str:
    found = list(dict.fromkeys(text for text in texts if text))
    more = [_MORE] if len(found) > most else []
    return ", ".join(found[:most] + more) if found else "–"


def _cell_text(cell: object, longest: int = _SHOWN) -> str:
    if isinstance(cell, str):
        return cells.as_text(cell)[:longest]
    return cells.as_text(float(cell)) if isinstance(cell, int | float) and not isinstance(cell, bool) else ""
