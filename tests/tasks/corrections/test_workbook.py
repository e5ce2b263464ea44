"""The correction workbook: exactly the rows that a correction can help, each with its reasons in words."""

import contextlib
from pathlib import Path

import openpyxl
import pytest

from connectors.nfse.emulator.seed import default_company
from domain.problems import FaturistaError
from tasks.corrections.workbook import write_back, write_reading_back
from tasks.sheets.mapping_storage import store_mapping
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.corrections.rounds import (
    BAD,
    FIRST,
    HEADER_ROW,
    at,
    back,
    bill,
    edited,
    issue,
    problems_of,
    put,
    returned,
    write_month,
)
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.rows import SAO_PAULO, company
from tests.tasks.workshop import Workshop


def shown(path: Path, header: str) -> dict[str, str]:
    """Return the cells under a header, by customer."""
    with contextlib.closing(openpyxl.load_workbook(path, read_only=True)) as book:
        headers, *rows = book.worksheets[0].iter_rows(min_row=HEADER_ROW, values_only=True)
    customer, column = headers.index("Razão Social"), headers.index(header)
    return {str(row[customer]): str(row[column]) for row in rows}


def test_reasons_are_named_by_the_persons_own_headers(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **BAD, Modelo="Errado"), cells(3, Modelo="Errado")])
    bill(shop, month)
    found = back(shop, month)
    assert found is not None
    assert (found.count, found.has_looks) == (2, True)
    reasons = shown(found.path, "What to correct")
    assert reasons["Tomador 2 Ltda"].startswith("Valor: ")
    assert reasons["Tomador 3 Ltda"].startswith("Modelo: ")
    assert shown(found.path, "Returned row")["Tomador 3 Ltda"].splitlines() == [
        "Refused",
        "Row 6 of the file that was sent",
    ]
    page = openpyxl.load_workbook(found.path).worksheets[0]
    assert at(page, FIRST + 1, "Modelo").comment is not None


def test_each_bad_row_of_a_long_file_comes_back_once(shop: Workshop, tmp_path: Path):
    # more than are read at a time, of two files: a row of the second is the newest of its charge
    count = 1_020
    month = write_month(tmp_path / "mes.xlsx", [cells(1), *(cells(n, **BAD) for n in range(2, count + 2))])
    bill(shop, month)
    found = back(shop, month)
    assert found is not None
    assert found.count == count
    assert list(shown(found.path, "Valor")) == [f"Tomador {n} Ltda" for n in range(2, count + 2)]
    bill(shop, edited(found.path, tmp_path / "um.xlsx", put("Valor", "200,00", FIRST + count - 1)))
    assert back(shop, month) is None


def test_reasons_of_a_kind_are_counted_together(shop: Workshop, tmp_path: Path):
    texts = ("muito", "pouco", "a combinar")
    month = write_month(tmp_path / "mes.xlsx", [cells(n, Valor=text) for n, text in enumerate(texts, start=1)])
    bill(shop, month)
    page = openpyxl.load_workbook(returned(shop, month)).worksheets[-1]
    counted = [row for row in page.iter_rows(values_only=True) if isinstance(row[3], int)]
    assert [(row[3], row[4]) for row in counted] == [(3, "4, 5, 6")]
    assert str(counted[0][1]).startswith('For example: "muito"')


def test_clerks_own_cell_is_quoted_whole(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [[*cells(1), "fulano@"]], headers=(*HEADERS, "E-mail"))
    bill(shop, month)
    assert '"fulano@"' in shown(returned(shop, month), "What to correct")["Tomador 1 Ltda"]


def offered(path: Path) -> dict[str, list[str]]:
    """Return the drop-down values of the cells below each header."""
    book = openpyxl.load_workbook(path)
    page, found = book.worksheets[0], {}
    for each in page.data_validations.dataValidation:
        (first, _, _, _) = next(iter(each.sqref.ranges)).bounds
        texts = [cell.value for (cell,) in book["Lists"][str(each.formula1).rpartition("!")[2].replace("$", "")]]
        found[str(page.cell(HEADER_ROW, first).value)] = texts
    return found


@pytest.mark.parametrize("wrong", [{"Modelo": "Errado"}, {"Modelo": ""}, BAD])
def test_cells_offer_every_template_of_the_emitter_and_the_cities(shop: Workshop, tmp_path: Path, wrong):
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **wrong)], has_city=True)
    bill(shop, month)
    every = offered(returned(shop, month))
    assert set(every) == {"Modelo", "Cidade"}
    assert "São Paulo - SP" in every["Cidade"]
    assert every["Modelo"] == sorted(each["name"] for each in default_company()["emitters"][0]["service_values"])


def test_cells_offer_no_template_of_another_emitter(shop: Workshop, tmp_path: Path):
    made = default_company()
    made["emitters"][1]["service_values"][0]["name"] = "Só de São Paulo"
    shop.sandbox.control("seed", made)
    other = write_month(tmp_path / "outro.xlsx", [cells(3, **{"CNPJ Emitente": SAO_PAULO, "Modelo": "Errado"})])
    bill(shop, other)
    assert "Só de São Paulo" in offered(returned(shop, other))["Modelo"]
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, Modelo="Errado")])
    bill(shop, month)
    assert "Só de São Paulo" not in offered(returned(shop, month))["Modelo"]


def bare(number: int) -> list[str]:
    """Return a good row of a sheet without a column of templates."""
    return [text for header, text in zip(HEADERS, cells(number), strict=True) if header != "Modelo"]


@pytest.mark.parametrize("is_taught", [False, True])
def test_a_column_of_templates_is_added_where_it_is_the_remedy(shop: Workshop, tmp_path: Path, *, is_taught: bool):
    headers = [header for header in HEADERS if header != "Modelo"]
    if is_taught:
        headers[headers.index("Discriminação")] = "Plano"
    month = write_month(tmp_path / "mes.xlsx", [bare(1), bare(2)], headers=headers)
    if is_taught:
        with shop.context() as context:
            store_mapping(context, month, {"Plano": "description"}, sender="Contabilidade Souza", person="ana")
    assert problems_of(bill(shop, month)) == {FIRST: ["template.missing"], FIRST + 1: ["template.missing"]}
    path = returned(shop, month)
    page = openpyxl.load_workbook(path).worksheets[0]
    cell = at(page, FIRST, "Template")
    assert (cell.fill.fgColor.rgb, cell.comment is not None) == ("FFF9C9C4", True)
    assert shown(path, "What to correct")["Tomador 1 Ltda"].startswith("Template: ")
    assert "--template" in shown(path, "What to correct")["Tomador 1 Ltda"]
    assert offered(path)["Template"] == sorted(
        each["name"] for each in default_company()["emitters"][0]["service_values"]
    )
    corrected = edited(path, tmp_path / "corrigido.xlsx", put("Template", "Consultoria", FIRST))
    rows = bill(shop, corrected)
    assert problems_of(rows) == {FIRST + 1: ["template.missing"]}
    assert (rows[0].line or {})["template_name"] == "Consultoria"
    # the workbook of the workbook has the column already
    again = openpyxl.load_workbook(returned(shop, corrected)).worksheets[0]
    assert [cell.value for cell in again[HEADER_ROW]].count("Template") == 1


def test_rejected_rows_come_back_with_the_citys_words_grouped(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2)])
    shop.sandbox.switch(rejection_share=1.0)
    bill(shop, month)
    issue(shop)
    path = returned(shop, month)
    assert {text.splitlines()[0] for text in shown(path, "Returned row").values()} == {"Rejected by the city"}
    assert all(text not in ("", "None") for text in shown(path, "What to correct").values())
    page = openpyxl.load_workbook(path).worksheets[-1]
    counted = [row[3] for row in page.iter_rows(values_only=True) if isinstance(row[3], int)]
    assert sum(counted) == 2


def reject_all(shop: Workshop) -> None:
    """Issue the newest batch; the city can take none of it."""
    shop.sandbox.switch(advance="looks", advance_looks=1)
    batch = shop.batches()[-1].id
    shop.run(stage_batch, batch)
    shop.approve()
    shop.run(release_batch, batch)
    for note in shop.notes(batch):
        shop.act("reject", note_id=note.remote_id, code="500")
    shop.follow(batch)


def test_one_letter_sends_again_what_the_city_could_not_take(shop: Workshop, tmp_path: Path):
    """The column exists for rows that may be sent again unchanged; a past request has no effect."""
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2)])
    bill(shop, month)
    reject_all(shop)
    path = returned(shop, month)
    assert set(shown(path, "Try again").values()) == {"None"}
    assert all("The city could not take the invoice" in text for text in shown(path, "What to correct").values())
    again = edited(path, tmp_path / "volta.xlsx", put("Try again", "S", FIRST))
    assert problems_of(bill(shop, again)) == {FIRST + 1: ["row.rejected_unchanged"]}
    assert [len(shop.notes(batch.id)) for batch in shop.batches()] == [2, 1]
    reject_all(shop)
    assert shown(returned(shop, again), "Try again")["Tomador 1 Ltda"] == "None"


def test_a_held_row_is_released_for_what_its_workbook_showed(shop: Workshop, tmp_path: Path):
    """The register's other name is found once the status is released: it is shown, and asked for, on its own."""
    takers = [{"cnpj": company(1).number, "social_reason": "Padaria Central Ltda", "is_complete": True}]
    shop.sandbox.control("seed", {**default_company(), "takers": takers})
    month = write_month(tmp_path / "mes.xlsx", [[*cells(1), "Cancelado"]], headers=[*HEADERS, "Situação do Contrato"])
    assert problems_of(bill(shop, month)) == {FIRST: ["held.status"]}
    again = edited(returned(shop, month), tmp_path / "volta.xlsx", put("Bill anyway", "S", FIRST))
    assert problems_of(bill(shop, again)) == {FIRST: ["taker.name_differs"]}
    shown_now = returned(shop, again)
    assert "document is Padaria Central Ltda's" in shown(shown_now, "What to correct")["Tomador 1 Ltda"]
    assert shown(shown_now, "Bill anyway") == {"Tomador 1 Ltda": "None"}
    final = edited(shown_now, tmp_path / "fim.xlsx", put("Bill anyway", "S", FIRST))
    assert problems_of(bill(shop, final)) == {}


def test_a_row_held_by_its_place_in_the_sheet_needs_an_answer(shop: Workshop, tmp_path: Path):
    """The workbook lacks the title above the row: dropped unchanged, it would be billed."""
    month = write_month(tmp_path / "mes.xlsx", [cells(1), ["CANCELADOS"], cells(2)])
    assert problems_of(bill(shop, month)) == {FIRST + 2: ["held.section"]}
    silent = edited(returned(shop, month), tmp_path / "volta.xlsx", put("Bill anyway", None, FIRST))
    assert problems_of(bill(shop, silent)) == {FIRST: ["held.section"]}
    assert len(shop.batches()) == 1
    again = edited(returned(shop, silent), tmp_path / "outra.xlsx", put("Bill anyway", None, FIRST))
    assert problems_of(bill(shop, again)) == {FIRST: ["held.section"]}
    final = edited(returned(shop, again), tmp_path / "fim.xlsx", put("Bill anyway", "S", FIRST))
    assert problems_of(bill(shop, final)) == {}
    assert len(shop.batches()) == 2


def test_a_persons_own_status_is_never_taken_for_ours(shop: Workshop, tmp_path: Path):
    shop.set(LANGUAGE="pt_BR")
    rows = [[*cells(1, **BAD), "Ativo"], [*cells(2, **BAD), "Ativo"]]
    month = write_month(tmp_path / "mes.xlsx", rows, headers=[*HEADERS, "Situação"])
    bill(shop, month)

    def cancel_and_drop_ours(page):
        put("Situação", "Cancelado", FIRST + 1)(page)
        assert [cell.value for cell in page[HEADER_ROW]][-3:] == ["Situação", "Linha devolvida", "O que corrigir"]
        page.delete_cols(page.max_column - 1, 2)

    again = edited(returned(shop, month), tmp_path / "volta.xlsx", cancel_and_drop_ours)
    found = problems_of(bill(shop, again))
    assert set(found[FIRST]) == {"amount.unreadable"}
    assert set(found[FIRST + 1]) == {"amount.unreadable", "held.status"}
    third = returned(shop, again)
    assert shown(third, "Situação") == {"Tomador 1 Ltda": "Ativo", "Tomador 2 Ltda": "Cancelado"}
    assert shown(third, "Linha devolvida")["Tomador 1 Ltda"].startswith("Recusada")


def test_a_row_marked_not_to_bill_does_not_come_back(shop: Workshop, tmp_path: Path):
    rows = [[*cells(1), "N"], [*cells(2), "S"], [*cells(3, **BAD), "S"]]
    month = write_month(tmp_path / "mes.xlsx", rows, headers=[*HEADERS, "Enviar (S/N)"])

    def hide(page):
        page.row_dimensions[FIRST + 1].hidden = True

    month = edited(month, month, hide)
    found = problems_of(bill(shop, month))
    assert (found[FIRST], found[FIRST + 1]) == (["row.not_wanted"], ["row.hidden"])
    assert list(shown(returned(shop, month), "Valor")) == ["Tomador 3 Ltda"]


def test_rows_that_another_file_billed_do_not_come_back(shop: Workshop, tmp_path: Path):
    bill(shop, write_month(tmp_path / "um.xlsx", [cells(1)]))
    again = write_month(tmp_path / "dois.xlsx", [cells(1), cells(2, **BAD)])
    assert problems_of(bill(shop, again))[FIRST] == ["row.living"]
    assert list(shown(returned(shop, again), "Valor")) == ["Tomador 2 Ltda"]


def test_a_csv_goes_back_as_a_workbook_that_can_be_dropped(shop: Workshop, tmp_path: Path):
    month = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2, **BAD)])
    (_, second) = bill(shop, month)
    found = back(shop, month)
    assert found is not None
    assert not found.has_looks
    (row,) = bill(shop, edited(found.path, tmp_path / "certo.xlsx", put("Valor", "200,00")))
    assert (row.follows_id, row.problems) == (second.id, [])


def test_the_name_does_not_grow_with_every_round(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    first = returned(shop, month)
    bill(shop, first)
    second = returned(shop, first)
    assert first.name.startswith("mes-")
    assert len(second.name) == len(first.name)
    assert second != first


def test_good_files_leave_nothing_to_correct(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1)])
    bill(shop, month)
    assert back(shop, month) is None
    with shop.context() as context, pytest.raises(FaturistaError):
        write_back(context, 999)


def test_a_returned_row_is_listed_with_its_newest_file_only(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD), cells(2, **BAD), cells(3, **BAD)])
    bill(shop, month)
    first = returned(shop, month)
    mended = edited(first, tmp_path / "certo.xlsx", put("Valor", "200,00"))

    def without_the_last(page):
        page.delete_rows(FIRST + 2)

    rows = bill(shop, edited(mended, mended, without_the_last))
    with shop.context() as context:
        second = write_reading_back(context, rows[0].reading_id)
    assert list(shown(Path(second or ""), "Valor")) == ["Tomador 2 Ltda"]
    # The first file keeps only the rows that nobody has sent again, and its workbook was written again.
    assert list(shown(first, "Valor")) == ["Tomador 3 Ltda"]
    assert list(shown(returned(shop, month), "Valor")) == ["Tomador 3 Ltda"]


def test_a_workbook_whose_rows_all_came_back_is_taken_away(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    first = returned(shop, month)
    (row,) = bill(shop, edited(first, tmp_path / "certo.xlsx", put("Valor", "200,00")))
    assert first.exists()
    with shop.context() as context:
        assert write_reading_back(context, row.reading_id) is None
    assert not first.exists()


def test_a_workbook_that_cannot_be_remembered_is_written_once(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **BAD)])
    notes = shop.home / "corrections"
    notes.write_text("no folder")
    bill(shop, month)
    for _ in range(2):
        with pytest.raises(OSError, match="corrections"):
            back(shop, month)
        assert not [*(shop.home / "outbox").glob("*-to-correct*")]
    notes.unlink()
    found = back(shop, month)
    assert found is not None
    assert [*(shop.home / "outbox").glob("*-to-correct*")] == [found.path]
