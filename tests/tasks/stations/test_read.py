"""Reading: every row typed or refused, a reading as a whole or not at all, and billed rows left out."""

import gc
from datetime import date
from pathlib import Path

import pytest
import xlsxwriter

from connectors.ledger import files, invoices, rows
from connectors.ledger.rows import Parties
from connectors.ledger.sheets.row_import import ReadMeanwhile
from connectors.ledger.sheets.row_outcomes import newest_rows
from domain.competence import add_months, format_competence, month_text
from domain.problems import FaturistaError, InputError
from domain.services.lines import ServiceLine
from domain.states import RowState
from tasks.corrections.failures import failing_rows
from tasks.issuance.decide import start_serie
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import SAMPLE_ROWS, open_file, read_file, read_opened, read_without_storing
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.scene import known_files
from tests.tasks.dropped_sheets import HEADER_ROW, HEADERS, cells, write_sheet
from tests.tasks.rows import RIO, SAO_PAULO, this_month
from tests.tasks.workshop import Workshop

FIRST = HEADER_ROW + 1


def read(shop: Workshop, path: Path, **options) -> tuple[int, dict[str, int]]:
    """Take a file in and read it. Return the reading's id and its counts."""
    with shop.context() as context:
        reading, result = read_file(
            context, archive_file(context, path), ReadingOptions(**{"operator": "Ana", **options})
        )
    return reading, dict(result.counts)


def lines_of(shop: Workshop, reading: int) -> list[ServiceLine]:
    return [ServiceLine.from_json(row.line) for row in shop.rows(reading) if row.line is not None]


def test_good_rows_are_typed_bad_ones_refused_with_all_reasons(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    bad = {"CNPJ/CPF": "99.000.001/0001-00", "Valor": "muito"}
    path = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2, **bad), cells(3)])
    collected = gc.get_threshold()
    reading, counts = read(shop, path)
    assert counts == {"read": 2, "refused": 1, "skipped": 0}
    assert gc.get_threshold() == collected
    assert shop.problems(reading) == {FIRST + 1: ["document.invalid", "amount.unreadable"]}
    first, _ = lines_of(shop, reading)
    assert (first.service_cents, first.emitter_cnpj, first.competence) == (10_001, RIO, this_month())
    assert first.taker.name == "Tomador 1 Ltda"
    assert [row.state for row in shop.rows(reading)] == [RowState.READ, RowState.REFUSED, RowState.READ]
    problem = shop.rows(reading)[1].problems[0]
    assert (problem.where.row, problem.where.column) == (FIRST + 1, "B")


def test_the_ledger_stores_the_options_and_the_understanding(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(1), ["Total", *[""] * 9, "100,01"]])
    month = add_months(this_month(), -1)
    reading, counts = read(shop, path, emitter_cnpj=SAO_PAULO, competence=month, retry_rejected=True)
    assert counts["read"] == 1
    record = shop.read(files.reading_of, reading)
    assert record.operator == "Ana"
    assert record.options["competence"] == format_competence(month)
    assert (record.options["emitter_cnpj"], record.options["retry_rejected"]) == (SAO_PAULO, True)
    assert record.understood is not None
    assert (record.understood["header_row"], record.understood["declared_cents"]) == (HEADER_ROW, 10_001)
    assert record.finished_at is not None


def test_the_operators_options_apply_to_rows_without_values(shop: Workshop, tmp_path: Path):
    silent = {"CNPJ Emitente": "", "Competência": ""}
    path = write_sheet(tmp_path / "mes.csv", [cells(1, **silent), cells(2)])
    month = add_months(this_month(), -1)
    reading, _ = read(shop, path, emitter_cnpj=SAO_PAULO, competence=month)
    first, second = lines_of(shop, reading)
    assert (first.emitter_cnpj, first.competence) == (SAO_PAULO, month)
    assert (second.emitter_cnpj, second.competence) == (RIO, this_month())


def test_rows_with_a_living_invoice_are_left_out(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    path = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2, Modelo="Errado"), cells(3)])
    reading, _ = read(shop, path)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    again, counts = read(shop, path)
    assert (again != reading, counts) == (True, {"read": 1, "refused": 0, "skipped": 2})
    assert [row.row_number for row in shop.rows(again)] == [FIRST + 1]


def test_the_same_file_for_another_month_is_another_charge(each_shop: Workshop, tmp_path: Path):
    shop, month, before = each_shop, this_month(), add_months(this_month(), -1)
    silent = {"Competência": ""}
    path = write_sheet(tmp_path / "contratos.csv", [cells(1, **silent), cells(2, Modelo="Errado", **silent), cells(3)])
    for competence, counts in (
        (before, {"read": 3, "refused": 0, "skipped": 0}),
        # The third row names its month itself: the run's month does not make it another charge.
        (month, {"read": 2, "refused": 0, "skipped": 1}),
        (before, {"read": 1, "refused": 0, "skipped": 2}),
        (month, {"read": 1, "refused": 0, "skipped": 2}),
    ):
        reading, found = read(shop, path, competence=competence)
        assert found == counts
        for station in (resolve_rows, assemble_rows):
            shop.run(station, reading)
    assert sorted((batch.competence, batch.count) for batch in shop.batches()) == [(before, 1), (month, 1), (month, 1)]
    (file,) = shop.read(known_files)
    outcomes = [(each.row.row_number, each.row.run_competence) for each in shop.read(newest_rows, file.id)]
    expected = month_text(before), month_text(month)
    both = [(number, each) for number in (FIRST, FIRST + 1) for each in expected]
    assert outcomes == [*both, (FIRST + 2, None)]
    with shop.context() as context:
        # The correction workbook is for one month, the one read last.
        assert [each.row.location[1:] for each in failing_rows(context, file)] == [(FIRST + 1, expected[1])]


def test_a_month_named_by_mistake_gives_way_to_the_right_one(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "contratos.csv", [cells(1, Competência="")])
    for competence in (add_months(this_month(), 1), this_month()):
        reading, _ = read(shop, path, competence=competence)
        for station in (resolve_rows, assemble_rows):
            shop.run(station, reading)
    (file,) = shop.read(known_files)
    (outcome,) = shop.read(newest_rows, file.id)
    assert outcome.invoice is not None
    assert outcome.invoice.competence == this_month()


def test_a_month_that_stopped_midway_goes_on_beside_the_next(shop: Workshop, tmp_path: Path):
    month, before = this_month(), add_months(this_month(), -1)
    path = write_sheet(tmp_path / "contratos.csv", [cells(1, Competência=""), cells(2, Competência="")])
    first, _ = read(shop, path, competence=before)
    shop.run(resolve_rows, first)
    row, _ = shop.rows(first)
    assert row.emitter_id is not None
    assert row.taker_id is not None
    assert row.template_id is not None
    drafted = scenes.new_invoice(row.id, row.emitter_id, row.taker_id, row.template_id)
    shop.write(invoices.draft_invoices, [drafted])
    second, _ = read(shop, path, competence=month)
    assert shop.problems(first) == {}
    assert shop.read(rows.stalled_readings, idle_s=0) == [first, second]


def test_the_same_rows_in_other_bytes_are_another_file(shop: Workshop, tmp_path: Path):
    first, _ = read(shop, write_sheet(tmp_path / "a.csv", [cells(1)]))
    second, counts = read(shop, write_sheet(tmp_path / "b.csv", [cells(1), cells(2)]))
    assert counts == {"read": 2, "refused": 0, "skipped": 0}
    assert shop.rows(first)[0].file_id != shop.rows(second)[0].file_id


def test_a_reading_that_stopped_on_the_way_is_taken_up_again(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    path = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2)])
    reading, _ = read(shop, path)
    assert read(shop, path) == (reading, {"read": 2, "refused": 0, "skipped": 0})
    shop.run(resolve_rows, reading)
    assert read(shop, path)[0] == reading
    shop.run(assemble_rows, reading)
    assert read(shop, path)[0] != reading


@pytest.mark.both_databases
@pytest.mark.parametrize("month", [None, date(2026, 10, 1)])
def test_a_reading_that_another_process_works_on_is_left_alone(each_shop: Workshop, tmp_path: Path, month: date | None):
    shop = each_shop
    path = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2)])
    reading, _ = read(shop, path)
    shop.write(files.record_heartbeat, reading, worker="another machine:1-1")
    with pytest.raises(ReadMeanwhile) as caught:
        read(shop, path, competence=month)
    assert caught.value.problem.params == {"name": "mes.csv"}
    assert shop.read(rows.count_rows, reading) == {"read": 2}
    shop.write(files.leave, reading, worker="another machine:1-1")
    assert (read(shop, path, competence=month)[0] == reading) == (month is None)


def test_an_opened_file_is_read_without_opening_it_again(shop: Workshop, tmp_path: Path):
    path, options = (
        write_sheet(tmp_path / "mes.csv", [cells(1), cells(2, Valor="muito")]),
        ReadingOptions(operator="Ana"),
    )
    with shop.context() as context:
        opened = open_file(context, path, options)
        path.unlink()
        reading = read_opened(context, opened, options)
    assert [row.state for row in shop.rows(reading)] == [RowState.READ, RowState.REFUSED]


def test_a_reading_that_the_caller_made_is_not_made_again(shop: Workshop, tmp_path: Path):
    options = ReadingOptions(operator="Ana")
    # Nothing of it is left to do, so it would be read again.
    path = write_sheet(tmp_path / "mes.csv", [cells(1, Valor="muito")])
    with shop.context() as context:
        made = read_opened(context, open_file(context, path, options), options)
        for kept in Path(context.settings.paths.archive).rglob("*.csv"):
            kept.unlink()
        reading, result = read_file(context, archive_file(context, path), options, made=made)
    assert (reading, dict(result.counts)) == (made, {"read": 0, "refused": 1, "skipped": 0})
    assert read(shop, path)[0] != made


def test_other_options_are_not_answered_with_the_old_reading(each_shop: Workshop, tmp_path: Path):
    """The first run stopped; now the operator corrects the month."""
    shop = each_shop
    path = write_sheet(tmp_path / "mes.csv", [cells(1, Competência="")])
    wrong, month = this_month(), add_months(this_month(), -1)
    first, _ = read(shop, path, competence=wrong)
    second, counts = read(shop, path, competence=month)
    assert (second != first, counts["read"]) == (True, 1)
    assert [line.competence for line in lines_of(shop, second)] == [month]
    # The old options are not applied without the operator's knowledge.
    assert shop.problems(first) == {FIRST: ["row.superseded"]}
    assert shop.read(rows.stalled_readings, idle_s=0) == [second]
    # The operator's name is no part of the options.
    assert read(shop, path, competence=month, operator="Bia")[0] == second


def test_drafts_that_wait_for_a_serie_are_taken_up_again(shop: Workshop, tmp_path: Path):
    """The serie was somebody else's; after a person's decision, billing the file again continues where it stopped."""
    shop.post_as_somebody_else(number=41)
    path = write_sheet(tmp_path / "mes.csv", [cells(1)])
    reading, _ = read(shop, path)
    shop.run(resolve_rows, reading)
    with pytest.raises(FaturistaError):
        shop.run(assemble_rows, reading)
    with shop.context() as context:
        start_serie(context, emitter_cnpj=RIO, serie="F", start=42, person="Ana")
    assert read(shop, path)[0] == reading
    assert shop.run(assemble_rows, reading).counts["batches"] == 1


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"\x00\x01\x02\x03" * 99, "mes.xlsx", None),
        (b"%PDF-1.7 something", "mes.xlsx", None),
        (b"Faturamento\n\nnada;aqui\n", "mes.csv", "sheet.no_header"),
        ((";".join(HEADERS) + "\n").encode(), "mes.csv", "sheet.no_rows"),
        (
            (";".join(h for h in HEADERS if h != "Valor") + "\n" + "x;" * 11 + "\n").encode(),
            "mes.csv",
            "column.missing",
        ),
        ((";".join([*HEADERS, "Valor Bruto"]) + "\n" + "x;" * 13 + "\n").encode(), "mes.csv", "column.twice"),
    ],
    ids=["noise", "pdf", "no header", "no rows", "column missing", "column twice"],
)
def test_a_file_that_cannot_be_understood_leaves_no_reading(shop: Workshop, tmp_path: Path, content, name, code):
    path = tmp_path / name
    path.write_bytes(content)
    options = ReadingOptions(operator="Ana")
    with shop.context() as context:
        with pytest.raises(InputError) as checked:
            open_file(context, path, options)
        assert context.ledger.read(known_files) == []
        with pytest.raises(InputError) as raised:
            read_file(context, archive_file(context, path), options)
        assert context.ledger.read(files.last_reading, 1) is None
        assert raised.value.problem == checked.value.problem
        assert not context.catalogue.say(raised.value.problem).startswith("[")
    assert code in (None, raised.value.problem.code)


def test_too_many_rows_are_refused_as_a_whole(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(number) for number in range(1, 12)])
    shop.set(LIMITS__ROWS=10)
    with pytest.raises(InputError):
        read(shop, path)


def test_rows_that_are_not_stored_are_those_that_would_be(shop: Workshop, tmp_path: Path):
    count = SAMPLE_ROWS + 3
    rows = [*(cells(n) for n in range(1, count)), cells(count, Valor="x")]
    path = write_sheet(tmp_path / "mes.csv", rows)
    with shop.context() as context:
        seen = read_without_storing(context, path, ReadingOptions(operator="ana"))
        reading, _ = read_file(context, archive_file(context, path), ReadingOptions(operator="ana"))
    stored = shop.rows(reading)
    assert [(row.location, row.state, row.line, row.problems) for row in seen.rows] == [
        (row.location, row.state, row.line, row.problems) for row in stored
    ]
    assert [row.cells for row in list(seen.rows)[:SAMPLE_ROWS]] == [row.cells for row in stored[:SAMPLE_ROWS]]
    assert list(seen.rows.lines()) == [row.line for row in stored if row.line is not None]
    resolved = seen.rows.record(0, Parties(emitter_id=1, taker_id=-2, template_id=3))
    assert (resolved.state, resolved.emitter_id, resolved.taker_id, resolved.template_id) == ("resolved", 1, -2, 3)
    assert (resolved.location, resolved.line, resolved.cells) == (stored[0].location, stored[0].line, {})


def test_the_named_one_of_several_sheets_is_read(shop: Workshop, tmp_path: Path):
    book = xlsxwriter.Workbook(tmp_path / "mes.xlsx")
    for name, number in (("Um", 1), ("Dois", 2)):
        sheet = book.add_worksheet(name)
        for row, written in enumerate([HEADERS, cells(number)]):
            sheet.write_row(row, 0, written)
    book.close()
    with pytest.raises(InputError) as raised:
        read(shop, tmp_path / "mes.xlsx")
    assert raised.value.problem.code == "sheet.several"
    reading, _ = read(shop, tmp_path / "mes.xlsx", sheet="Dois")
    assert [line.description for line in lines_of(shop, reading)] == ["Contrato 2"]


def test_a_file_that_is_not_in_the_ledger_is_not_read(shop: Workshop):
    with shop.context() as context, pytest.raises(FaturistaError) as raised:
        read_file(context, 99, ReadingOptions(operator="Ana"))
    assert raised.value.problem.code == "file.not_in_ledger"
