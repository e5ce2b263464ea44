"""Write everything that the ledger holds about one person as JSON and as a workbook, for that person alone."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from configs.catalogue import Catalogue
from configs.data_map import load_data_map
from connectors.ledger.database.files import new_folder, open_new
from connectors.ledger.detached.months import detached_among
from connectors.ledger.persons.erasures import pseudonym_of
from connectors.ledger.persons.holdings import Holdings, holdings_of
from connectors.spreadsheets.archive import archived
from connectors.spreadsheets.writers.pages import Cell, Cents, Page, Section, write_page
from domain.competence import BRASILIA
from domain.contracts.contract import Contract
from domain.contracts.terms import contract_cells
from domain.disk_faults import disk_fault
from domain.documents import Document
from domain.problems import FaturistaError, Problem
from tasks.runtime import Context

JSON_FILE: Final = "person.json"
WORKBOOK: Final = "person.xlsx"


@dataclass(frozen=True, slots=True)
class PersonExport:
    """The folder of the files, and the number of lines from each table."""

    folder: Path
    counts: Mapping[str, int]


def export_person(context: Context, document: Document) -> PersonExport:
    """Write what the ledger holds about the person to a new folder that only this machine's user may enter.

    Raises `FaturistaError` if it holds nothing (`person.unknown`), or if the folder cannot be written.
    """
    held = context.ledger.read(holdings_of, document)
    if held.is_empty:
        raise FaturistaError(Problem("person.unknown"))
    # The first use creates the secret of the pseudonyms, which is a write.
    pseudonym = context.ledger.write(pseudonym_of, document)
    stamp = context.clock().astimezone(BRASILIA).strftime("%Y%m%d-%H%M%S")
    folder = Path(context.settings.paths.home) / "persons" / f"{pseudonym}-{stamp}"
    counts = {name: len(lines) for name, lines in held.tables.items() if lines}
    try:
        with new_folder(folder) as partial:
            with os.fdopen(open_new(partial / JSON_FILE), "w", encoding="utf-8") as file:
                json.dump(_content(context, document, held), file, ensure_ascii=False, indent=1, default=_iso_text)
            # The workbook's writer opens the file by its name: nobody else may enter the folder.
            write_page(partial / WORKBOOK, _page(context, held, counts), made_at=context.clock())
            (partial / WORKBOOK).chmod(0o600)
    except OSError as error:
        raise FaturistaError(Problem("ledger.cannot_write", params={"disk": disk_fault(error)})) from error
    return PersonExport(folder, counts)


def stored_files(context: Context, held: Holdings) -> Iterator[Path]:
    """Yield the archived sheets that contain the person. They contain other persons too, so give out no copy."""
    for file in held.tables["files"]:
        path = archived(file["sha256"], name=file["name"], folder=context.archive)
        if path.is_file():
            yield path


def detached_files(context: Context, held: Holdings) -> list[str]:
    """Return the files of detached months that have the person's invoices. They have other persons' too."""
    months = {invoice["competence"] for invoice in held.tables["invoices"]}
    return [each.file for each in context.ledger.read(detached_among, months)]


def _content(context: Context, document: Document, held: Holdings) -> dict[str, Any]:
    purposes, _ = load_data_map()
    return {
        "document": document.formatted,
        "at": context.clock(),
        "tables": {
            name: {
                "why": purposes[name].why,
                "basis": purposes[name].basis,
                "keep": purposes[name].keep,
                "lines": lines,
            }
            for name, lines in held.tables.items()
        },
        "sheets": [path.name for path in stored_files(context, held)],
        "detached": detached_files(context, held),
    }


def _page(context: Context, held: Holdings, counts: Mapping[str, int]) -> Page:
    """Return what a person can read; `JSON_FILE` has every column."""
    words = context.catalogue
    summary = Section(
        words.text("person.tables"),
        (words.text("heading.table"), words.text("heading.count")),
        [*counts.items(), (words.text("person.sheets"), len(list(stored_files(context, held))))],
    )
    lists = (
        _fields(words, "takers", ((line["name"], line["body"]) for line in held.tables["takers"])),
        _fields(words, "contracts", _contracts(held)),
        _invoices(words, held),
        _fields(words, "rows", _rows(held)),
    )
    about = words.text("person.about")
    return Page(words.text("person.title"), (about,), (), (summary,), tuple(each for each in lists if each.rows))


def _fields(words: Catalogue, name: str, things: Iterable[tuple[str, Mapping[str, Any]]]) -> Section:
    """Return a list of the fields of some things, each in the operator's words; leave out empty ones."""
    rows: list[tuple[Cell, ...]] = [
        (thing, words.field(field), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for thing, values in things
        for field, value in values.items()
        if value not in (None, "", [], {})
    ]
    headings = tuple(words.text(code) for code in ("heading.what", "heading.field", "person.value"))
    return Section(words.text(f"person.list_{name}"), headings, rows)


def _contracts(held: Holdings) -> Iterator[tuple[str, Mapping[str, str]]]:
    for line in held.tables["contracts"]:
        contract = Contract.from_json(line["terms"])
        yield contract.key, contract_cells(contract)


def _rows(held: Holdings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    names = {file["id"]: file["name"] for file in held.tables["files"]}
    for row in held.tables["rows"]:
        yield f"{names.get(row['file_id'], '')} {row['sheet']} {row['row_number']}", row["cells"]


def _invoices(words: Catalogue, held: Holdings) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            f"{each['serie'] or '-'} {each['number'] or '-'}",
            f"{each['competence']:%m/%Y}",
            Cents(each["service_cents"]),
            words.text(f"state.invoice.{each['state']}"),
        )
        for each in held.tables["invoices"]
    ]
    headings = tuple(words.text(f"heading.{name}") for name in ("number", "competence", "amount", "state"))
    return Section(words.text("person.list_invoices"), headings, rows)


def _iso_text(value: datetime | date) -> str:
    return value.isoformat()
