"""Choose the layout of a file: the built-in one of its kind, or one with a mapping that a person saved.

A mapping applies to a file with exactly the headers that it was saved with, or of a named sender. Anything less is
reported, never guessed.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from configs.layouts import read_layout
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.column_mapping import (
    Fit,
    SavedMapping,
    contradicts,
    fit,
    fits_layout,
    is_near,
    is_same_sender,
)
from connectors.spreadsheets.headers.layouts import Layout, fitting
from connectors.spreadsheets.headers.saved_mappings import saved_mappings
from connectors.spreadsheets.readings import OpenedSheet, open_sheet
from domain.problems import FaturistaError, InputError, Problem
from tasks.runtime import PRODUCTS, SERVICES, Context

KINDS = (SERVICES, PRODUCTS)
"""Kinds of sheets whose headers can be saved."""
_MASTER: Final[Mapping[str, Problem]] = {
    "takers": Problem("sheet.is_takers"),
    "templates": Problem("sheet.is_templates"),
    "emitters": Problem("sheet.is_emitters"),
}


def plain_layouts(kinds: Sequence[str] = KINDS) -> dict[str, Layout]:
    """Return the built-in layout of each kind."""
    return {kind: _built_in(kind) for kind in kinds}


@functools.cache
def _built_in(kind: str) -> Layout:
    return Layout.from_data(read_layout(kind))


def stored_mappings(context: Context) -> list[SavedMapping]:
    """Return all mappings that people saved. Raises `SettingsError` for a file that is no mapping."""
    return saved_mappings(Path(context.settings.paths.mappings))


def check_sender(context: Context, sender: str | None) -> None:
    """Refuse a sender that neither a saved mapping nor a setting names. Raises `FaturistaError`."""
    if sender is None:
        return
    known = {each.name for each in stored_mappings(context)} | context.settings.reading.templates.keys()
    if not any(is_same_sender(sender, name) for name in known):
        params = {"name": sender, "known": ", ".join(sorted(known)) or "–"}
        raise FaturistaError(Problem("sender.unknown", params=params))


def sender_of(understood: Mapping[str, Any], named: str | None) -> str | None:
    """Return the sheet's sender: the one that the request named, else the one whose saved mapping was used."""
    used = (each["params"]["name"] for each in understood.get("warnings", ()) if each["code"] == "mapping.used")
    return named or next(used, None)


def template_of_sender(context: Context, sender: str | None) -> str | None:
    """Return the template that the settings give to this sender's sheets, or None."""
    templates = context.settings.reading.templates
    return next((templates[name] for name in templates if sender and is_same_sender(sender, name)), None)


def open_with_layout(
    context: Context,
    workbook: Workbook,
    *,
    kinds: Sequence[str] = KINDS,
    sheet: str | None = None,
    sender: str | None = None,
    competence: date | None = None,
) -> OpenedSheet:
    """Choose the layout and find the header in it; `competence` chooses among sheets that are named by months.

    Raises `InputError` as `layout_of` and `find_header` do.
    """
    layout = layout_of(context, workbook, kinds=kinds, sheet=sheet, sender=sender)
    try:
        uses_hidden = context.settings.reading.hidden_columns == "use"
        return open_sheet(workbook, layout, sheet=sheet, uses_hidden=uses_hidden, competence=competence)
    except InputError as error:
        _refuse_master(workbook, sheet, error)
        raise


def layout_of(
    context: Context,
    workbook: Workbook,
    *,
    kinds: Sequence[str] = KINDS,
    sheet: str | None = None,
    sender: str | None = None,
) -> Layout:
    """Return the layout for this workbook; its name is the kind. Ignore a sender without a saved mapping.

    Raises `InputError`: `mapping.outgrown` (the sheet lacks headers of its sender's mapping), `mapping.near` (a
    mapping for almost these headers would read the sheet differently), `mapping.several` (mappings of several senders
    fit and differ).
    """
    plain = plain_layouts(kinds)
    kept = [each for each in stored_mappings(context) if each.kind in plain]
    fits = [(each, fit(each, workbook, plain[each.kind], sheet=sheet)) for each in kept]
    named = [(each, found) for each, found in fits if sender is not None and each.is_named(sender)]
    if named:
        chosen, found = min(named, key=lambda pair: (len(pair[1].missing), len(pair[1].came) + len(pair[1].gone)))
        if not found.is_usable:
            raise InputError(_outgrown_problem(chosen, found, plain))
        return chosen.apply_to(plain[chosen.kind])
    same = _single_mapping([each for each, found in fits if found.is_same])
    if same is not None:
        return same.apply_to(plain[same.kind])
    return _choose_plain_layout(workbook, plain, fits, sheet=sheet)


def _single_mapping(same: Sequence[SavedMapping]) -> SavedMapping | None:
    """Return the only mapping, or any of several equal ones, or None. Raises `InputError` if they differ."""
    if any(each.columns != same[0].columns or each.kind != same[0].kind for each in same):
        raise InputError(Problem("mapping.several", params={"names": ", ".join(each.name for each in same)}))
    return same[0] if same else None


def _choose_plain_layout(
    workbook: Workbook, plain: Mapping[str, Layout], fits: Sequence[tuple[SavedMapping, Fit]], *, sheet: str | None
) -> Layout:
    layout = fitting(workbook, list(plain.values()), sheet=sheet) if len(plain) > 1 else next(iter(plain.values()))
    near = [(each, found) for each, found in fits if each.kind == layout.name and is_near(each, found)]
    for each, found in near:
        if contradicts(each, found, layout):
            raise InputError(_near_problem(each, found))
    return replace(layout, remarks=tuple(_near_problem(each, found) for each, found in near))


def _refuse_master(workbook: Workbook, sheet: str | None, error: InputError) -> None:
    """Raise `InputError` if the sheet lists customers, templates or emitters: nobody can bill such a sheet."""
    for kind, problem in _MASTER.items():
        if fits_layout(workbook, _built_in(kind), sheet=sheet):
            raise InputError(problem) from error


def _near_problem(mapping: SavedMapping, found: Fit) -> Problem:
    params = {"name": mapping.name, "came": ", ".join(found.came) or "–", "gone": ", ".join(found.gone) or "–"}
    return Problem("mapping.near", params=params)


def _outgrown_problem(mapping: SavedMapping, found: Fit, plain: Mapping[str, Layout]) -> Problem:
    params = {
        "name": mapping.name,
        "missing": ", ".join(f'"{each}"' for each in found.missing),
        "found": ", ".join(found.came) or "–",
        "columns": mapping.shown(plain[mapping.kind]),
    }
    return Problem("mapping.outgrown", params=params)
