"""Test replacement at the terminal: the corrected row goes through the line; old and new invoice name each other."""

from pathlib import Path

import openpyxl
import pytest

from configs.catalogue import Catalogue
from domain.problems import FaturistaError
from domain.staff import Permission
from domain.states import InvoiceState
from tasks.approvals.four_eyes import refuse_dropper
from tests.flows.terminal import Terminal
from tests.flows.test_cli_staff import as_program
from tests.tasks.cancellations.test_listed import mark, outcome
from tests.tasks.staff.people import BIA, CARLA, acts, office
from tests.tasks.workshop import Workshop

ACCEPTED, REPLACED = InvoiceState.ACCEPTED, InvoiceState.REPLACED
WHY = "--because=Valor errado"


def send(shop: Workshop, terminal: Terminal) -> None:
    """Approve the waiting batches and follow them to their end."""
    shop.approve()
    terminal("release")
    for _ in range(3):
        terminal("reconcile")


def test_an_invoice_is_replaced_from_its_number_to_its_end(shop: Workshop, terminal: Terminal):
    old = shop.processed(2)
    done = terminal("replace", "invoice", "--rps", "F-1", WHY, "--amount", "90,00")
    assert done.code == 0, done
    assert "R$ 90,00" in done.output
    send(shop, terminal)
    assert shop.states(old) == [REPLACED, ACCEPTED]
    assert [note["status"] for note in shop.there()] == ["cancelled", "accepted", "accepted"]
    for number in ("F-1", "F-3"):
        output = terminal("trace", "--rps", number).output
        assert "F-3 replaces F-1: Valor errado" in output or "F-1 is replaced by F-3 (Accepted)" in output
    again = terminal("replace", "invoice", "--rps", "F-1", WHY, "--amount", "80,00")
    assert (again.code, "was replaced before" in again.errors) == (2, True)
    sheet = openpyxl.load_workbook(outcome(shop))[Catalogue.load("en").words("outcome")["page_rows"]]
    cells = [str(cell.value) for row in sheet.iter_rows() for cell in row]
    assert "Replaced" in cells
    assert any("F-1 is replaced by F-3" in cell for cell in cells)


def test_a_marked_outcome_replaces_with_its_cells(shop: Workshop, terminal: Terminal):
    old = shop.processed(3)
    path = outcome(shop)
    words = Catalogue.load("en").words("outcome")
    book = openpyxl.load_workbook(path)
    sheet = book[words["page_rows"]]
    columns = {cell.value: place for place, cell in enumerate(sheet[2], start=1)}
    for row in (3, 5):
        sheet.cell(row, columns[words["replace"]], "S")
        sheet.cell(row, columns[words["cancel_reason"]], "valor errado")
    sheet.cell(3, columns[words["service_amount"]], 77.5)
    book.save(path)
    done = terminal("replace", "list", path)
    assert done.code == 1, done
    assert "would say the same" in done.output
    send(shop, terminal)
    assert shop.states(old) == [REPLACED, ACCEPTED, ACCEPTED]
    assert shop.there()[-1]["service_values"]["service_amount"] == "77.50"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("invoice", WHY, "--amount=1,00"), "Say which invoice"),
        (("invoice", WHY, "--rps", "F-99", "--amount=1,00"), "No invoice has this number"),
        (("invoice", WHY, "--rps", "F-1"), "would say the same"),
        (("invoice", "--because= ", "--rps", "F-1", "--amount=1,00"), "reason"),
    ],
)
def test_a_mistake_is_a_sentence(shop: Workshop, terminal: Terminal, command: tuple[object, ...], message: str):
    shop.processed(1)
    ended = terminal("replace", *command)
    assert (ended.code, message in ended.errors, "Traceback" in ended.raw) == (2, True, False), ended


def test_an_outcome_without_a_mark_is_a_mistake(shop: Workshop, terminal: Terminal):
    shop.processed(1)
    ended = terminal("replace", "list", mark(outcome(shop), {}))
    assert (ended.code, "No row is marked in Substituir" in ended.errors) == (2, True), ended


def test_a_person_who_may_not_bill_replaces_nothing(
    shop: Workshop, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    batch = shop.processed(1)
    shop.set(APPROVAL__AUTOMATIC="false", APPROVAL__FOUR_EYES="true")
    with shop.context() as context:
        office(context)
    files = shop.file_count
    as_program(monkeypatch, tmp_path, BIA)
    asked = ("replace", "invoice", "--rps", "F-1", WHY, "--amount", "90,00")
    assert "Bia may not bill" in terminal(*asked).errors
    assert shop.file_count == files
    as_program(monkeypatch, tmp_path, CARLA)
    assert terminal(*asked).code == 0
    (new,) = [each for each in shop.batches() if each.id != batch]
    with shop.context() as context:
        with pytest.raises(FaturistaError, match=r"batch\.approver_is_dropper"):
            refuse_dropper(context, new, acts(context, CARLA, Permission.BILL))
        refuse_dropper(context, new, acts(context, BIA))
