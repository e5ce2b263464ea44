"""List the decisions that were made about a sheet without asking a person, with their cells."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from configs.catalogue import Catalogue
from connectors.spreadsheets.writers.pages import Section
from domain.decisions import Decision, DecisionKind, runs
from domain.forecasts.forecast import Forecast
from tasks.views.sections import section

CELLS_SHOWN: Final = 5
"""The most cells or rows of a decision on a screen."""

_RUNS_SHOWN: Final = 1_500
"""The most runs of rows in a workbook's cell, which holds 32,767 characters."""

TEACHABLE: Final = frozenset({"column.unused", "column.similar"})
_QUOTED: Final = frozenset({"text", "samples", "listed", "registered", "document", "city"})
"""Parameters that quote a cell, or the name under which a document is registered."""
_UNQUOTED: Final = "…"
_SHOWN_AS: Final[Mapping[str, str]] = {"emitter_name": "emitter_cnpj", "email": "emails", "template": "template_name"}
"""By the field of a problem, the field whose column the problem is shown in."""


def decisions_section(words: Catalogue, seen: Forecast, *, is_shared: bool, has_all_cells: bool = False) -> Section:
    """Return all decisions that nobody was asked about, the most important first.

    `is_shared`: quote no cell. `has_all_cells`: list all cells. Leave out contradictions: alarms show them.
    """
    rows = [
        (
            words.text(f"preview.decision.{each.kind}"),
            _decision_text(words, each, is_shared=is_shared),
            each.count,
            _all_cells(words, each) if has_all_cells else shown_cells(words, each),
        )
        for each in seen.decisions
        if each.kind is not DecisionKind.CONTRADICTED
    ]
    is_taught = any(each.problem.code in TEACHABLE for each in seen.decisions)
    note = words.text("preview.teach") if is_taught else ""
    return section(words, "preview.decisions", ("weight", "decision", "count", "cells"), rows, note=note)


def _decision_text(words: Catalogue, decision: Decision, *, is_shared: bool) -> str:
    problem = decision.problem
    if is_shared:
        quoted = dict.fromkeys(_QUOTED & problem.params.keys(), _UNQUOTED)
        problem = replace(problem, params={**problem.params, **quoted})
    text = words.what(problem)
    return words.text("preview.such_as", text=text) if decision.is_example and not is_shared else text


def letter_of(field: str, letters: Mapping[str, str]) -> str | None:
    """Return the letter of the column that shows a field, or None. `letters` are column letters by field."""
    return letters.get(field) or letters.get(_SHOWN_AS.get(field, f"{field.removesuffix('_bp')}_stated"))


def shown_cells(words: Catalogue, decision: Decision) -> str:
    """Return the cells of a decision, or its rows if it applies to whole rows."""
    shown = decision.cells(CELLS_SHOWN)
    if shown and (more := decision.count - len(decision.rows[:CELLS_SHOWN])):
        shown = words.text("preview.more_cells", cells=shown, more=more)
    if not shown or decision.problem.where.column is not None:
        return shown
    return words.text("place.row", value=shown)


def _all_cells(words: Catalogue, decision: Decision) -> str:
    """Return all cells or rows of a decision; of a run of rows only its first and last."""
    letter = decision.problem.where.column or ""
    found = runs(decision.rows)
    parts = (f"{letter}{first}" if first == last else f"{letter}{first}:{letter}{last}" for first, last in found)
    shown = ", ".join(islice(parts, _RUNS_SHOWN))
    if more := sum(last - first + 1 for first, last in found[_RUNS_SHOWN:]):
        shown = words.text("preview.more_cells", cells=f"{shown} …", more=more)
    if not shown or letter:
        return shown
    return words.text("place.row", value=shown)
