"""The dashboard's page and the workbook: the invoices to issue and the other rows, for any content of cells."""

import asyncio
from dataclasses import replace
from pathlib import Path

import openpyxl

from configs.catalogue import Catalogue
from connectors.ledger.files import reading_of
from domain.competence import format_competence
from domain.decisions import decisions_of
from domain.forecasts.forecast import Forecast
from domain.forecasts.planned_invoices import Difference, group_by_reason
from domain.problems import Problem, Where
from domain.states import RowState
from tasks.preview.dry_run import forecast_file
from tasks.preview.findings_section import findings_section
from tasks.preview.page import approval_page, forecast_page, reason_words
from tasks.preview.renderings import write_preview
from tasks.preview.stored_forecast import forecast_reading, preview_markdown, reasons_of, stored_page
from tasks.sheets.mapping_storage import store_mapping
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tasks.views.markdown import markdown
from tests.tasks.dropped_sheets import HEADER_ROW, HEADERS, cells, write_sheet
from tests.tasks.rows import SAO_PAULO, line, lines, taker, this_month
from tests.tasks.stations.test_resolve import known_taker, seeded
from tests.tasks.workshop import Workshop


def test_counts_totals_and_reasons_are_those_of_the_ledger(each_shop: Workshop):
    shop = each_shop
    asked = [*lines(2), line(3, emitter_cnpj=SAO_PAULO), line(1), line(4, template_name="Errado")]
    reading, _ = shop.assembled(*asked)
    with shop.context() as context:
        page = asyncio.run(preview_markdown(context, reading))
    month = format_competence(this_month())
    assert f"| Marés Consultoria Ltda | NFSe | {month} | 2 | R$ 200,03 | R$ 200,03 | F: 1–2 |" in page
    assert f"| Aurora Serviços Digitais S.A. | NFSe | {month} | 1 | R$ 100,03 | R$ 100,03 | F: 1 |" in page
    assert "R$ 300,06" in page
    assert page.startswith("# ")
    reason = (
        '- **Reason The template "Errado" does not exist for this company.** · Count: 1 · Where: row 9 · What to do: '
    )
    assert reason in page


def test_largest_invoices_have_a_template_where_there_is_one(shop: Workshop):
    reading, _ = shop.assembled(*lines(2))
    with shop.context() as context:
        seen = asyncio.run(forecast_reading(context, reading))
        words = context.catalogue
    of_products = replace(seen, notes=tuple(replace(each, template=None) for each in seen.notes))
    for forecast, fields in ((seen, ("taker", "template", "total", "row")), (of_products, ("taker", "total", "row"))):
        title = words.text("preview.by_size")
        (largest,) = (each for each in forecast_page(words, forecast).sections if each.title == title)
        assert largest.headings == tuple(words.text(f"heading.{each}") for each in fields)
        assert all(len(row) == len(fields) for row in largest.rows)


def test_decisions_name_cells_as_cells_and_rows_as_rows(shop: Workshop):
    reading, _ = shop.assembled(*lines(2))
    with shop.context() as context:
        seen = asyncio.run(forecast_reading(context, reading))
    title = Problem("held.section", params={"origin": "title", "at": 4, "text": "CANCELADOS"})
    of_cell = Problem("row.comment", where=Where(row=2, column="A"))
    found = decisions_of(
        [of_cell, *(replace(title, where=Where(row=row)) for row in (6, 7)), Problem("row.hidden", None, Where(row=9))]
    )
    words = Catalogue.load("pt_BR")
    (section,) = (
        each
        for each in forecast_page(words, replace(seen, decisions=found)).sections
        if each.title == words.text("preview.decisions")
    )
    assert [row[3] for row in section.rows] == ["linhas 6, 7", "linha 9", "A2"]


def test_the_workbook_names_every_cell_of_a_decision(shop: Workshop):
    reading, _ = shop.assembled(*lines(2))
    with shop.context() as context:
        seen = asyncio.run(forecast_reading(context, reading))
    held = Problem("held.status", params={"header": "Situação", "text": "CANCELADO"})
    unused = Problem("column.unused", None, Where(row=1, column="H"), {"header": "Livre", "samples": "x"})
    rows = [*range(2, 9), 12]
    found = decisions_of([*(replace(held, where=Where(row=row, column="F")) for row in rows), unused])
    words = Catalogue.load("pt_BR")
    page = forecast_page(words, replace(seen, decisions=found), is_written=True)
    title = words.text("preview.decisions")
    (on_screen,) = (each for each in page.sections if each.title == title)
    (whole,) = (each for each in page.lists if each.title == title)
    assert on_screen.rows[0][3] == "F2, F3, F4, F5, F6 … e mais 3"
    assert whole.rows[0][3] == "F2:F8, F12"
    assert "faturista layout learn" in on_screen.note
    few = forecast_page(words, replace(seen, decisions=decisions_of([unused])), is_written=True)
    assert title not in {each.title for each in few.lists}


def test_an_approval_shows_the_decisions_that_the_preview_shows(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    seeded(shop, takers=[known_taker(is_complete=False)])
    path = write_sheet(tmp_path / "mes.csv", [[*cells(1), "-"]], headers=(*HEADERS, "E-mail"))
    options = ReadingOptions(operator="Ana")
    forecast = shop.run(forecast_file, path, options)
    with shop.context() as context:
        reading, _ = read_file(context, archive_file(context, path), options)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    with shop.context() as context:
        previewed = forecast_page(context.catalogue, forecast)
        approved = asyncio.run(stored_page(context, reading))
        title = context.catalogue.text("preview.decisions")
    before, now = ([each for each in page.sections if each.title == title] for page in (previewed, approved))
    assert now == before
    found = [str(row[1]) for row in now[0].rows]
    assert any("gets from the sheet what it lacked" in each for each in found)


def test_each_page_names_the_sender_of_the_sheet(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(1)])
    named = ReadingOptions(operator="ana", sender="Escritório Centro")
    previewed = shop.run(forecast_file, path, named)
    with shop.context() as context:
        words = context.catalogue
        reading, _ = read_file(context, archive_file(context, path), named)
        sentence = words.text("preview.sender", sender="Escritório Centro")
        assert sentence in forecast_page(words, previewed).lines
        assert sentence in forecast_page(words, asyncio.run(forecast_reading(context, reading))).lines
        assert asyncio.run(stored_page(context, reading)).lines == (sentence,)
        # the title names the person of an inbox's folder already
        other, _ = read_file(
            context, archive_file(context, path), replace(named, dropper="bia", template="Consultoria")
        )
        page = asyncio.run(stored_page(context, other))
        assert ("Escritório Centro (bia)" in page.title, page.lines) == (True, ())


def test_a_sheet_with_taught_headers_names_whose_they_are(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(1)])
    with shop.context() as context:
        store_mapping(context, path, {"Modelo": "template_name"}, sender="Contabilidade Souza", person="ana")
    seen = shop.run(forecast_file, path, ReadingOptions(operator="ana"))
    assert seen.sender == "Contabilidade Souza"
    with shop.context() as context:
        reading, _ = read_file(context, archive_file(context, path), ReadingOptions(operator="ana"))
        assert asyncio.run(forecast_reading(context, reading)).sender == "Contabilidade Souza"


def test_samples_are_of_every_row_of_the_file_however_often_it_is_billed(shop: Workshop, tmp_path: Path):
    seeded(shop)
    rows = [[*cells(1), "x"], [*cells(2, Valor="muito"), "y"], [*cells(3, Modelo="Errado"), "z"]]
    path = write_sheet(tmp_path / "mes.csv", rows, headers=(*HEADERS, "Coluna Livre"))
    options = ReadingOptions(operator="ana")
    found: list[object] = []
    for _ in range(2):
        found.append(_samples(shop.run(forecast_file, path, options)))
        with shop.context() as context:
            reading, _ = read_file(context, archive_file(context, path), options)
        for station in (resolve_rows, assemble_rows):
            shop.run(station, reading)
        with shop.context() as context:
            found.append(_samples(asyncio.run(forecast_reading(context, reading))))
    assert len(shop.batches()) == 1
    assert found == ["x, y, z"] * 4


def _samples(seen: Forecast) -> object:
    """Return the values that the decision about the unused column shows."""
    (unused,) = (each.problem for each in seen.decisions if each.problem.code == "column.unused")
    return unused.params["samples"]


def test_refused_requests_are_not_counted(shop: Workshop):
    reading, (batch,) = shop.assembled(*lines(3))
    shop.forget_taker(3)
    shop.run(stage_batch, batch)
    with shop.context() as context:
        page = asyncio.run(preview_markdown(context, reading))
    assert f"| Marés Consultoria Ltda | NFSe | {format_competence(this_month())} | 2 | R$ 200,03 |" in page


def test_a_reason_is_shown_once_with_its_rows(shop: Workshop):
    asked = [line(number, template_name="Errado") for number in range(1, 8)]
    reading, _ = shop.assembled(*asked, line(9, taker=line(9).taker, template_name=None))
    with shop.context() as context:
        first, second = reasons_of(context, reading)
        page = asyncio.run(preview_markdown(context, reading))
    assert "For example" not in page
    assert first.rows == (5, 6, 7, 8, 9, 10, 11)
    assert second.rows == (12,)
    assert "· Count: 7 · Where: rows 5, 6, 7, 8, 9 … and 2 more ·" in page


def test_a_text_of_the_first_row_alone_is_an_example(shop: Workshop):
    reading, _ = shop.assembled(line(1, template_name="Errado"), line(2, template_name="Errada"))
    with shop.context() as context:
        page = asyncio.run(preview_markdown(context, reading))
    reason = (
        '**Reason For example: The template "Errado" does not exist for this company.** · Count: 2 · Where: rows 5, 6 ·'
    )
    assert reason in page


def test_a_reason_names_its_cells_and_what_to_do(shop: Workshop, tmp_path: Path):
    rows = [cells(1, Valor="x"), cells(2, Modelo="Errado"), cells(3, Valor="y"), cells(4, **{"CNPJ/CPF": ""})]
    path = write_sheet(tmp_path / "mes.csv", rows)
    options = ReadingOptions(operator="Ana")
    seen = shop.run(forecast_file, path, options)
    with shop.context() as context:
        words = context.catalogue
        reading, _ = read_file(context, archive_file(context, path), options)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    title = words.text("preview.refused")
    with shop.context() as context:
        stored = asyncio.run(forecast_reading(context, reading))
    for page in (forecast_page(words, seen), forecast_page(words, stored)):
        (section,) = (each for each in page.sections if each.title == title)
        first = HEADER_ROW + 1
        assert [(row[1], row[2]) for row in section.rows] == [
            (2, f"K{first}, K{first + 2}"),
            (1, f"I{first + 1}"),
            (1, f"B{first + 3}"),
        ]
        assert [row[3] for row in section.rows] == [words.advice(each.problem) for each in seen.reasons]
        assert all(row[3] for row in section.rows)


def test_a_reason_is_an_example_if_it_names_its_columns():
    words = Catalogue.load("en")
    for code, is_example in (("row.formula", False), ("row.required", True)):
        (found,) = group_by_reason([(3, [Problem(code, "name")]), (4, [Problem(code, "city")])])
        assert reason_words(words, found).startswith("For example") is is_example


def test_no_cells_text_breaks_the_table(shop: Workshop):
    reading, _ = shop.assembled(line(1, template_name="a | b\n# c"), line(2, taker=taker(2, name="d | e Ltda")))
    with shop.context() as context:
        page = asyncio.run(preview_markdown(context, reading))
    assert "a / b # c" in page
    # The largest invoices have customer, template, total and row.
    assert [row.count("|") for row in page.splitlines() if "d / e Ltda" in row and row.startswith("|")] == [5]


def test_oddities_of_the_file_are_reported(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(1), ["Total", *[""] * 9, "999,99"]])
    with shop.context() as context:
        reading, _ = read_file(context, archive_file(context, path), ReadingOptions(operator="Ana"))
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    with shop.context() as context:
        page = asyncio.run(preview_markdown(context, reading))
    assert "mes.csv" in page
    assert "> " in page
    assert "The total row says R$ 999,99, but the rows add up to R$ 100,01." in page
    assert shop.rows(reading)[0].state is RowState.ASSEMBLED
    assert shop.rows(reading)[0].row_number == HEADER_ROW + 1


def test_the_workbook_has_every_note_and_text_stays_text(shop: Workshop):
    reading, _ = shop.assembled(line(1, taker=taker(1, name="=1+1")), *lines(3)[1:])
    with shop.context() as context:
        seen = asyncio.run(forecast_reading(context, reading))
        page = forecast_page(context.catalogue, seen, is_written=True)
        path = write_preview(context, seen.file_name, page)
    book = openpyxl.load_workbook(path)
    assert path.name == "mes-1-preview.xlsx"
    rows = list(book["Invoices"].iter_rows(values_only=True))
    header = rows[0]
    assert [row[header.index("Row")] for row in rows[1:]] == [5, 6, 7]
    assert [row[header.index("Total")] for row in rows[1:]] == [100.01, 100.02, 100.03]
    assert rows[1][header.index("Customer")] == "=1+1"
    assert all(cell.data_type != "f" for sheet in book for row in sheet.iter_rows() for cell in row)


def test_only_a_page_that_becomes_a_workbook_points_to_it(shop: Workshop):
    reading, _ = shop.assembled(*lines(1))
    many = tuple(
        Difference(document="1", name="x", field="name", sheet_says=f"{at}", provider_says="y", row_number=at)
        for at in range(12)
    )
    with shop.context() as context:
        words, seen = context.catalogue, replace(asyncio.run(forecast_reading(context, reading)), differences=many)
        record = context.ledger.read(reading_of, reading)
    written = forecast_page(words, seen, is_written=True)
    others = (
        forecast_page(words, seen),
        forecast_page(words, seen, is_shared=True),
        approval_page(words, seen, record, findings_section(words, [])),
    )
    title = words.text("preview.differences")
    for page, more in ((written, "preview.more"), *((each, "list.more") for each in others)):
        (shown,) = (each for each in page.sections if each.title == title)
        assert (len(shown.rows), shown.note.endswith(words.text(more, more=2))) == (10, True)
        assert bool(page.lists) is (page is written)
    assert "workbook" in words.text("preview.more")
    assert "workbook" not in words.text("list.more")


def test_the_dashboard_shows_that_data_differ_and_not_which(shop: Workshop):
    shop.assembled(line(1))
    reading, _ = shop.assembled(line(2, own_key="B", taker=taker(1, phone="2133334444", name="Tomador 1 Outra")))
    with shop.context() as context:
        page = asyncio.run(preview_markdown(context, reading))
        whole = markdown(forecast_page(context.catalogue, asyncio.run(forecast_reading(context, reading))))
    assert "| Tomador 1 Ltda | name | 5 |" in page
    assert "Tomador 1 Outra" not in page
    assert "| Tomador 1 Ltda | name | Tomador 1 Outra | Tomador 1 Ltda | 5 |" in whole
