"""The preview: what would be issued and what stays behind, on a page that no cell's text can break."""

from pathlib import Path

from domain.competence import format_competence
from domain.states import RowState
from tasks.assemble import assemble_rows
from tasks.intake import take_file
from tasks.read import ReadingOptions, read_file
from tasks.resolve import resolve_rows
from tasks.stage import stage_batch
from tasks.views.preview import preview_markdown, reasons
from tests.tasks.rows import SAO_PAULO, line, lines, this_month
from tests.tasks.sheets import HEADER_ROW, cells, write_sheet
from tests.tasks.workshop import Workshop


def test_counts_totals_and_reasons_are_those_of_the_ledger(each_shop: Workshop):
    shop = each_shop
    asked = [*lines(2), line(3, emitter_cnpj=SAO_PAULO), line(1), line(4, template_name="Errado")]
    reading, _ = shop.assembled(*asked)
    with shop.desk() as desk:
        page = preview_markdown(desk, reading)
    month = format_competence(this_month())
    assert f"| Marés Consultoria Ltda | {month} | 2 | R$ 200,03 |" in page
    assert f"| Aurora Serviços Digitais S.A. | {month} | 1 | R$ 100,03 |" in page
    assert "R$ 300,06" in page
    assert page.startswith("# ")
    assert '| The template "Errado" does not exist for this company. | 1 | 9 |' in page


def test_what_the_provider_refused_is_not_counted(shop: Workshop):
    reading, (batch,) = shop.assembled(*lines(3))
    shop.forget_taker(3)
    shop.run(stage_batch, batch)
    with shop.desk() as desk:
        page = preview_markdown(desk, reading)
    assert f"| Marés Consultoria Ltda | {format_competence(this_month())} | 2 | R$ 200,03 |" in page


def test_a_reason_is_shown_once_with_its_rows(shop: Workshop):
    asked = [line(number, template_name="Errado") for number in range(1, 8)]
    reading, _ = shop.assembled(*asked, line(9, taker=line(9).taker, template_name=None))
    with shop.desk() as desk:
        first, second = reasons(desk, reading)
    assert first[1:] == (7, "5, 6, 7, 8, 9 …")
    assert second[1:] == (1, "12")


def test_no_cells_text_breaks_the_table(shop: Workshop):
    reading, _ = shop.assembled(line(1, template_name="a | b\n# c"))
    with shop.desk() as desk:
        page = preview_markdown(desk, reading)
    assert "a / b # c" in page
    # three columns of reasons, four of emitters
    assert {row.count("|") for row in page.splitlines() if "|" in row} == {4, 5}


def test_what_was_odd_about_the_file_is_said(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(1), ["Total", *[""] * 9, "999,99"]])
    with shop.desk() as desk:
        reading, _ = read_file(desk, take_file(desk, path), ReadingOptions(operator="Ana"))
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    with shop.desk() as desk:
        page = preview_markdown(desk, reading)
    assert "mes.csv" in page
    assert "> " in page
    assert "The total row says R$ 999,99, but the rows add up to R$ 100,01." in page
    assert shop.rows(reading)[0].state is RowState.ASSEMBLED
    assert shop.rows(reading)[0].row_number == HEADER_ROW + 1
