"""Layouts of sheets: titles, headers in two rows, merges, hidden parts, several sheets, few columns."""

from collections.abc import Iterator

from connectors.spreadsheets.services import Defaults
from tests.corpus.habits import HEAD, NOVEMBER, Habit, ask, bill, doc, good
from tests.corpus.sheets import SHEET, changed, table, xlsx
from tests.tasks.rows import RIO


def habits() -> Iterator[Habit]:
    one, two = {2: bill(10_001)}, {2: bill(10_001), 3: bill(10_002)}
    content = xlsx(
        ["Empresa Modelo Ltda"], ["CNPJ 99.000.001/0001-01"], [], ["Relatório de cobrança"], [], HEAD, good(1)
    )
    yield Habit("titles_above", content, "a.xlsx", {7: bill(10_001)})
    yield from _emitters()
    content = xlsx(HEAD, good(1), [], good(2), [], [])
    yield Habit("blank_rows_between", content, "a.xlsx", {2: bill(10_001), 4: bill(10_002)})
    content = xlsx(HEAD, good(1), HEAD, good(2))
    yield Habit("header_again", content, "a.xlsx", {2: bill(10_001), 4: bill(10_002)})
    content = xlsx(["Relatório"], HEAD, good(1), [], ["Relatório"], HEAD, good(2))
    yield Habit("title_and_header_again", content, "a.xlsx", {3: bill(10_001), 7: bill(10_002)})
    content = xlsx(["Tomador", None, "Nota", None], ["CNPJ", "Razão Social", "Modelo", "Valor"], good(1))
    yield Habit("two_header_rows", content, "a.xlsx", {3: bill(10_001)})

    def merged_head(sheet, book) -> None:
        sheet.merge_range("A1:B1", "Cliente", book.add_format())
        sheet.merge_range("C1:D1", "Cobrança", book.add_format())

    content = xlsx([], ["CNPJ", "Nome", "Modelo", "Valor"], good(1), dress=merged_head)
    yield Habit("merged_header", content, "a.xlsx", {3: bill(10_001)})

    def merged_down(sheet, book) -> None:
        sheet.merge_range("A2:A3", doc(1), book.add_format())
        sheet.merge_range("B2:B3", "Tomador 1 Ltda", book.add_format())
        sheet.merge_range("C2:C3", "Consultoria", book.add_format())

    content = table([None, None, None, 100.01], [None, None, None, 100.02], dress=merged_down)
    same = bill(10_002, "row.filled_down", name="Tomador 1 Ltda", template_name="Consultoria")
    yield Habit("merged_down", content, "a.xlsx", {2: bill(10_001), 3: same})

    def merged_status(sheet, book) -> None:
        sheet.merge_range("E3:E4", "CANCELADO", book.add_format())

    content = table(good(1, "ok"), good(2), good(3), head=[*HEAD, "Status"], dress=merged_status)
    held = ask("held.status")
    yield Habit("merged_status", content, "a.xlsx", {2: bill(10_001), 3: held, 4: held})

    def hidden_row(sheet, _book) -> None:
        sheet.set_row(2, None, None, {"hidden": True})

    content = table(good(1), good(2), dress=hidden_row)
    yield Habit(
        "hidden_row", content, "a.xlsx", {2: bill(10_001), 3: ask("row.hidden")}, remarks=("sheet.hidden_rows",)
    )

    flat = changed(table(good(1), good(2)), SHEET, '<row r="3"', '<row r="3" ht="0" customHeight="1"')
    yield Habit("row_without_height", flat, "a.xlsx", {2: bill(10_001), 3: ask("row.hidden")})

    def hidden_column(sheet, _book) -> None:
        sheet.set_column(2, 2, None, None, {"hidden": True})

    yield Habit("hidden_column", table(good(1), dress=hidden_column), "a.xlsx", one, remarks=("column.hidden",))
    yield from _sheets(one)
    yield from _few(one, two)


def _emitters() -> Iterator[Habit]:
    content = xlsx(["Prestador: Outra Empresa Ltda - CNPJ 99.000.002/0001-48"], HEAD, good(1))
    yield Habit("other_emitter_above", content, "a.xlsx", {3: ask("held.emitter")})
    content = xlsx(["Grupo 99.000.002/0001-48", "Emitente 99.000.001/0001-01"], HEAD, good(1))
    yield Habit("emitters_above", content, "a.xlsx", {3: bill(10_001)})
    content = table(good(1, "Zyx Ltda"), good(2, "99.000.002/0001-48"), head=[*HEAD, "Prestador"])
    rows = {2: bill(10_001, emitter_name="Zyx Ltda", emitter_cnpj=RIO), 3: bill(10_002, emitter_cnpj="99000002000148")}
    yield Habit("emitter_by_name", content, "a.xlsx", rows)
    content = table(good(1, "Zyx Ltda"), good(2, "99.000.002/0001-48"), good(3, None), head=[*HEAD, "Empresa"])
    rows = {2: bill(10_001, company_name="Zyx Ltda"), 3: bill(10_002, company_name="99000002000148"), 4: bill(10_003)}
    yield Habit("company_beside_the_customer", content, "a.xlsx", rows)
    content = table([doc(1), "Ana Ltda", 10.0], head=("CNPJ", "Empresa", "Valor"))
    yield Habit("company_is_the_customer", content, "a.xlsx", {2: bill(1_000, name="Ana Ltda", company_name=None)})
    content = table(good(1, "99.000.001/0001-00"), head=[*HEAD, "Prestador"])
    yield Habit("emitter_with_a_wrong_digit", content, "a.xlsx", {2: ask("document.invalid", "document.check_digits")})


def _sheets(one) -> Iterator[Habit]:
    others = {"Instruções": [["Preencha a aba ao lado"]], "Exemplo": [HEAD, good(9)]}
    yield Habit("instructions_beside", table(good(1), others=others), "a.xlsx", one)
    content = table(good(1), others={"Filial": [HEAD, good(2)]})
    yield Habit("two_sheets", content, "a.xlsx", {}, stops="sheet.several")
    content = table(good(1), others={"Resumo": [["Total", 100.01], ["Clientes", 1]]})
    yield Habit("summary_beside", content, "a.xlsx", one, remarks=("sheet.chosen",))

    def hide(_sheet, book) -> None:
        book.get_worksheet_by_name("Antigos").hide()

    content = table(good(1), others={"Antigos": [HEAD, good(2)]}, dress=hide)
    yield Habit("hidden_sheet", content, "a.xlsx", one, remarks=("sheet.hidden_sheets",))
    content = xlsx(["Dia", "Hora"], [1, 2])
    yield Habit("no_header", content, "a.xlsx", {}, stops="sheet.no_header")
    content = xlsx(HEAD)
    yield Habit("nothing_below", content, "a.xlsx", {}, stops="sheet.no_rows")


def _few(one, two) -> Iterator[Habit]:
    bare = [[doc(1), 100.01], [doc(2), 100.02]]
    content = table(*bare, head=("CNPJ", "Valor"))
    yield Habit("two_columns", content, "a.xlsx", two)
    usual = Defaults(emitter_cnpj=RIO, competence=NOVEMBER, template_name="Consultoria")
    rows = {2: bill(10_001, "template.by_option", template_name="Consultoria"), 3: bill(10_002)}
    yield Habit("template_by_option", content, "a.xlsx", rows, defaults=usual)
    content = table(good(1), [*good(2)[:2], None, 100.02])
    yield Habit("template_blank", content, "a.xlsx", {2: bill(10_001), 3: ask("template.missing")})
    content = table([doc(1), "Tomador 1 Ltda", 100.01], head=("CNPJ", "Cliente", "Valor"))
    yield Habit("three_columns", content, "a.xlsx", one)
    content = table(good(1, None), good(2, "Suporte"), head=[*HEAD, "Descrição"])
    rows = {2: bill(10_001, "description.of_template", description=None), 3: bill(10_002, description="Suporte")}
    yield Habit("description_blank", content, "a.xlsx", rows)
    content = table(good(1, "x"), head=[*HEAD, "Vendedora"])
    yield Habit("unknown_column", content, "a.xlsx", one, remarks=("column.unused",))
    content = table(good(1, "10/12/2026"), head=[*HEAD, "Vencimento"])
    yield Habit("known_and_unused_column", content, "a.xlsx", one, remarks=("column.ignored",))
    content = table([doc(1), "A", "M", 1.0, 2.0], head=("CNPJ", "Nome", "Modelo", "Valor", "Valor Total"))
    yield Habit("two_amounts", content, "a.xlsx", {2: ask("held.side_amount")})
    content = table([*good(1)[:3]], head=HEAD[:3])
    yield Habit("no_amount_column", content, "a.xlsx", {}, stops="column.missing")
    content = table(good(1, "K1"), good(2, "K1"), head=[*HEAD, "Chave"])
    yield Habit("key_twice", content, "a.xlsx", {2: bill(10_001), 3: ask("row.key_twice")})
    for number, code in enumerate(("2,00001E+15", "7.89e+12", 2_000_008_123_456_780.0)):
        for header in ("Chave", "Nº Pedido"):
            content = table(good(1, code), head=[*HEAD, header])
            yield Habit(f"{header}_that_lost_digits_{number}", content, "a.xlsx", {2: ask("held.rounded")})
    content = table(good(1), [None, "Tomador 9 Ltda", "Consultoria", None])
    yield Habit("half_a_row", content, "a.xlsx", {2: bill(10_001), 3: ask("document.missing")})
    content = table(good(1), [None, "Tomador 9 Ltda", None, None], good(2))
    yield Habit("name_alone", content, "a.xlsx", {2: bill(10_001), 3: ask("document.missing"), 4: bill(10_002)})
    content = table(good(1), [doc(3)], good(2))
    yield Habit("document_alone", content, "a.xlsx", {2: bill(10_001), 3: ask("amount.missing"), 4: bill(10_002)})
    content = table(good(1), ["FILIAL CENTRO"], good(2))
    yield Habit("group_title", content, "a.xlsx", {2: bill(10_001), 4: bill(10_002)}, remarks=("sheet.titles",))
