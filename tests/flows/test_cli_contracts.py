"""Contracts at the terminal: from the blank workbook to the month's checklist."""

from pathlib import Path

import openpyxl
import pytest

from tests.flows.terminal import Terminal
from tests.tasks.contracts.sheets import contract, write_contracts
from tests.tasks.rows import this_month
from tests.tasks.workshop import Workshop

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


@pytest.fixture
def sheet(shop: Workshop, tmp_path: Path) -> Path:
    shop.set(APPROVAL__AUTOMATIC="false")
    return write_contracts(tmp_path / "contratos.csv", [contract(1), contract(2, Reajuste="IPCA", Início="01/01/2024")])


def test_commands_lead_from_a_workbook_to_the_checklist(shop: Workshop, terminal: Terminal, sheet: Path) -> None:
    month = f"{this_month():%Y-%m}"
    shown = terminal("import", "contracts", sheet)
    assert "would add 2 contracts and change 0" in shown.output
    assert "no contract yet" in terminal("contracts", "list").output
    assert "Added: 2 contracts" in terminal("import", "contracts", sheet, "--apply").output
    listed = terminal("contracts", "list").output
    assert "C-1" in listed
    assert "R$ 100,02" in listed
    due = terminal("contracts", "due", month).output
    assert "The changes of IPCA for these months are not known" in due
    assert "due: 1 charge, R$ 100,01 cannot be billed: 1 charge, –" in due

    billed = terminal("bill-month")
    assert billed.code == 0
    assert "R$ 100,01" in billed.output
    assert "1 batch waits for an approval" in billed.output
    assert "faturista import indexes FILE --apply" in billed.output
    terminal("approve", typed="100,01\n")
    terminal("reconcile", "--until-done")
    output = terminal("month", month).output
    assert f"Month {this_month():%m/%Y}" in output
    assert "with an invoice, issued or in a batch 1 R$ 100,01" in output
    again = terminal("bill-month", month)
    assert "Nothing is due that was not billed." in again.output
    assert shop.asked("notes.create") == 1


def test_changes_at_the_terminal_are_shown_with_who_and_why(shop: Workshop, terminal: Terminal, sheet: Path) -> None:
    month = f"{this_month():%Y-%m}"
    terminal("import", "contracts", sheet, "--apply")
    why = ("--because", "pedido do cliente")
    assert "version 2" in terminal("contracts", "discount", "c-1", month, "20,00", *why).output
    assert "version 3" in terminal("contracts", "add", "C-1", month, "5,50", *why).output
    assert "R$ 85,51" in terminal("contracts", "due", month).output
    assert "version 4" in terminal("contracts", "pause", "C-1", "--since", month, *why).output
    assert "1 charge" in terminal("contracts", "due", month).output
    assert "version 5" in terminal("contracts", "resume", "C-1", "--since", month, *why).output
    assert "version 6" in terminal("contracts", "end", "C-1", "--last", "2030-12-31", *why).output
    output = terminal("contracts", "show", "C-1").output
    for word in ("Version 6", "last day: – → 31/12/2030", "pedido do cliente", "-R$ 20,00 once in"):
        assert word in output, word
    for command, words in (
        (("contracts", "show", "C-9"), "There is no contract C-9"),
        (("contracts", "discount", "C-1", month, "muito", *why), "muito"),
        (("contracts", "add", "C-1", "2025-01", "1,00", *why), "charges nothing in 01/2025"),
        (("contracts", "end", "C-1", *why), "is not a date"),
        (("contracts", "pause", "C-1", "--since", month, "--because", " "), "reason"),
        (("bill-month", "2099-01"), "01/2099"),
    ):
        ended = terminal(*command)
        assert (ended.code, words in ended.errors, "Traceback" in ended.raw) == (2, True, False), ended


def test_blank_workbooks_can_be_filled_in_and_imported(shop: Workshop, terminal: Terminal, tmp_path: Path) -> None:
    for kind, summary in (("contracts", "add 2 contracts"), ("indexes", "enter 2 months")):
        path = tmp_path / f"{kind}.xlsx"
        assert terminal("template", kind, "--output", path).code == 0
        book = openpyxl.load_workbook(path)
        page, example = book.worksheets[0], book.worksheets[2]
        for row in (4, 5):
            for column, cell in enumerate(example[row], start=1):
                page.cell(row + 1, column).value = cell.value
                page.cell(row + 1, column).number_format = cell.number_format
        book.save(path)
        assert summary in terminal("import", kind, path).output, terminal("import", kind, path)
    assert terminal("contracts", "list").code == 0
