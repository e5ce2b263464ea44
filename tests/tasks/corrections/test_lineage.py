"""A corrected row is recognised in any place, and a billed charge is never billed again."""

from pathlib import Path

import openpyxl
import pytest

from connectors.ledger import rows as ledger_rows
from domain.states import RowState
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_without_storing
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.report import report_outcome
from tasks.stations.resolve import resolve_rows
from tests.tasks.corrections.rounds import (
    BAD,
    CITY,
    FIRST,
    at,
    back,
    bill,
    edited,
    families,
    issue,
    problems_of,
    put,
    read_rows,
    returned,
    write_month,
)
from tests.tasks.dropped_sheets import HEADERS, cells
from tests.tasks.rows import this_month
from tests.tasks.store import RIO_SHOP, Store
from tests.tasks.workshop import Workshop


@pytest.fixture
def month(tmp_path: Path) -> Path:
    """Write rows 4 to 7; 5 and 7 are wrong."""
    return write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **BAD), cells(3), cells(4, **BAD)])


def test_corrected_rows_are_billed_with_lineage_and_stay_away(each_shop: Workshop, month: Path, tmp_path: Path):
    shop = each_shop
    first = {row.row_number: row for row in bill(shop, month)}
    path = returned(shop, month)
    mended = edited(path, tmp_path / "corrigido.xlsx", put("Valor", "200,00", FIRST, FIRST + 1))
    rows = bill(shop, mended)
    assert [(row.row_number, row.state) for row in rows] == [(4, RowState.ASSEMBLED), (5, RowState.ASSEMBLED)]
    assert [row.follows_id for row in rows] == [first[5].id, first[7].id]
    assert back(shop, month) is None
    assert not path.exists()
    assert back(shop, mended) is None


def test_rows_still_wrong_come_back_as_the_same_charge(shop: Workshop, month: Path, tmp_path: Path):
    first = {row.row_number: row for row in bill(shop, month)}
    half = edited(returned(shop, month), tmp_path / "um.xlsx", put("Valor", "200,00"))
    rows = bill(shop, half)
    assert problems_of(rows) == {FIRST + 1: ["amount.unreadable"]}
    again = returned(shop, half)
    page = openpyxl.load_workbook(again).worksheets[0]
    assert page.max_row == FIRST
    assert at(page, FIRST, "Razão Social").value == "Tomador 4 Ltda"
    (row,) = bill(shop, edited(again, tmp_path / "dois.xlsx", put("Valor", "300,00")))
    assert row.state is RowState.ASSEMBLED
    assert row.family == first[7].id
    assert row.follows_id == rows[1].id


def test_a_billed_correction_is_never_billed_again(each_shop: Workshop, month: Path, tmp_path: Path):
    shop = each_shop
    bill(shop, month)
    path = returned(shop, month)
    bill(shop, edited(path, tmp_path / "um.xlsx", put("Valor", "200,00")))
    changed = edited(path, tmp_path / "dois.xlsx", put("Valor", "999,00"))
    rows = bill(shop, changed, allow_repeats=True)
    assert problems_of(rows)[FIRST] == ["row.already_corrected"]
    issue(shop)
    rows = bill(shop, edited(path, tmp_path / "tres.xlsx", put("Valor", "998,00")), allow_repeats=True)
    assert problems_of(rows)[FIRST] == ["row.already_corrected"]
    assert sum(shop.batch(batch.id).count for batch in shop.batches()) == 3


@pytest.mark.both_databases
def test_two_simultaneous_corrections_become_one_invoice(each_shop: Workshop, month: Path, tmp_path: Path):
    shop = each_shop
    bill(shop, month)
    path = returned(shop, month)
    readings = [
        read_rows(shop, edited(path, tmp_path / f"{amount}.xlsx", put("Valor", amount)))
        for amount in ("200,00", "201,00")
    ]
    for station in (resolve_rows, assemble_rows):
        for reading in readings:
            shop.run(station, reading)
    states = [shop.rows(reading)[0].state for reading in readings]
    assert states == [RowState.ASSEMBLED, RowState.REFUSED]
    assert problems_of(shop.rows(readings[1]))[FIRST] == ["row.overtaken"]


def test_a_billed_row_pasted_into_corrections_is_not_billed(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)

    def paste(page):
        _type_row(page, page.max_row + 1, cells(1))

    rows = bill(shop, edited(returned(shop, month), tmp_path / "colado.xlsx", paste))
    assert problems_of(rows)[FIRST + 2] == ["row.living"]


def test_rows_may_be_sorted_with_everything_that_is_theirs(shop: Workshop, month: Path, tmp_path: Path):
    first = {row.row_number: row for row in bill(shop, month)}

    def turn(page):
        _swap(page, FIRST, FIRST + 1, columns=range(1, page.max_column + 1), comments=True)

    rows = bill(shop, edited(returned(shop, month), tmp_path / "virado.xlsx", turn))
    assert families(rows) == {FIRST: first[7].id, FIRST + 1: first[5].id}


def test_rows_whose_carriers_disagree_are_refused(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)

    def turn(page):
        # A sort of the visible columns alone: the hidden column keeps its order.
        _swap(page, FIRST, FIRST + 1, columns=[n for n in range(1, page.max_column + 1) if n != 2], comments=True)

    rows = bill(shop, edited(returned(shop, month), tmp_path / "virado.xlsx", turn))
    assert {number: codes[-1] for number, codes in problems_of(rows).items()} == {
        FIRST: "row.tag_differs",
        FIRST + 1: "row.tag_differs",
    }


def test_either_carrier_alone_is_enough(shop: Workshop, month: Path, tmp_path: Path):
    first = {row.row_number: row for row in bill(shop, month)}
    path = returned(shop, month)

    def drop_column(page):
        page.delete_cols(2)

    def drop_comments(page):
        for row in page.iter_rows():
            for cell in row:
                cell.comment = None

    for number, drop in enumerate((drop_column, drop_comments)):
        rows = bill(shop, edited(path, tmp_path / f"{number}.xlsx", drop))
        assert families(rows) == {FIRST: first[5].id, FIRST + 1: first[7].id}, drop


def test_a_tag_in_a_row_with_other_content_is_ignored(shop: Workshop, month: Path, tmp_path: Path):
    first = {row.row_number: row for row in bill(shop, month)}

    def overwrite(page):
        _type_row(page, FIRST, cells(9))

    rows = bill(shop, edited(returned(shop, month), tmp_path / "outra.xlsx", overwrite))
    assert [(row.follows_id, row.state) for row in rows] == [
        (None, RowState.ASSEMBLED),
        (first[7].id, RowState.REFUSED),
    ]


def test_a_row_without_a_tag_follows_the_one_best_match(shop: Workshop, month: Path, tmp_path: Path):
    first = {row.row_number: row for row in bill(shop, month)}

    def strip(page):
        page.delete_cols(2)
        for row in page.iter_rows():
            for cell in row:
                cell.comment = None
        at(page, FIRST + 1, "Valor").value = "300,00"

    rows = bill(shop, edited(returned(shop, month), tmp_path / "nu.xlsx", strip))
    assert families(rows) == {FIRST: first[5].id, FIRST + 1: first[7].id}
    assert rows[1].state is RowState.ASSEMBLED


def test_a_row_that_was_copied_whole_is_refused(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)

    def copy(page):
        for cell in page[FIRST]:
            page.cell(FIRST + 2, cell.column).value = cell.value
        put("Valor", "200,00", FIRST)(page)
        put("Valor", "300,00", FIRST + 2)(page)

    rows = bill(shop, edited(returned(shop, month), tmp_path / "copia.xlsx", copy))
    assert problems_of(rows)[FIRST + 2] == ["row.tag_twice"]
    assert rows[0].state is RowState.ASSEMBLED


def test_an_original_is_not_billed_beside_its_correction(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    month = write_month(tmp_path / "mes.xlsx", [cells(1)])
    shop.sandbox.switch(rejection_share=1.0)
    bill(shop, month)
    issue(shop)
    (mended,) = bill(shop, edited(returned(shop, month), tmp_path / "certo.xlsx", put("Valor", "300,00")))
    assert mended.state is RowState.ASSEMBLED
    (again,) = bill(shop, month, retry_rejected=True, allow_repeats=True)
    assert again.family == mended.family
    assert problems_of([again]) == {FIRST: ["row.overtaken"]}


def test_a_rejected_note_is_corrected_under_a_new_number(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1)])
    shop.sandbox.switch(rejection_share=1.0)
    (first,) = bill(shop, month)
    issue(shop)
    path = returned(shop, month)
    shop.sandbox.switch(rejection_share=0.0)
    (same,) = bill(shop, path)
    assert problems_of([same]) == {FIRST: ["row.rejected_unchanged"]}
    (mended,) = bill(shop, edited(path, tmp_path / "certo.xlsx", put("Discriminação", "Contrato um")))
    assert (mended.state, mended.family) == (RowState.ASSEMBLED, first.id)


def test_a_preview_shows_the_same(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    path = returned(shop, month)
    bill(shop, edited(path, tmp_path / "um.xlsx", put("Valor", "200,00")))
    with shop.context() as context:
        seen = read_without_storing(
            context, edited(path, tmp_path / "dois.xlsx", put("Valor", "999,00")), ReadingOptions(operator="Ana")
        )
    assert problems_of(seen.rows)[FIRST] == ["row.already_corrected"]


def test_tags_of_another_ledger_name_nothing(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    path = returned(shop, month)
    shop.tamper("UPDATE secrets SET value = '00'")

    def strip_property(page):
        page.parent.custom_doc_props.props.clear()

    rows = bill(shop, edited(path, tmp_path / "x.xlsx", strip_property))
    assert [row.follows_id for row in rows] == [None, None]


SALE = {
    "Pedido": "1", "Tipo de Nota": "NF-e", "CPF/CNPJ": "990.000.001-30", "Cliente": "Ana Lima", "Código": "CAN-01",
    "Produto": "Caneca", "NCM": "69120000", "CFOP": "5102", "Unidade": "UN", "Quantidade": "2",
    "Preço Unitário": "12,50", "CSOSN": "102", "CST PIS": "07", "CST COFINS": "07", "Forma de Pagamento": "Dinheiro",
    "Logradouro": "Rua das Laranjeiras", "Número": "10", "Bairro": "Laranjeiras", "CEP": "22240-003",
    "Cidade": "Rio de Janeiro", "UF": "RJ", "CNPJ Emitente": RIO_SHOP, "Data da Venda": f"{this_month():%m/%Y}",
}  # fmt: skip


def _sales(path: Path, *changes: dict[str, str]) -> Path:
    return write_month(path, [list({**SALE, **each}.values()) for each in changes], headers=list(SALE), has_city=True)


def test_a_sale_comes_back_whole_and_is_billed_whole(store: Store, tmp_path: Path):
    sales = _sales(tmp_path / "v.xlsx", {}, {"Código": "B", "NCM": "x"}, {"Pedido": "2"})
    first = {row.row_number: row for row in bill(store, sales, kind="products")}
    assert set(problems_of(first.values())) == {4, 5}, problems_of(first.values())
    path = returned(store, sales, kind="products")
    page = openpyxl.load_workbook(path).worksheets[0]
    assert [at(page, row, "Pedido").value for row in range(FIRST, page.max_row + 1)] == ["1", "1"]
    mended = edited(path, tmp_path / "certo.xlsx", put("NCM", "69120000", FIRST + 1))
    changed = edited(mended, tmp_path / "outra.xlsx", put("Pedido", "77", FIRST, FIRST + 1))
    rows = bill(store, mended, kind="products")
    assert families(rows) == {FIRST: first[4].id, FIRST + 1: first[5].id}
    assert [row.state for row in rows] == [RowState.ASSEMBLED, RowState.ASSEMBLED]
    assert back(store, sales, kind="products") is None
    rows = bill(store, changed, kind="products")
    assert problems_of(rows) == {FIRST: ["row.already_corrected"], FIRST + 1: ["row.already_corrected"]}


def test_a_sale_to_the_shop_itself_is_held_until_somebody_answers(store: Store, tmp_path: Path):
    own = {"CPF/CNPJ": RIO_SHOP, "Cliente": "Caneca Comércio Ltda", "Código": "A"}
    sales = _sales(tmp_path / "v.xlsx", own, {**own, "Código": "B"}, {"Pedido": "2"})
    found = bill(store, sales, kind="products")
    assert problems_of(found) == {4: ["document.of_emitter"], 5: ["product.order_blocked"]}
    path = returned(store, sales, kind="products")
    unchanged = edited(path, tmp_path / "igual.xlsx", put("Código", "C", FIRST + 1))
    assert set(problems_of(bill(store, unchanged, kind="products"))) == {FIRST, FIRST + 1}
    released = edited(path, tmp_path / "volta.xlsx", put("Bill anyway", "S", FIRST))
    rows = bill(store, released, kind="products")
    assert ([row.state for row in rows], problems_of(rows)) == ([RowState.ASSEMBLED] * 2, {})


def test_a_line_copied_within_a_sale_is_a_new_line_of_it(store: Store, tmp_path: Path):
    sales = _sales(tmp_path / "v.xlsx", {"NCM": "x"})
    bill(store, sales, kind="products")

    def copy(page):
        put("NCM", "69120000")(page)
        for cell in page[FIRST]:
            page.cell(FIRST + 1, cell.column).value = cell.value
        put("Código", "B", FIRST + 1)(page)

    rows = bill(store, edited(returned(store, sales, kind="products"), tmp_path / "c.xlsx", copy), kind="products")
    assert [row.state for row in rows] == [RowState.ASSEMBLED, RowState.ASSEMBLED]
    assert [row.follows_id is None for row in rows] == [False, True]


def test_the_rows_of_a_family_are_all_there(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    rows = bill(shop, edited(returned(shop, month), tmp_path / "um.xlsx", put("Valor", "200,00")))
    (original,) = shop.read(ledger_rows.rows_by_ids, [rows[0].family])
    assert original.row_number == 5


def _type_row(page, row: int, texts: list[str]) -> None:
    for header, text in zip(HEADERS, texts, strict=True):
        if header != CITY:
            at(page, row, header).value = text


def _swap(page, one: int, other: int, *, columns, comments: bool) -> None:
    for column in columns:
        first, second = page.cell(one, column), page.cell(other, column)
        first.value, second.value = second.value, first.value
        if comments:
            mine, theirs = first.comment, second.comment
            first.comment = second.comment = None
            first.comment, second.comment = _copied(theirs), _copied(mine)


def _copied(comment):
    return None if comment is None else openpyxl.comments.Comment(comment.text, comment.author)


def test_the_first_files_outcome_says_where_its_rows_are_billed(shop: Workshop, month: Path, tmp_path: Path):
    bill(shop, month)
    bill(shop, edited(returned(shop, month), tmp_path / "um.xlsx", put("Valor", "200,00")))
    with shop.context() as context:
        outcome = report_outcome(context, archive_file(context, month))
    page = openpyxl.load_workbook(outcome).worksheets[1]
    lines = [" ".join(str(cell) for cell in row if cell is not None) for row in page.iter_rows(values_only=True)]
    billed, *left = [line for line in lines if "um.xlsx" in line]
    assert "Already billed" in billed
    assert "row 4 of um.xlsx" in billed
    assert left
    assert all("Refused" in line for line in left)
