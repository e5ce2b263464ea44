"""A month is closed when nothing of it is open, its reports come out the same, and later changes are reported."""

from datetime import UTC, datetime, timedelta

import openpyxl
import pandas as pd
import pytest

from connectors.ledger import closings, invoices
from connectors.ledger.tables.journals import BLOCK
from domain.problems import FaturistaError
from domain.states import InvoiceState
from tasks.closing.close import ClosedMonth, changes_since, close_last_month, close_month, reopen_month
from tasks.closing.reports import write_reports
from tasks.contracts.charge_sheets import gather_due
from tests.tasks.closing.months import LAST_MONTH, billed_last_month, mark_closed
from tests.tasks.rows import company, line, lines, this_month
from tests.tasks.workshop import Workshop


def closed(shop: Workshop) -> ClosedMonth:
    with shop.context() as context:
        made = close_month(context, LAST_MONTH, person="Ana")
    assert isinstance(made, ClosedMonth), made
    return made


@pytest.mark.both_databases
def test_the_reports_list_issued_invoices(each_shop: Workshop):
    billed_last_month(each_shop)
    made = closed(each_shop)
    assert (made.is_new, made.differing) == (True, ())
    book, lines, columns = made.reports
    found = pd.read_parquet(columns)
    assert found["service_cents"].tolist() == [10_001, 10_002, 500_000]
    assert found["taker_document"].tolist() == [company(n).number for n in (1, 2, 3)]
    text = lines.read_text(encoding="utf-8-sig").splitlines()
    assert len(text) == 4
    assert "5000,00" in text[3]
    sheets = openpyxl.load_workbook(book).worksheets
    # a heading without words would be its code in brackets
    headings = [*text[0].split(";"), *(str(cell) for sheet in sheets for cell in next(sheet.values))]
    assert not [heading for heading in headings if heading.startswith("[")]
    front = [cell for row in sheets[0].iter_rows(values_only=True) for cell in row if cell is not None]
    assert 5200.03 in front
    assert any("Closed by Ana" in str(cell) for cell in front)
    assert sheets[1].max_row == 4
    assert each_shop.read(closings.reports_of, made.closing.id) == {
        path.name: digest for path, digest in made.reports.items()
    }


def test_later_changes_leave_a_closings_bytes(shop: Workshop, tmp_path):
    batch = billed_last_month(shop)
    first = closed(shop)
    before = {path.name: path.read_bytes() for path in first.reports}
    shop.tamper("UPDATE takers SET name = 'Outro Nome', looked_at = looked_at + 1")
    gone = shop.read(invoices.invoices_of, batch)[0]
    shop.tamper(f"UPDATE invoices SET state = 'cancelled', is_living = false WHERE id = {gone.id}")
    shop.tamper(
        "INSERT INTO events (entity, block, first_id, last_id, was, becomes, because, is_observed, at)"
        f" SELECT 'invoice', {gone.id // BLOCK}, {gone.id}, {gone.id}, 'accepted', 'cancelled', 'seen', 1, MAX(at)"
        " FROM events"
    )
    again = closed(shop)
    assert (again.is_new, again.differing, again.closing) == (False, (), first.closing)
    with shop.context() as context:
        paths = write_reports(context, again.closing, tmp_path / "elsewhere")
        (change,) = changes_since(context, again.closing)
    assert {path.name: path.read_bytes() for path in paths} == before
    assert (change.invoice_id, change.was, change.becomes) == (
        gone.id,
        InvoiceState.ACCEPTED,
        InvoiceState.CANCELLED,
    )


def test_a_month_before_its_end_is_not_closed(shop: Workshop):
    with shop.context() as context, pytest.raises(FaturistaError) as raised:
        close_month(context, this_month(), person="Ana")
    assert raised.value.problem.code == "closing.not_over"


def test_a_month_is_opened_again_with_a_reason_and_closed_again(shop: Workshop):
    first = closed(shop)
    with shop.context() as context:
        reopen_month(context, LAST_MONTH, person="Bia", because="faltou uma nota")
        with pytest.raises(FaturistaError) as raised:
            reopen_month(context, LAST_MONTH, person="Bia", because="de novo")
    assert raised.value.problem.code == "closing.not_closed"
    second = closed(shop)
    assert (second.is_new, second.closing.id != first.closing.id) == (True, True)


def test_nothing_is_billed_in_a_closed_month(shop: Workshop):
    closed(shop)
    reading, batches = shop.assembled(*lines(1, competence=LAST_MONTH))
    assert (batches, shop.problems(reading)) == ([], {5: ["closing.closed"]})
    with shop.context() as context, pytest.raises(FaturistaError) as raised:
        gather_due(context, competence=LAST_MONTH, is_catching_up=False)
    assert raised.value.problem.code == "closing.closed"


def test_a_copy_of_a_closed_month_is_answered_as_before_the_closing(each_shop: Workshop):
    shop = each_shop
    billed_last_month(shop, 4)
    closed(shop)
    costly = line(4, competence=LAST_MONTH, service_cents=500_000, template_name="Consultoria")
    copy = [line(9, competence=LAST_MONTH), costly, *reversed(lines(3, competence=LAST_MONTH))]
    reading, batches = shop.assembled(*copy)
    living = {key: ["row.living"] for key in range(6, 10)}
    assert (batches, shop.problems(reading)) == ([], {5: ["closing.closed"]} | living)
    assert [row.problems[0].params for row in shop.rows(reading)[1:]] == [
        {"serie": "F", "number": number} for number in (4, 3, 2, 1)
    ]
    reading, batches = shop.assembled(line(1, competence=LAST_MONTH, service_cents=9))
    assert (batches, shop.problems(reading)) == ([], {5: ["row.similar_living"]})
    reading, batches = shop.assembled(*lines(2, competence=LAST_MONTH), line(3, competence=LAST_MONTH, service_cents=9))
    found = {5: ["row.living"], 6: ["row.living"], 7: ["row.file_question"]}
    assert (batches, shop.problems(reading)) == ([], found)


def test_a_rejected_row_of_a_closed_month_says_that_it_is_closed(shop: Workshop):
    (batch,) = shop.assembled(line(1, competence=LAST_MONTH))[1]
    shop.tamper(f"UPDATE invoices SET state = 'rejected', is_living = false WHERE batch_id = {batch}")
    shop.write(mark_closed)
    reading, _ = shop.assembled(line(1, competence=LAST_MONTH))
    assert shop.problems(reading) == {5: ["closing.closed"]}


def test_a_row_that_cannot_be_billed_now_makes_no_other_row_a_repeat(shop: Workshop):
    old = datetime.now(UTC) - timedelta(days=60)
    reading, (batch,) = shop.assembled(line(1, emission_at=old), line(1))
    assert shop.problems(reading)[5][0] == "date.emission_old"
    assert 6 not in shop.problems(reading)
    assert shop.batch(batch).count == 1


def test_the_monthly_run_closes_only_where_the_profile_says_so(shop: Workshop):
    billed_last_month(shop)
    with shop.context() as context:
        assert close_last_month(context) == []
    shop.set(CLOSING__AUTOMATIC="true")
    with shop.context() as context:
        assert len(close_last_month(context)) == 3
        assert close_last_month(context) == []


def test_a_closed_month_gets_reports_that_found_no_room(shop: Workshop):
    billed_last_month(shop)
    shop.set(CLOSING__AUTOMATIC="true")
    outbox = shop.home / "outbox"
    outbox.write_text("no folder")
    with shop.context() as context:
        for _ in range(2):
            with pytest.raises(OSError, match="outbox"):
                close_last_month(context)
        outbox.unlink()
        assert len(close_last_month(context)) == 3
        assert close_last_month(context) == []
