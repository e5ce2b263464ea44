"""Both workbooks: correct sums, identifiers as text, no active content, and the same bytes for the same content."""

import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import openpyxl
import pytest

from configs.catalogue import LANGUAGES, Catalogue
from connectors.spreadsheets.reports.books import write_orders, write_paid
from domain.orders import orders, paid_invoices
from domain.orders.orders import ListedOrder
from domain.orders.paid_invoices import Redeemed
from domain.orders.reports import OrdersReport, PaidReport
from domain.problems import FaturistaError
from tests.connectors.ledger.mirror.samples import SINCE, order, paid

LABELS = {"essencial": "Essencial", "avancado": "Avançado"}
LIVE = '=HYPERLINK("http://evil.example";"x")'
INVOICES = (
    paid(1, client_name=LIVE, adjustments=(Redeemed(1_000, "@SUM(A1)"),)),
    paid(2, paid_at=datetime(2026, 11, 1, 2, 59, tzinfo=UTC), client_document="9E000000000126"),
    paid(3, paid_at=datetime(2026, 11, 1, 3, 0, tzinfo=UTC), plan_slug="avancado", total_cents=1_234_567_89),
    paid(4, paid_at=datetime(2027, 1, 15, tzinfo=UTC), client_name=None, client_document=None),
)
ORDERS = (
    ListedOrder(order(1, client_name=LIVE), is_gone=False),
    ListedOrder(order(2, is_paid=False, plan_slug="avancado", amount_cents=24_990), is_gone=False),
    ListedOrder(order(3, is_active=False), is_gone=True),
)


def words(family, language="pt_BR"):
    catalogue = Catalogue.load(language)
    return {**catalogue.words("report"), **catalogue.words(family)}


def paid_report(*invoices, language="pt_BR", **changes) -> PaidReport:
    values: dict[str, Any] = {
        "since": SINCE,
        "made_at": datetime(2026, 11, 20, 12, tzinfo=UTC),
        "labels": LABELS,
        "invoices": invoices,
        "totals": paid_invoices.total_by_month(invoices),
        "digest": paid_invoices.digest_of(invoices),
        "words": words("report_paid", language),
    }
    return PaidReport(**(values | changes))


def orders_report(*listed, language="pt_BR") -> OrdersReport:
    return OrdersReport(
        made_at=datetime(2026, 11, 20, 12, tzinfo=UTC),
        labels=LABELS,
        orders=listed,
        totals=orders.total_by_plan(listed),
        digest=orders.digest_of(listed),
        words=words("report_orders", language),
        warnings=("Confira o pedido 2.",),
    )


def write(tmp_path, report, name="r.xlsx"):
    path = tmp_path / name
    (write_paid if isinstance(report, PaidReport) else write_orders)(path, report)
    return path


REPORTS = pytest.mark.parametrize("report", [paid_report(*INVOICES), orders_report(*ORDERS)], ids=["paid", "orders"])


def numbers(path):
    """Return every number of the first page, by cell."""
    sheet = openpyxl.load_workbook(path, data_only=True).worksheets[0]
    return {
        cell.coordinate: round(float(cell.value), 4)
        for row in sheet
        for cell in row
        if isinstance(cell.value, int | float)
    }


def test_the_first_page_has_month_by_plan_to_the_cent(tmp_path):
    path = write(tmp_path, paid_report(*INVOICES))
    sheet = openpyxl.load_workbook(path, data_only=True).worksheets[0]
    table = [[cell for cell in row if cell not in (None, "")] for row in sheet.iter_rows(values_only=True)]
    months = {row[0].date(): row[1:] for row in table if row and isinstance(row[0], datetime)}
    assert months == {
        date(2026, 10, 1): [2, 199.8, 0, 0, 2, 199.8],
        date(2026, 11, 1): [0, 0, 1, 1_234_567.89, 1, 1_234_567.89],
        date(2026, 12, 1): [0, 0, 0, 0, 0, 0],
        date(2027, 1, 1): [1, 99.9, 0, 0, 1, 99.9],
    }
    assert next(row for row in table if row and row[0] == "Total")[1:] == [3, 299.7, 1, 1_234_567.89, 4, 1_234_867.59]


@REPORTS
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_an_office_program_computes_our_sums(tmp_path, report):
    """Remove our cached values from the file first, so that the comparison uses the formulas' results."""
    path = write(tmp_path, report)
    bare = tmp_path / "bare.xlsx"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(bare, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.startswith("xl/worksheets/sheet"):
                content = re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", content)
            target.writestr(name, content)
    assert numbers(bare) != numbers(path)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless"]
    command += ["--convert-to", "xlsx", "--outdir", str(tmp_path / "anew"), str(bare)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    assert numbers(tmp_path / "anew" / "bare.xlsx") == numbers(path)


@REPORTS
def test_equal_reports_have_equal_bytes(tmp_path, report):
    first, second = write(tmp_path, report, "a.xlsx"), write(tmp_path, report, "b.xlsx")
    assert first.read_bytes() == second.read_bytes()
    other = replace(report, digest="0" * 64)
    assert write(tmp_path, other, "c.xlsx").read_bytes() != first.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.xlsx", "b.xlsx", "c.xlsx"]


@REPORTS
def test_data_is_never_a_formula_and_identifiers_are_text(tmp_path, report):
    path = write(tmp_path, report)
    with zipfile.ZipFile(path) as book:
        text = "".join(book.read(name).decode() for name in book.namelist() if name.endswith(".xml"))
    assert all("HYPERLINK" not in formula for formula in re.findall(r"<f>(.*?)</f>", text))
    assert "<hyperlink" not in text
    sheet = openpyxl.load_workbook(path).worksheets[1]
    rows = list(sheet.iter_rows(min_row=3, values_only=True))
    assert all(isinstance(row[0], str) and isinstance(row[4], str | None) for row in rows)
    assert LIVE in {value for row in rows for value in row}
    assert all(cell.data_type == "s" for row in sheet.iter_rows(min_row=3) for cell in row if cell.value == LIVE)


@REPORTS
def test_the_pages_are_ready_to_be_used(tmp_path, report):
    summary, lines = openpyxl.load_workbook(write(tmp_path, report)).worksheets
    assert lines.freeze_panes == "C3"
    assert lines.auto_filter.ref.startswith("A2:")
    assert len(vars(summary)["_charts"]) == 1
    assert re.fullmatch(r"=SUBTOTAL\(109,.*\)", lines["G1" if isinstance(report, PaidReport) else "F1"].value)


def test_instants_and_months_are_in_sao_paulo_time(tmp_path):
    sheet = openpyxl.load_workbook(write(tmp_path, paid_report(*INVOICES))).worksheets[1]
    rows = {row[0]: row for row in sheet.iter_rows(min_row=3, values_only=True)}
    assert (rows["2"][2], rows["2"][3]) == (datetime(2026, 10, 1), datetime(2026, 10, 31, 23, 59))  # noqa: DTZ001
    assert rows["3"][2] == datetime(2026, 11, 1)  # noqa: DTZ001


def test_warnings_are_shown(tmp_path):
    sheet = openpyxl.load_workbook(write(tmp_path, orders_report(*ORDERS))).worksheets[0]
    assert "• Confira o pedido 2." in {cell for row in sheet.iter_rows(values_only=True) for cell in row}
    many = paid_report(*INVOICES, warnings=tuple(f"w{n}" for n in range(20)))
    sheet = openpyxl.load_workbook(write(tmp_path, many)).worksheets[0]
    assert "… + 8" in {cell for row in sheet.iter_rows(values_only=True) for cell in row}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_heading_and_an_empty_report(tmp_path, language):
    for report in (paid_report(language=language), orders_report(language=language)):
        assert len(openpyxl.load_workbook(write(tmp_path, report)).worksheets) == 2
        assert write(tmp_path, report, "r.csv").read_bytes().count(b"\r\n") == 1


def test_more_lines_than_a_page_are_refused_only_in_a_workbook(tmp_path):
    with pytest.raises(FaturistaError) as caught:
        write_paid(tmp_path / "r.xlsx", paid_report(*INVOICES), most_lines=3)
    assert caught.value.problem.code == "report.too_many_lines"
    write_paid(tmp_path / "r.csv", paid_report(*INVOICES), most_lines=3)
    write_paid(tmp_path / "r.xlsx", paid_report(*INVOICES), most_lines=4)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "r.xlsx"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = write(tmp_path, paid_report(*INVOICES))
    before = path.read_bytes()
    with pytest.raises(KeyError):
        write(tmp_path, paid_report(*INVOICES, words={}))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
