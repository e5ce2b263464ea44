"""A sheet whose title says the month: its rows are billed in it, exactly as with the option of the same month."""

from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter

from connectors.ledger import files, invoices, rows
from domain.competence import add_months, format_competence, month_text
from domain.decisions import DecisionKind
from domain.problems import InputError
from tasks.inbox.drops import OPERATOR, claim_and_read
from tasks.preview.dry_run import forecast_file
from tasks.preview.stored_forecast import forecast_reading
from tasks.stations.assemble import assemble_rows
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tests.connectors.ledger import scene as scenes
from tests.tasks.corrections.rounds import BAD, FIRST, bill, edited, problems_of, put, read_rows, returned
from tests.tasks.corrections.test_lineage import SALE
from tests.tasks.dropped_sheets import HEADERS, cells
from tests.tasks.inbox.test_drops import dropped
from tests.tasks.rows import this_month
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop

BARE = [header for header in HEADERS if header not in ("Competência", "Cidade")]
MONTH = month_text(this_month())


def _row(number: int, **changes: str) -> list[str]:
    return [cell for header, cell in zip(HEADERS, cells(number, **changes), strict=True) if header in BARE]


def _sheet(
    path: Path, *rows: list[str], title: str | None = None, below: str = "", headers: list[str] | None = None
) -> Path:
    """Write an XLSX with a title of this month, a blank row, a header in row 3 and rows without a month."""
    path.parent.mkdir(exist_ok=True)
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("Faturamento")
    title = f"Competência: {format_competence(this_month())}" if title is None else title
    table = [[title], [], headers or BARE, *(rows or (_row(1), _row(2))), *([[below]] if below else [])]
    for number, each in enumerate(table):
        sheet.write_row(number, 0, each)
    book.close()
    return path


def _go_on(shop: Workshop, reading: int) -> None:
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)


def _billed(shop: Workshop) -> list[tuple[Any, int]]:
    return sorted((batch.competence, batch.count) for batch in shop.batches())


def test_the_month_of_a_title_is_billed_and_shown_first(shop: Workshop, tmp_path: Path):
    path = _sheet(tmp_path / "mes.xlsx")
    seen = shop.run(forecast_file, path, ReadingOptions(operator="Ana"))
    assert {note.competence for note in seen.notes} == {this_month()}
    assert seen.run_competence == MONTH
    reading = read_rows(shop, path)
    _go_on(shop, reading)
    stored = shop.run(forecast_reading, reading)
    for each in (seen.decisions[0], stored.decisions[0]):
        assert (each.kind, each.problem.code) == (DecisionKind.CHOSEN, "competence.of_title")
        assert each.problem.params["competence"] == format_competence(this_month())
        assert each.cells(5) == "A1"
    assert {row.run_competence for row in shop.rows(reading)} == {MONTH}
    options = shop.read(files.reading_of, reading).options
    assert (options["competence"], options["inherited"]) == (format_competence(this_month()), ["competence"])
    assert _billed(shop) == [(this_month(), 2)]


@pytest.mark.parametrize("is_named_first", [True, False])
def test_with_and_without_the_option_a_file_is_one_charge(each_shop: Workshop, tmp_path: Path, *, is_named_first: bool):
    shop = each_shop
    path = _sheet(tmp_path / "mes.xlsx", _row(1), _row(2, Modelo="Errado"), _row(3))
    named: dict[str, Any] = {"competence": this_month()}
    first, second = (named, {}) if is_named_first else ({}, named)
    assert problems_of(bill(shop, path, **first)) == {FIRST + 1: ["template.unknown"]}
    seen = shop.run(forecast_file, path, ReadingOptions(operator="Ana", **second))
    assert (seen.skipped_rows, seen.notes) == (2, ())
    # only the row without an invoice is read again, and the row after it is the same one
    assert [row.row_number for row in bill(shop, path, **second)] == [FIRST + 1]
    assert _billed(shop) == [(this_month(), 2)]
    # the same rows in other bytes are the same charges
    copy = _sheet(tmp_path / "copia.xlsx", _row(1), _row(3), below="Obs: conferido")
    found = problems_of(bill(shop, copy, **second))
    assert found == {FIRST: ["row.living"], FIRST + 1: ["row.living"]}
    assert _billed(shop) == [(this_month(), 2)]


@pytest.mark.parametrize("is_named_first", [True, False])
def test_a_stopped_reading_goes_on_with_and_without_the_option(
    each_shop: Workshop, tmp_path: Path, *, is_named_first: bool
):
    shop = each_shop
    path = _sheet(tmp_path / "mes.xlsx")
    named: dict[str, Any] = {"competence": this_month()}
    first, second = (named, {}) if is_named_first else ({}, named)
    reading = read_rows(shop, path, **first)
    assert read_rows(shop, path, **second) == reading
    shop.run(resolve_rows, reading)
    assert read_rows(shop, path, **second) == reading
    _go_on(shop, reading)
    assert _billed(shop) == [(this_month(), 2)]


def test_another_reading_of_the_same_month_takes_over_all_rows(each_shop: Workshop, tmp_path: Path):
    """The first reading, with the option, stopped after one invoice: no row may be billed by both readings."""
    shop = each_shop
    path = _sheet(tmp_path / "mes.xlsx")
    first = read_rows(shop, path, competence=this_month(), retry_rejected=True)
    shop.run(resolve_rows, first)
    row, other = shop.rows(first)
    drafted = scenes.new_invoice(row.id, row.emitter_id or 0, row.taker_id or 0, row.template_id or 0)
    shop.write(invoices.draft_invoices, [drafted])
    second = read_rows(shop, path)
    assert second != first
    assert shop.problems(first) == {other.row_number: ["row.superseded"]}
    assert [each.row_number for each in shop.rows(second)] == [other.row_number]


def test_the_option_wins_and_a_contradicting_title_holds(shop: Workshop, tmp_path: Path):
    path, before = _sheet(tmp_path / "mes.xlsx"), add_months(this_month(), -1)
    rows = bill(shop, path, competence=before)
    assert problems_of(rows) == {FIRST: ["held.month"], FIRST + 1: ["held.month"]}
    assert {row.run_competence for row in rows} == {month_text(before)}
    # the title's month is another charge than the one that is held
    assert problems_of(bill(shop, path)) == {}
    assert _billed(shop) == [(this_month(), 2)]


def test_an_invoice_of_another_month_is_another_charge(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    path, before = tmp_path / "mes.xlsx", add_months(this_month(), -1)
    _sheet(path, [*_row(1), "S"], headers=[*BARE, "Faturar"])
    for options, month in (({"competence": before}, before), ({}, this_month())):
        rows = bill(shop, path, **options)
        assert (problems_of(rows), [row.run_competence for row in rows]) == ({}, [month_text(month)])
        assert bill(shop, path, **options) == []
    assert _billed(shop) == [(before, 1), (this_month(), 1)]


@pytest.mark.parametrize("title", ["Faturamento do mês", "Previsão de 11/2026", "Competência: 10/2026 e 11/2026"])
def test_a_title_without_one_sure_month_refuses_the_file(shop: Workshop, tmp_path: Path, title: str):
    with pytest.raises(InputError) as caught:
        read_rows(shop, _sheet(tmp_path / "mes.xlsx", title=title))
    assert caught.value.problem.code == "competence.missing"


def test_a_month_that_has_not_begun_is_refused_row_by_row(shop: Workshop, tmp_path: Path):
    later = format_competence(add_months(this_month(), 1))
    rows = bill(shop, _sheet(tmp_path / "mes.xlsx", title=f"Competência: {later}"))
    assert [codes[0] for codes in problems_of(rows).values()] == ["competence.future"] * 2


def test_corrected_rows_keep_the_month_of_the_title(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    path = _sheet(tmp_path / "mes.xlsx", _row(1), _row(2, **BAD))
    bill(shop, path)
    again = edited(returned(shop, path), tmp_path / "volta.xlsx", put("Valor", "55,00"))
    rows = bill(shop, again)
    assert (problems_of(rows), [row.run_competence for row in rows]) == ({}, [MONTH])
    assert shop.read(files.reading_of, rows[0].reading_id).options["inherited"] == ["competence"]
    assert _billed(shop) == [(this_month(), 1), (this_month(), 1)]
    # a clerk mends the original as well, and drops it with and without the option
    for number, options in enumerate(({}, {"competence": this_month()})):
        mended = _sheet(tmp_path / f"{number}.xlsx", _row(1), _row(2, Valor="55,00"), below=f"Obs: cópia {number}")
        assert problems_of(bill(shop, mended, **options)) == {FIRST: ["row.living"], FIRST + 1: ["row.living"]}


def test_a_changed_title_of_a_correction_moves_no_row(shop: Workshop, tmp_path: Path):
    path = _sheet(tmp_path / "mes.xlsx", _row(1, **BAD))
    bill(shop, path)
    other = f"Competência: {format_competence(add_months(this_month(), -1))}"

    def edit(page: Any) -> None:
        put("Valor", "55,00")(page)
        page["A1"].value = other

    again = edited(returned(shop, path), tmp_path / "volta.xlsx", edit)
    assert openpyxl.load_workbook(again).worksheets[0]["A1"].value == other
    rows = bill(shop, again)
    assert problems_of(rows) == {FIRST: ["held.month"]}
    assert [row.run_competence for row in rows] == [MONTH]


def test_a_drop_without_folders_has_the_month_of_its_title(shop: Workshop, tmp_path: Path):
    inbox = shop.home / "inbox"
    _sheet(inbox / "mes.xlsx")
    with shop.context() as context:
        found = claim_and_read(context, dropped(inbox))
    assert found is not None
    assert shop.read(rows.count_rows, found[2]) == {"read": 2}
    assert shop.read(files.reading_of, found[2]).operator == OPERATOR


def test_a_sale_has_the_month_of_the_title(store: Store, tmp_path: Path):
    silent = {header: text for header, text in SALE.items() if header != "Data da Venda"}
    path = tmp_path / "vendas.xlsx"
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("Vendas")
    title = f"Faturamento {format_competence(this_month())}"
    for number, each in enumerate([[title], [], list(silent), list(silent.values())]):
        sheet.write_row(number, 0, each)
    book.close()
    (row,) = store.rows(read_rows(store, path, kind="products"))
    assert row.line is not None
    assert row.line["competence"] == this_month().isoformat()
