"""Corrected rows have the options of their first reading; nothing else has them, and other options are asked about."""

from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from connectors.ledger import files
from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import RowRecord
from domain.competence import add_months, format_competence
from domain.problems import InputError
from tasks.inbox.drops import claim_and_read, options_of
from tasks.preview.dry_run import forecast_file
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tests.tasks.corrections.rounds import BAD, CITY, FIRST, at, bill, edited, problems_of, put, returned, write_month
from tests.tasks.corrections.test_lineage import SALE
from tests.tasks.dropped_sheets import HEADERS, cells
from tests.tasks.inbox.test_drops import dropped
from tests.tasks.rows import RIO, SAO_PAULO, this_month
from tests.tasks.store import RIO_SHOP, Store
from tests.tasks.workshop import Workshop

GIVEN = ("CNPJ Emitente", "Modelo", "Competência")
BARE = [header for header in HEADERS if header not in (*GIVEN, CITY)]
FIRST_TIME: dict[str, Any] = {"emitter_cnpj": RIO, "competence": this_month(), "template": "Consultoria"}


def _bare(number: int, **changes: str) -> list[str]:
    """Return a row without emitter, template and month."""
    return [cell for header, cell in zip(HEADERS, cells(number, **changes), strict=True) if header in BARE]


def _failed(shop: Workshop, folder: Path, *rows: list[str], name: str = "mes.xlsx", **options: Any) -> Path:
    """Bill a sheet without those columns. Return the workbook of its failing rows."""
    month = write_month(folder / name, rows or [_bare(1), _bare(2, **BAD)], headers=BARE)
    bill(shop, month, **FIRST_TIME | options)
    return returned(shop, month)


def _mended(path: Path, folder: Path, *rows: int) -> Path:
    return edited(path, folder / "volta.xlsx", put("Valor", "55,00", *rows))


def _reading(shop: Workshop, row: RowRecord) -> ReadingRecord:
    return shop.read(files.reading_of, row.reading_id)


def test_rows_come_back_without_a_word_about_their_options(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    again = _mended(_failed(shop, tmp_path), tmp_path)
    seen = shop.run(forecast_file, again, ReadingOptions(operator="Ana"))
    assert [(note.emitter_cnpj, note.competence, note.template) for note in seen.notes] == [
        (RIO, this_month(), "Consultoria")
    ]
    (problem,) = [each.problem for each in seen.decisions if each.problem.code == "row.inherited"]
    assert problem.params["values"] == f"{RIO}, {format_competence(this_month())}, Consultoria"
    (row,) = bill(shop, again)
    assert problems_of([row]) == {}
    assert row.run_competence == f"{this_month():%Y-%m}"
    options = _reading(shop, row).options
    assert (options["emitter_cnpj"], options["template"]) == (RIO, "Consultoria")
    assert options["inherited"] == ["competence", "emitter_cnpj", "template"]


def test_a_correction_of_a_correction_has_them_too(shop: Workshop, tmp_path: Path):
    once = edited(_failed(shop, tmp_path), tmp_path / "uma.xlsx", put("Valor", "nada"))
    assert problems_of(bill(shop, once)) == {FIRST: ["amount.unreadable"]}
    (row,) = bill(shop, _mended(returned(shop, once), tmp_path))
    assert problems_of([row]) == {}
    assert _reading(shop, row).options["competence"] == format_competence(this_month())


@pytest.mark.parametrize(
    ("option", "other", "before", "now"),
    [
        ("emitter_cnpj", SAO_PAULO, RIO, SAO_PAULO),
        ("template", "Suporte Mensal", "Consultoria", "Suporte Mensal"),
        ("competence", add_months(this_month(), -1), format_competence(this_month()), None),
    ],
)
def test_another_option_is_asked_about(
    each_shop: Workshop, tmp_path: Path, option: str, other: str | date, before: str, now: str | None
):
    shop = each_shop
    again = _mended(_failed(shop, tmp_path), tmp_path)
    (row,) = bill(shop, again, **{option: other})
    assert problems_of([row]) == {FIRST: ["row.other_option"]}
    params = row.problems[0].params
    assert (params["before"], params["now"]) == (before, now or format_competence(add_months(this_month(), -1)))
    assert problems_of(bill(shop, _mended(again, tmp_path), **{option: FIRST_TIME[option]})) == {}


def test_the_rows_own_value_precedes_an_option(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **BAD)])
    bill(shop, month, competence=this_month())
    again = _mended(returned(shop, month), tmp_path)
    assert problems_of(bill(shop, again, competence=add_months(this_month(), -1), emitter_cnpj=SAO_PAULO)) == {}


def test_an_option_that_the_first_bill_lacked_is_taken(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [_bare(1, **BAD)], headers=BARE)
    bill(shop, month, emitter_cnpj=RIO, competence=this_month())
    again = _mended(returned(shop, month), tmp_path)
    (row,) = bill(shop, again, template="Consultoria")
    assert (problems_of([row]), (row.line or {})["template_name"]) == ({}, "Consultoria")


def test_a_row_that_corrects_nothing_gets_nothing(shop: Workshop, tmp_path: Path):
    """The workbook serves as next month's sheet: one charge is typed over the old one, and one is added."""

    def reuse(page: Worksheet) -> None:
        put("Valor", "55,00")(page)
        for row, number in ((FIRST + 1, 8), (FIRST + 2, 9)):
            for header, text in zip(BARE, _bare(number, Valor=f"{number * 1000},00"), strict=True):
                at(page, row, header).value = text

    path = _failed(shop, tmp_path, _bare(2, **BAD), _bare(3, **BAD))
    rows = bill(shop, edited(path, tmp_path / "dezembro.xlsx", reuse))
    assert problems_of(rows) == {FIRST + 1: ["emitter.missing"], FIRST + 2: ["emitter.missing"]}


def test_rows_of_two_months_in_one_workbook_have_no_month(shop: Workshop, tmp_path: Path):
    before = _failed(shop, tmp_path, _bare(5, **BAD), name="outro.xlsx", competence=add_months(this_month(), -1))
    path = _failed(shop, tmp_path)
    tag = edited(before, tmp_path / "lixo.xlsx", lambda _: None)

    def paste(page: Worksheet) -> None:
        other = openpyxl.load_workbook(tag).worksheets[0]
        for header in (*BARE, "ref_linha"):
            at(page, FIRST + 1, header).value = at(other, FIRST, header).value
        put("Valor", "55,00", FIRST, FIRST + 1)(page)

    both = edited(path, tmp_path / "duas.xlsx", paste)
    with pytest.raises(InputError) as caught:
        bill(shop, both)
    assert caught.value.problem.code == "competence.missing"
    assert problems_of(bill(shop, both, competence=this_month())) == {FIRST + 1: ["row.other_option"]}


def test_a_drop_in_the_inbox_needs_no_folders_either(shop: Workshop, tmp_path: Path):
    inbox = shop.home / "inbox"
    inbox.mkdir(exist_ok=True)
    _mended(_failed(shop, tmp_path), inbox)
    with shop.context() as context:
        found = claim_and_read(context, dropped(inbox))
    assert found is not None
    (row,) = shop.rows(found[2])
    assert (problems_of([row]), (row.line or {})["emitter_cnpj"]) == ({}, RIO)


def test_a_folder_of_another_month_is_another_option(shop: Workshop, tmp_path: Path):
    inbox = shop.home / "inbox"
    folder = inbox / f"{add_months(this_month(), -1):%Y-%m}"
    folder.mkdir(parents=True)
    _mended(_failed(shop, tmp_path), folder)
    drop = dropped(inbox)
    assert options_of(drop).competence == add_months(this_month(), -1)
    with shop.context() as context:
        found = claim_and_read(context, drop)
    assert found is not None
    assert problems_of(shop.rows(found[2])) == {FIRST: ["row.other_option"]}


def test_a_reading_that_stopped_goes_on_with_and_without_the_options(shop: Workshop, tmp_path: Path):
    again = _mended(_failed(shop, tmp_path), tmp_path)
    with shop.context() as context:
        file = archive_file(context, again)
        first, _ = read_file(context, file, ReadingOptions(operator="Ana"))
        assert read_file(context, file, ReadingOptions(operator="Ana"))[0] == first
        assert read_file(context, file, ReadingOptions(operator="Ana", **FIRST_TIME))[0] == first


def test_titles_and_dates_are_judged_by_the_inherited_month(shop: Workshop, tmp_path: Path):
    headers = [*BARE, "Faturar a partir de"]
    later = f"01/{add_months(this_month(), 2):%m/%Y}"
    month = write_month(tmp_path / "mes.xlsx", [[*_bare(1, **BAD), later]], headers=headers)
    bill(shop, month, **FIRST_TIME)
    assert problems_of(bill(shop, _mended(returned(shop, month), tmp_path))) == {FIRST: ["held.validity"]}


def test_a_sale_inherits_as_a_whole(store: Store, tmp_path: Path):
    """Only the first line of a sale has to say what holds for all of its lines."""
    silent = [header for header in SALE if header != "CNPJ Emitente"]
    rows = [{}, {"Código": "B", "NCM": "x", "Data da Venda": ""}]
    month = [[(SALE | each)[header] for header in silent] for each in rows]
    sales = write_month(tmp_path / "v.xlsx", month, headers=silent, has_city=True)
    first = {"emitter_cnpj": RIO_SHOP, "kind": "products"}
    assert problems_of(bill(store, sales, **first)) != {}
    mended = edited(returned(store, sales, kind="products"), tmp_path / "certo.xlsx", put("NCM", "69120000", FIRST + 1))
    later = add_months(this_month(), -1)
    other = problems_of(bill(store, mended, kind="products", emitter_cnpj=RIO, competence=later))
    assert other == {FIRST: ["row.other_option"], FIRST + 1: ["row.other_option"]}
    same = edited(mended, tmp_path / "igual.xlsx", lambda _: None)
    assert problems_of(bill(store, same, kind="products", competence=later)) == {}
