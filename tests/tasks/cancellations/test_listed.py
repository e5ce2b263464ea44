"""An outcome workbook with some invoices marked: each is found once, and every other row has a reason."""

from pathlib import Path

import openpyxl
import pytest

from configs.catalogue import Catalogue
from connectors.ledger import files
from domain.problems import InputError
from domain.staff import Actor
from tasks.cancellations.listed import Listed, read_list, request_listed
from tasks.stations.report import report_outcome
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop


def outcome(shop: Workshop, language: str = "en") -> Path:
    """Return the outcome workbook of the only file."""
    shop.set(LANGUAGE=language)
    with shop.context() as context:
        file = shop.read(files.find_file, file_id=1)
        assert file is not None
        return report_outcome(context, file.id)


def mark(path: Path, marks: dict[int, tuple[str, str]], language: str = "en") -> Path:
    """Fill in the two columns of some invoices, counted from 0."""
    words = Catalogue.load(language).words("outcome")
    book = openpyxl.load_workbook(path)
    sheet = book[words["page_rows"]]
    columns = {cell.value: place for place, cell in enumerate(sheet[2], start=1)}
    for place, (wanted, why) in marks.items():
        sheet.cell(3 + place, columns[words["cancel"]], wanted)
        sheet.cell(3 + place, columns[words["cancel_reason"]], why)
    book.save(path)
    return path


def judged(shop: Workshop, path: Path) -> list[Listed]:
    with shop.context() as context:
        return read_list(context, path)


def codes(listed: list[Listed]) -> list[list[str]]:
    return [[problem.code for problem in each.problems] for each in listed]


@pytest.mark.parametrize("language", ["en", "pt_BR"])
def test_the_marked_rows_of_an_outcome_are_found(shop: Workshop, language: str):
    batch = shop.processed(3)
    path = mark(outcome(shop, language), {0: ("S", "em dobro"), 2: ("x", "cliente errado")}, language)
    listed = judged(shop, path)
    assert [(each.reason, each.problems) for each in listed] == [("em dobro", ()), ("cliente errado", ())]
    notes = shop.notes(batch)
    assert [each.candidate and each.candidate.note.id for each in listed] == [notes[0].id, notes[2].id]
    with shop.context() as context:
        made = request_listed(context, listed, actor=Actor("Ana"))
    assert [each.reason for each in made] == ["em dobro", "cliente errado"]
    assert codes(judged(shop, path)) == [["cancel.asked_before"], ["cancel.asked_before"]]


def test_every_bad_row_says_why(shop: Workshop):
    shop.processed(3)
    path = mark(outcome(shop), {0: ("S", ""), 1: ("talvez", "em dobro"), 2: ("N", "em dobro")})
    assert codes(judged(shop, path)) == [["row.required"], ["row.yes_no"]]


def test_an_invoice_of_several_rows_is_taken_once(store: Store):
    store.processed(1)
    path = outcome(store)
    book = openpyxl.load_workbook(path)
    sheet = book["Rows"]
    sheet.append([cell.value for cell in sheet[3]])
    book.save(path)
    reason = "o cliente desistiu da compra"
    assert codes(judged(store, mark(path, {0: ("S", reason), 1: ("S", reason)}))) == [[], ["cancel.marked_twice"]]


def test_a_list_of_their_own_and_what_is_wrong_in_it(shop: Workshop, tmp_path: Path):
    batch = shop.processed(2)
    path = tmp_path / "cancelar.csv"
    lines = ["RPS;Id no emissor;Cancelar;Motivo", "F-2;;sim;em dobro", "F 99;;s;x", "?;;s;x", ";abc;s;x", ";;s;x"]
    path.write_text("\n".join(lines), encoding="utf-8")
    listed = judged(shop, path)
    assert codes(listed) == [
        [],
        ["cancel.unknown"],
        ["cancel.rps_unreadable"],
        ["cancel.id_unreadable"],
        ["cancel.row_names_nothing"],
    ]
    assert listed[0].candidate is not None
    assert listed[0].candidate.note.id == shop.notes(batch)[1].id


def test_an_outcome_without_a_mark_is_a_mistake(shop: Workshop):
    shop.processed(1)
    with pytest.raises(InputError, match=r"cancel\.nothing_marked"):
        judged(shop, outcome(shop))
