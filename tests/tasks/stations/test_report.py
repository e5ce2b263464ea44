"""The outcome: one line for every dropped row with its result, and equal bytes for equal content."""

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import openpyxl
import pytest
import sqlalchemy as sa
import time_machine

from connectors.ledger import tables
from connectors.ledger.transitions import move
from connectors.nfse.emulator.seed import default_company
from domain.problems import FaturistaError
from domain.states import InvoiceState
from tasks.corrections.workbook import write_back
from tasks.documents.fetch import fetch_batch
from tasks.issuance.decide import decide_batch
from tasks.issuance.discard import discard_batch
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.reconcile import recheck_batch
from tasks.stations.release import release_batch
from tasks.stations.report import report_outcome
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.connectors.ledger.scene import known_files
from tests.tasks.dropped_sheets import HEADER_ROW, HEADERS, cells, write_sheet
from tests.tasks.rows import SAO_PAULO, company
from tests.tasks.workshop import Workshop, fault

FIRST = HEADER_ROW + 1


def billed(shop: Workshop, path: Path, **options: Any) -> int:
    """Read and assemble a file. Return its id."""
    with shop.context() as context:
        file = archive_file(context, path)
        reading, _ = read_file(context, file, ReadingOptions(operator="Ana", **options))
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    return file


def issued(shop: Workshop) -> None:
    """Issue everything that is planned."""
    for batch in shop.batches():
        if batch.state == "planned":
            shop.run(stage_batch, batch.id)
            shop.approve()
            shop.run(release_batch, batch.id)
            shop.follow(batch.id)


def written(shop: Workshop, file: int, **options: Any) -> Path:
    with shop.context() as context:
        return report_outcome(context, file, **options)


def lines_of(path: Path) -> dict[int, dict[str, Any]]:
    """Return the workbook's lines by row number of the dropped sheet, each by heading."""
    book = openpyxl.load_workbook(path)
    for sheet in book.worksheets:
        table = [list(row) for row in sheet.iter_rows(values_only=True)]
        heads = [place for place, row in enumerate(table) if "Row" in row and "Status" in row]
        if heads:
            heading = [str(each) for each in table[heads[0]]]
            return {
                int(str(line[heading.index("Row")])): dict(zip(heading, line, strict=True))
                for line in table[heads[0] + 1 :]
            }
    raise AssertionError("no page with a line for each row")


def whole_text(path: Path) -> str:
    """Return every cell of every page."""
    book = openpyxl.load_workbook(path)
    return " | ".join(str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row if cell)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Write rows of every kind: good, of another company, misspelt, without an amount, and a repeat."""
    return write_sheet(
        tmp_path / "novembro.csv",
        [
            cells(1),
            cells(2, **{"CNPJ Emitente": SAO_PAULO}),
            cells(3, Modelo="Errado"),
            cells(4, Valor=""),
            cells(1),
            ["Total", *[""] * 9, "999,99"],
        ],
    )


def test_held_and_refused_rows_are_reported_and_counted_apart(shop: Workshop, tmp_path: Path):
    rows = [[*cells(1), ""], [*cells(2), "CANCELADO"], [*cells(3), "Suspenso"], [*cells(4, Valor="x"), "CANCELADO"]]
    path = write_sheet(tmp_path / "retidas.csv", rows, headers=(*HEADERS, "Situação"))
    file = billed(shop, path)
    outcome = written(shop, file)
    statuses = [line["Status"] for line in lines_of(outcome).values()]
    assert statuses[1:] == ["Held", "Held", "Refused"]
    page = openpyxl.load_workbook(outcome).worksheets[0]
    counts = {row[1]: row[3] for row in page.iter_rows(values_only=True) if row[1] in ("Held", "Refused")}
    assert counts == {"Held": 2, "Refused": 1}
    with shop.context() as context:
        corrections = write_back(context, file)
    assert corrections is not None
    assert whole_text(corrections.path).count("Held\n") == 2


def test_every_row_has_its_line_with_what_became_of_it(each_shop: Workshop, sheet: Path):
    shop = each_shop
    file = billed(shop, sheet)
    issued(shop)
    lines = lines_of(written(shop, file))
    assert {row: line["Status"] for row, line in lines.items()} == {
        FIRST: "Accepted",
        FIRST + 1: "Accepted",
        FIRST + 2: "Refused",
        FIRST + 3: "Refused",
        FIRST + 4: "Refused",
    }
    (rio, _) = sorted(shop.batches(), key=lambda batch: batch.emitter_id)
    first = lines[FIRST]
    note = shop.notes(rio.id)[0]
    for value in (note.nfse_number, note.remote_id, company(1).number):
        assert str(value) in {str(cell).replace(".", "").replace("/", "").replace("-", "") for cell in first.values()}
    assert 100.01 in first.values()
    assert "Errado" in str(lines[FIRST + 2])
    assert "does not exist for this company" in str(lines[FIRST + 2])


def test_totals_and_warnings_are_on_it(shop: Workshop, sheet: Path):
    file = billed(shop, sheet)
    issued(shop)
    text = whole_text(written(shop, file))
    assert "Marés Consultoria Ltda" in text
    assert "Aurora Serviços Digitais S.A." in text
    assert "The total row says R$ 999,99" in text
    assert shop.read(known_files)[0].sha256[:8] in text


def test_the_same_content_gives_the_same_bytes(each_shop: Workshop, sheet: Path, tmp_path: Path):
    shop = each_shop
    file = billed(shop, sheet)
    issued(shop)
    first = digest(written(shop, file))
    with time_machine.travel(datetime.now(UTC) + timedelta(days=3)):
        assert digest(written(shop, file, folder=tmp_path / "elsewhere" / "deep")) == first
    (rio, _) = sorted(shop.batches(), key=lambda batch: batch.emitter_id)
    shop.act("cancel", note_id=shop.notes(rio.id)[0].remote_id)
    shop.run(recheck_batch, rio.id)
    assert digest(written(shop, file)) != first


def test_it_is_as_new_as_the_last_change_that_it_shows(shop: Workshop, tmp_path: Path):
    """A city cancels an invoice a day after its batch ended."""
    batch = shop.processed(2)
    shop.write(age, 86_400)
    # Ageing leaves the stated instant of emission as it is.
    shop.write(lambda conn: conn.execute(sa.update(tables.batches).values(emission_at=None)))
    shop.act("cancel", note_id=shop.notes(batch)[0].remote_id)
    shop.run(recheck_batch, batch)

    with shop.context() as context:
        made = openpyxl.load_workbook(report_outcome(context, 1, folder=tmp_path)).properties.created
    assert made is not None
    assert datetime.now(UTC) - made.replace(tzinfo=UTC) < timedelta(hours=12)


def test_a_citys_answer_is_repeated_in_its_words(shop: Workshop, tmp_path: Path):
    shop.sandbox.switch(rejection_share=1.0, rejection_seed=5)
    file = billed(shop, write_sheet(tmp_path / "mes.csv", [cells(number) for number in range(1, 7)]))
    issued(shop)
    lines = lines_of(written(shop, file))
    assert {line["Status"] for line in lines.values()} == {"Rejected by the city"}
    found = [error for note in shop.notes(1) for error in note.errors]
    assert found
    for error in found:
        assert any(error["description"] in str(line) for line in lines.values()), error


def test_a_row_billed_again_has_one_instruction(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2)])
    shop.sandbox.switch(advance="looks", advance_looks=1)
    file = billed(shop, path)
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    shop.approve()
    shop.run(release_batch, batch.id)
    for note, code in zip(shop.notes(batch.id), ("500", "E30"), strict=True):
        shop.act("reject", note_id=note.remote_id, code=code)
    shop.follow(batch.id)
    assert billed(shop, path) == file
    away, item = lines_of(written(shop, file)).values()
    for line, act in ((away, "Nobody has to act"), (item, "Whoever filled in the sheet")):
        assert "already rejected this charge" in line["What happened"]
        assert [each[:2] for each in line["What to do"].split("\n")] == ["2."]
        assert act in line["What to do"]
        assert line["ISS (R$)"] is None


def test_a_row_mended_and_billed_again_shows_its_newest_invoice(shop: Workshop, tmp_path: Path):
    """Rejected first, accepted when billed again: the line shows the living invoice."""
    path = write_sheet(tmp_path / "mes.csv", [cells(1)])
    shop.sandbox.switch(rejection_share=1.0)
    file = billed(shop, path)
    issued(shop)
    shop.sandbox.switch(rejection_share=0.0)
    assert lines_of(written(shop, file))[FIRST]["Status"] == "Rejected by the city"
    assert billed(shop, path) == file
    unchanged = lines_of(written(shop, file))[FIRST]
    assert unchanged["Status"] == "Rejected by the city"
    assert "nothing in the row has changed" in str(unchanged)
    billed(shop, path, retry_rejected=True)
    issued(shop)
    again = lines_of(written(shop, file))[FIRST]
    assert again["Status"] == "Accepted"
    assert "2" in {str(cell) for cell in again.values()}


def test_invoices_under_way_or_in_doubt_are_reported(shop: Workshop, tmp_path: Path):
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    shop.set(NFSE__IN_FLIGHT=1)
    file = billed(shop, write_sheet(tmp_path / "mes.csv", [cells(1), cells(2)]))
    assert {line["Status"] for line in lines_of(written(shop, file)).values()} == {"Under way"}
    shop.run(stage_batch, 1)
    assert {row: line["Status"] for row, line in lines_of(written(shop, file)).items()} == {
        FIRST: "Under way",
        FIRST + 1: "In doubt",
    }


def test_an_invoice_under_way_says_that_it_awaits_approval(shop: Workshop, tmp_path: Path):
    shop.set(APPROVAL__AUTOMATIC="false")
    file = billed(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    shop.run(stage_batch, 1)
    (line,) = lines_of(written(shop, file)).values()
    assert (line["Status"], line["What happened"]) == ("Under way", "Waiting for an approval: batch 1.")


def test_text_that_looks_like_a_formula_stays_text(shop: Workshop, tmp_path: Path):
    wicked = '=HYPERLINK("http://evil.example")'
    file = billed(shop, write_sheet(tmp_path / "mes.csv", [cells(1, Modelo=wicked), cells(2, Discriminação="=1+1")]))
    book = openpyxl.load_workbook(written(shop, file))
    found = [cell for page in book for row in page.iter_rows() for cell in row if str(cell.value).startswith("=")]
    assert all(cell.data_type == "s" for cell in found if "HYPERLINK" in str(cell.value) or cell.value == "=1+1")
    assert any("HYPERLINK" in str(cell.value) for page in book for row in page.iter_rows() for cell in row)


def test_a_file_that_was_never_read_has_no_outcome(shop: Workshop, tmp_path: Path):
    with shop.context() as context:
        file = archive_file(context, write_sheet(tmp_path / "mes.csv", [cells(1)]))
        for wrong in (file, 99):
            with pytest.raises(FaturistaError) as raised:
                report_outcome(context, wrong)
            assert raised.value.problem.code == "file.not_in_ledger"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_invoice_shows_whom_it_names_and_where_its_documents_lie(shop: Workshop, tmp_path: Path):
    named = {"cnpj": company(1).number, "social_reason": "Tomador 1 Ltda - EPP", "is_complete": True}
    shop.sandbox.control("seed", {**default_company(), "takers": [named]})
    shop.sandbox.switch(advance="at_once")
    file = billed(shop, write_sheet(tmp_path / "mes.csv", [cells(1), cells(2)]))
    issued(shop)
    (batch,) = shop.batches()
    shop.run(fetch_batch, batch.id)
    first, second = lines_of(written(shop, file)).values()
    assert (first["Customer"], first["Name in the sheet"]) == ("Tomador 1 Ltda - EPP", "Tomador 1 Ltda")
    assert (second["Customer"], second["Name in the sheet"]) == ("Tomador 2 Ltda", None)
    link = urlsplit(str(first["PDF"]).split('"')[1])
    assert (link.scheme, Path(unquote(link.path)).read_bytes()[:5]) == ("file", b"%PDF-")


def test_a_refused_batch_says_who_refused_it_and_why(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    path = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2)])
    file = billed(shop, path)
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    with shop.context() as context:
        decide_batch(context, batch.id, "discard", person="Ana", because="the month is wrong")
    going = lines_of(written(shop, file))[FIRST]
    assert going["Status"] == "Under way"
    assert "is being taken back: Ana: the month is wrong" in going["What happened"]
    shop.run(discard_batch, batch.id)
    book = written(shop, file)
    for line in lines_of(book).values():
        assert (line["Status"], line["Amount (R$)"] is None) == ("Not issued", False)
        assert "was taken back before it was sent: Ana: the month is wrong" in line["What happened"]
        assert "correct the sheet and send it again" in line["What to do"]
    assert "Cancelled" not in whole_text(book)


def test_an_invoice_taken_back_alone_says_why(shop: Workshop, tmp_path: Path):
    file = billed(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    (note,) = shop.notes(batch.id)
    # Such an end comes from the provider's page, too: the journal has its reason.
    shop.write(move, [note.id], was=note.state, becomes=InvoiceState.DELETED, because="Ana: nobody wants it")
    line = lines_of(written(shop, file))[FIRST]
    assert line["Status"] == "Not issued"
    assert line["What happened"] == "The invoice was not issued: Ana: nobody wants it"
