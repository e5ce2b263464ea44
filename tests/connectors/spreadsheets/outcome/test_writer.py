"""The outcome workbook as a reader sees it: every row, correct sums, text that stays text, equal bytes."""

import hashlib
import re
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import openpyxl
import pytest

from configs.catalogue import LANGUAGES, Catalogue
from connectors.spreadsheets.outcome.lines import COLUMNS
from connectors.spreadsheets.outcome.writer import write_outcome
from connectors.spreadsheets.writers.styles import COLOURS, OUTCOMES
from domain.reports import OutcomeReport, OutcomeRow, summarize
from tests.office import Office, needs_office

RIO, SAO_PAULO = "99000001000101", "99000002000148"
MADE = datetime(2026, 11, 30, 2, 30, tzinfo=UTC)
WORDS = Catalogue.load().words("outcome")
AMOUNTS = {"iss_cents": 500, "pis_cents": 65, "cofins_cents": 300, "retained_iss_cents": 10}

ACCEPTED = OutcomeRow(
    sheet="P",
    row=5,
    outcome="accepted",
    status="Aceita",
    emitter_cnpj=RIO,
    emitter_name="Marés Consultoria Ltda",
    taker_document="99ABC001000157",
    taker_name="Ana Ltda",
    subject="Consultoria",
    description="Novembro",
    competence=date(2026, 11, 1),
    emission_at=MADE,
    serie="F",
    number=7,
    service_cents=10_000,
    liquid_cents=9_625,
    amounts=AMOUNTS,
    batch_name="lote 1",
    remote_id=123_456_789_012,
    nfse_number="00042",
    nfse_key="1234567E000184",
)
TAXES = ("iss", "pis", "cofins", "csll", "ir", "inss")
TAXED = replace(ACCEPTED, amounts={**AMOUNTS, "csll_cents": 100, "ir_cents": 150, "inss_cents": 1_100})
REFUSED = OutcomeRow(
    sheet="P", row=6, outcome="refused", status="Recusada", service_cents=25_050, taker_document="9,9E+13",
    problems=("coluna B: o CNPJ se perdeu.", "coluna D: falta o modelo."),
    mends=("", "Preencha o modelo."),
)  # fmt: skip
REJECTED = replace(
    ACCEPTED, row=7, outcome="rejected", status="Rejeitada", emitter_cnpj=SAO_PAULO, emitter_name="Aurora S.A.",
    nfse_number=None, problems=("E30: item inexistente.",), service_cents=12_345, liquid_cents=12_000,
)  # fmt: skip


def report(*rows: OutcomeRow, language: str = "pt_BR") -> OutcomeReport:
    return OutcomeReport(
        file_name="novembro.xlsx",
        file_sha256="ab" * 32,
        made_at=MADE,
        rows=rows,
        totals=summarize(rows),
        words=Catalogue.load(language).words("outcome"),
        control_total_cents=47_395,
        warnings=("A linha de total difere.",),
    )


def opened(path: Path, *rows: OutcomeRow) -> openpyxl.Workbook:
    write_outcome(path, report(*rows))
    return openpyxl.load_workbook(path)


def table(book: openpyxl.Workbook) -> list[dict[str, object]]:
    sheet = book[WORDS["page_rows"]]
    lines = list(sheet.iter_rows(values_only=True))
    place = next(index for index, line in enumerate(lines) if line[0] == WORDS["row"])
    return [dict(zip(map(str, lines[place]), row, strict=True)) for row in lines[place + 1 :]]


def of(row: dict[str, object], word: str) -> object:
    return row[WORDS[word]]


def test_there_is_one_line_per_row_with_all_that_is_known(tmp_path: Path) -> None:
    accepted, refused, _ = table(opened(tmp_path / "o.xlsx", ACCEPTED, REFUSED, REJECTED))
    assert (of(accepted, "row"), of(accepted, "status"), of(accepted, "rps")) == (5, "Aceita", "F 7")
    assert (of(accepted, "service_amount"), of(accepted, "iss_amount")) == (100, 5)
    assert (of(accepted, "retained"), of(accepted, "liquid_amount")) == (3.75, 96.25)
    assert of(accepted, "competence") == datetime(2026, 11, 1)  # noqa: DTZ001
    assert of(accepted, "emission") == datetime.fromisoformat("2026-11-29T23:30")
    assert of(refused, "problems") == "1. coluna B: o CNPJ se perdeu.\n2. coluna D: falta o modelo."
    assert of(refused, "mends") == "2. Preencha o modelo."
    assert (of(refused, "service_amount"), of(refused, "liquid_amount")) == (250.5, None)


def test_identifiers_are_text(tmp_path: Path) -> None:
    accepted, refused, _ = table(opened(tmp_path / "o.xlsx", ACCEPTED, REFUSED, REJECTED))
    assert of(accepted, "document") == "99.ABC.001/0001-57"
    assert of(accepted, "nfse_number") == "00042"
    assert of(accepted, "nfse_key") == "1234567E000184"
    assert of(accepted, "remote_id") == "123456789012"
    assert of(refused, "document") == "9,9E+13"


def test_typed_text_is_never_a_formula_or_a_link(tmp_path: Path) -> None:
    typed = (
        "=1+1",
        "+cmd|'/C calc'!A0",
        "@SUM(1)",
        "-1",
        "{=1}",
        "http://x.example",
        "mailto:a@x.example",
        "007",
        "1E5",
    )
    rows = [
        replace(ACCEPTED, row=10 + index, taker_name=text, description=text, problems=(text,), nfse_key=text)
        for index, text in enumerate(typed)
    ]
    book = opened(tmp_path / "o.xlsx", *rows)
    for row, text in zip(table(book), typed, strict=True):
        assert {of(row, word) for word in ("taker", "description", "problems", "nfse_key")} == {text}
    with zipfile.ZipFile(tmp_path / "o.xlsx") as package:
        pages = "".join(package.read(name).decode() for name in package.namelist() if "worksheets/sheet" in name)
    formulas = set(re.findall(r"<f>(.*?)</f>", pages))
    assert formulas == {formula for formula in formulas if formula.startswith(("SUMIFS(", "SUBTOTAL(103,A"))}
    assert "hyperlink" not in pages


def test_sums_agree_with_the_rows_to_the_cent(tmp_path: Path) -> None:
    write_outcome(tmp_path / "o.xlsx", report(ACCEPTED, REFUSED, REJECTED))
    book = openpyxl.load_workbook(tmp_path / "o.xlsx", data_only=True)
    sums = list(book[WORDS["page_rows"]].iter_rows(max_row=3, values_only=True))
    index = [column.word for column in COLUMNS].index("service_amount")
    assert [line[1] for line in sums] == [
        f"{WORDS['visible_sum']} · {each}" for each in ("Aceita", "Rejeitada", "Recusada")
    ]
    assert [line[index] for line in sums] == [100, 123.45, 250.5]
    cells = [row for row in book[WORDS["page_summary"]].iter_rows(values_only=True) if any(row)]
    totals = [row for row in cells if row[1] in (WORDS["total_lines"], WORDS["total"])]
    by_status, by_emitter = ([cell for cell in row if isinstance(cell, int | float)] for row in totals)
    assert by_status == [3, 473.95, 1, 96.25]
    assert by_emitter == [1, 100, 1, 123.45, 1, 250.5, 3, 473.95]
    assert any(WORDS["no_emitter"] in row for row in cells)
    assert any(473.95 in row and WORDS["control_total"] in row for row in cells)
    assert any("• A linha de total difere." in row for row in cells)


@needs_office
def test_sums_of_each_outcome_follow_a_filter(tmp_path: Path) -> None:
    path, hidden = tmp_path / "o.xlsx", tmp_path / "hidden.xlsx"
    write_outcome(path, report(ACCEPTED, replace(ACCEPTED, row=6), REJECTED))
    step = "  book.Sheets(1).Rows(3).IsVisible = False\n  book.calculateAll()"
    Office(tmp_path).work(path, hidden, step)
    lines = openpyxl.load_workbook(hidden, data_only=True)[WORDS["page_rows"]]
    index = [column.word for column in COLUMNS].index("iss_amount") + 1
    assert [lines.cell(row, index).value for row in (1, 2)] == [5, 5]
    assert [lines.cell(row, index - 1).value for row in (1, 2)] == [100, 123.45]


def test_a_status_is_printed_whole(tmp_path: Path) -> None:
    status = "Rejeitada pela prefeitura"
    lines = opened(tmp_path / "o.xlsx", replace(REJECTED, status=status, problems=()))[WORDS["page_rows"]]
    cell = lines["B3"]
    assert cell.value == status
    assert cell.alignment.wrap_text
    assert (lines.row_dimensions[3].height or 0) > 2 * 13


def test_each_tax_has_a_column_on_the_printed_page(tmp_path: Path) -> None:
    lines = opened(tmp_path / "o.xlsx", TAXED, REFUSED)[WORDS["page_rows"]]
    _, _, head, accepted, refused = lines.iter_rows(values_only=True)
    first = head.index(WORDS["iss_amount"])
    assert list(head[first : first + 6]) == [WORDS[f"{tax}_amount"] for tax in TAXES]
    assert accepted[first : first + 6] == (5, 0.65, 3, 1, 1.5, 11)
    assert refused[first : first + 6] == (None,) * 6
    assert lines.print_area.endswith("$R$5")
    assert (lines.page_setup.orientation, lines.page_setup.fitToHeight) == ("landscape", 0)


def test_the_pages_are_ready_to_be_used(tmp_path: Path) -> None:
    book = opened(tmp_path / "o.xlsx", ACCEPTED, REFUSED, REJECTED)
    lines = book[WORDS["page_rows"]]
    assert lines.freeze_panes == "D5"
    assert lines.auto_filter.ref == "A4:AE7"
    assert lines.print_title_rows == "$4:$4"
    assert lines["F5"].number_format.startswith("[$-416]#,##0.00")
    with zipfile.ZipFile(tmp_path / "o.xlsx") as package:
        charts = [name for name in package.namelist() if name.startswith("xl/charts/chart")]
        assert len(charts) == 1
        assert package.read(charts[0]).decode().count("<c:ser>") == 3


def test_an_unused_column_is_hidden_and_keeps_its_place(tmp_path: Path) -> None:
    sale = replace(ACCEPTED, emission_at=None, amounts={}, batch_name=None)
    taxes = {f"{name}_amount" for name in TAXES}
    named = replace(
        TAXED, problems=("x",), mends=("y",), sheet_name="Outra Ltda", files={"pdf": "../d/1.pdf", "xml": "../d/1.xml"}
    )
    empty = {"emission", "retained", "batch", "sheet_name", "problems", "mends", "pdf", "xml"} | taxes
    for rows, hidden in (((sale,), empty), ((sale, named), set())):
        sheet = opened(tmp_path / f"{len(rows)}.xlsx", *rows).worksheets[1]
        spans = [each for each in sheet.column_dimensions.values() if each.hidden]
        places = {place - 1 for each in spans for place in range(each.min or 0, (each.max or 0) + 1)}
        assert {COLUMNS[place].word for place in places if place < len(COLUMNS)} == hidden
        assert len(COLUMNS) in places


def test_documents_are_links_that_hold_from_the_workbook(tmp_path: Path) -> None:
    path = tmp_path / "o.xlsx"
    write_outcome(path, report(replace(ACCEPTED, files={"pdf": '../d "x"/F-7.pdf'})))
    page = openpyxl.load_workbook(path)[WORDS["page_rows"]]
    column = [cell.value for cell in page[2]].index(WORDS["pdf"])
    assert page[3][column].value == '=HYPERLINK("../d ""x""/F-7.pdf","PDF")'
    assert page[3][column + 1].value is None


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    first = write_outcome(one, report(ACCEPTED, REFUSED))
    assert write_outcome(other, report(ACCEPTED, REFUSED)) == first
    assert one.read_bytes() == other.read_bytes()
    assert hashlib.sha256(one.read_bytes()).hexdigest() == first
    assert write_outcome(other, report(ACCEPTED)) != first
    with zipfile.ZipFile(one) as package:
        # Not the clock's time, which may be the same in two quick runs.
        assert package.read("docProps/core.xml").decode().count("2026-11-30T02:30:00Z") == 2


def test_an_empty_report_is_still_a_workbook(tmp_path: Path) -> None:
    assert table(opened(tmp_path / "o.xlsx")) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_heading(language: str, tmp_path: Path) -> None:
    words = Catalogue.load(language).words("outcome")
    write_outcome(tmp_path / "o.xlsx", report(ACCEPTED, language=language))
    assert openpyxl.load_workbook(tmp_path / "o.xlsx").sheetnames == [words["page_summary"], words["page_rows"]]


def test_every_outcome_has_its_colours() -> None:
    assert set(OUTCOMES) == set(COLOURS)
    rows = [replace(ACCEPTED, row=index, outcome=outcome) for index, outcome in enumerate(OUTCOMES)]
    assert {total.outcome for total in summarize(rows)} == set(OUTCOMES)


def test_a_failure_leaves_the_old_workbook_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "o.xlsx"
    write_outcome(path, report(ACCEPTED))
    before = path.read_bytes()
    with pytest.raises(KeyError):
        write_outcome(path, replace(report(ACCEPTED), words={}))
    assert path.read_bytes() == before
    assert [left.name for left in tmp_path.iterdir()] == ["o.xlsx"]


def test_texts_longer_than_a_cell_are_cut_and_not_lost(tmp_path: Path) -> None:
    (row,) = table(opened(tmp_path / "o.xlsx", replace(ACCEPTED, description="x" * 40_000)))
    assert of(row, "description") == "x" * 32_000
