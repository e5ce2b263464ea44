"""Amounts as people write them, totals in any place, quantity and price."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, doc, good, text_of
from tests.corpus.sheets import table, xlsx

_PLAIN = {
    "R$ 1.234,56": 123_456, "1.234,56": 123_456, "1234,56": 123_456, "R$1.234,56": 123_456, "1 234,56": 123_456,
    "R$ 1.234.567,89": 123_456_789, "1234,5": 123_450, " 99,90 ": 9_990, "BRL 10,00": 1_000, "1.500,00 ": 150_000,
    "R$\u00a01.234,56": 123_456,
}  # fmt: skip
_BAD = {
    "US$ 100,00": "amount.foreign_currency", "€ 100,00": "amount.foreign_currency", "USD 5": "amount.foreign_currency",
    "5%": "amount.percentage", "a combinar": "amount.unreadable", "100,00 + 50,00": "amount.unreadable",
    "R$ -": "amount.not_positive", "(50,00)": "amount.not_positive", "-50,00": "amount.not_positive",
    "0,00": "amount.not_positive", "1.234": "amount.ambiguous", "1,234": "amount.ambiguous",
    "10,005": "amount.ambiguous",
    "#VALOR!": "row.error_cell", "#N/D": "row.error_cell", "isento": "amount.unreadable",
    "1.234,56,78": "amount.unreadable",
}  # fmt: skip
_TOTALS: tuple[list[object], ...] = (
    ["TOTAL", None, None, 200.03], [None, "TOTAL", None, 200.03], [None, None, "Total", 200.03], ["Total geral",
    None, None, 200.03],
    ["Soma", None, None, 200.03], [None, "Total: ", None, "200,03"], ["VALOR TOTAL", None, None, 200.03],
    ["Totais", "2 clientes", None, 200.03], [None, None, None, 200.03], ["SOMATÓRIO", None, None, 200.03],
    ["Sub-total", None, None, 200.03],
)  # fmt: skip
_IN_WORDS: tuple[tuple[str, str, str, Expectation], ...] = (
    # header, the words of R$ 100,01 and those of R$ 2.500,00, and what happens to the latter row
    ("Valor por extenso", "cem reais e um centavo", "dois mil e quinhentos reais", bill(250_000)),
    ("Valor por extenso", "cem reais e um centavo", "três mil e quinhentos reais", ask("held.in_words")),
    ("Extenso", "Cem reais e um centavo", "Dois mil e cinquenta reais", ask("held.in_words")),
    ("Total (por extenso)", "CEM REAIS E UM CENTAVO", "DOIS MIL E QUINHENTOS", bill(250_000)),
    ("Amount in words", "cem reais e um centavo", "R$ 2.500,00 (dois mil reais)", ask("held.in_words")),
    ("Importância em extenso", "a quantia de cem reais e um centavo", "a combinar",
     bill(250_000, "row.in_words_unread")),
    ("Valor em palavras", "cem reais e um centavo", "dois mil e 500 reais", bill(250_000, "row.in_words_unread")),
    ("Data por extenso", "trinta de novembro", "dez", bill(250_000)),
)  # fmt: skip


def habits() -> Iterator[Habit]:
    for number, (text, cents) in enumerate(_PLAIN.items()):
        content = table(good(2, cents=150_075), [*good(1)[:3], text])
        yield Habit(f"amount_{number}", content, "a.xlsx", {2: bill(150_075), 3: bill(cents)})
    for number, (text, code) in enumerate(_BAD.items()):
        content = table(good(2), [*good(1)[:3], text])
        yield Habit(f"amount_bad_{number}", content, "a.xlsx", {2: bill(10_002), 3: ask(code)})
    content = table([*good(1)[:3], "1.234,56"], [*good(2)[:3], "1.500"])
    yield Habit("column_decides_dots", content, "a.xlsx", {2: bill(123_456), 3: bill(150_000)})
    content = table([*good(1)[:3], "1,234.56"], [*good(2)[:3], "1,500"])
    yield Habit("column_decides_commas", content, "a.xlsx", {2: bill(123_456), 3: bill(150_000)})
    content = table([*good(1)[:3], "1,234.56"], [*good(2)[:3], "1.234,56"], [*good(3)[:3], "1.500"])
    rows: dict[int, Expectation] = {2: bill(123_456), 3: bill(123_456), 4: ask("amount.ambiguous")}
    yield Habit("mixed_column", content, "a.xlsx", rows, remarks=("column.mixed",))
    for number, (header, words, other, found) in enumerate(_IN_WORDS):
        content = table(good(1, words), good(2, other, cents=250_000), head=[*HEAD, header])
        yield Habit(f"amount_in_words_{number}", content, "a.xlsx", {2: bill(10_001), 3: found})
    head = [*HEAD, "Valor líquido", "Valor líquido por extenso"]
    content = table(good(1, 90.0, "noventa reais"), good(2, 90.0, "cem reais e dois centavos"), head=head)
    rows = {2: bill(10_001), 3: ask("held.in_words")}
    yield Habit("other_amount_in_words", content, "a.xlsx", rows)
    yield from _shown()
    yield from _totals()
    yield from _products()


def _shown() -> Iterator[Habit]:
    usual = {
        "D2": (100.01, "#,##0.00"),
        "D3": (1234.56, "#,##0"),
        "D4": (0.05, "0%"),
        "D5": (100.0, "[$US$-409] #,##0.00"),
    }
    rows: dict[int, Expectation] = {
        2: bill(10_001),
        3: bill(123_456, "amount.shown_rounded"),
        4: ask("amount.percentage"),
    }
    content = table(*(good(n) for n in range(1, 5)), shaped=usual)
    yield Habit("formats_of_cells", content, "a.xlsx", rows | {5: ask("amount.foreign_currency")})
    for number, code in enumerate(("[$€-2] #,##0.00", '"US$" #,##0.00', "[$USD] #,##0.00", "[$$-409]#,##0.00")):
        content = table(good(1), good(2), shaped={"D3": (100.0, code)})
        yield Habit(f"foreign_format_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("amount.foreign_currency")})
    for number, code in enumerate(
        ('_-"R$"* #,##0.00_-', "[$R$-416] #,##0.00", '"R$" #,##0.00', "#,##0.00;[Red]-#,##0.00")
    ):
        content = table(good(1), shaped={"D2": (100.01, code)})
        yield Habit(f"our_format_{number}", content, "a.xlsx", {2: bill(10_001)})

    def formulas(sheet, _book) -> None:
        sheet.write_formula("D2", "=50.005*2", None, 100.01)
        sheet.write_formula("D3", "=X9*2", None, "")

    content = table(good(1), good(2), dress=formulas)
    yield Habit("formula_without_result", content, "a.xlsx", {2: bill(10_001), 3: ask("row.formula")})
    content = table(good(1), [*good(2)[:3], 0.1 + 0.2], [*good(3)[:3], 33.333333])
    yield Habit(
        "noise_of_fractions", content, "a.xlsx", {2: bill(10_001), 3: bill(30), 4: ask("amount.fraction_of_cent")}
    )

    def merged(sheet, book) -> None:
        sheet.merge_range("D3:D4", 300.0, book.add_format())

    content = table(good(1), [*good(2)[:3], None], [*good(3)[:3], None], dress=merged)
    held = ask("held.merged_amount")
    yield Habit("one_amount_for_two_rows", content, "a.xlsx", {2: bill(10_001), 3: held, 4: held})


def _totals() -> Iterator[Habit]:
    for number, (end, start) in enumerate((
        ("A transportar", "De transporte"), ("Valor a transportar", "Transporte da folha anterior"),
        ("Transportado", "Vem da página anterior:"), ("Carried forward", "Brought forward"),
    )):  # fmt: skip
        pages = good(1), [None, end, None, 100.01], [None, start, None, 100.01], good(2), [None, "Total", None, 200.03]
        yield Habit(f"sum_of_a_page_{number}", table(*pages), "a.xlsx", {2: bill(10_001), 5: bill(10_002)})
    lines: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002)}
    for number, total in enumerate(_TOTALS):
        yield Habit(f"total_{number}", table(good(1), good(2), total), "a.xlsx", lines)
    content = table(good(1), good(2), ["TOTAL", None, None, 300.0])
    yield Habit("total_differs", content, "a.xlsx", lines, remarks=("sheet.total_differs",))
    content = table(good(1, "Ativo"), good(2, "Cancelado"), ["TOTAL", None, None, 100.01], head=[*HEAD, "Situação"])
    yield Habit("total_without_a_cancelled_row", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    apart: list[list[object]] = [good(1), good(2), good(1, cents=500), [None, "Tomador 1 Ltda Total", None, 99.0]]
    expected: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002), 4: bill(500)}
    remarks = ("sheet.total_of_customer_differs",)
    yield Habit("wrong_total_of_a_customer", table(*apart), "a.xlsx", expected, remarks=remarks)
    content = table(
        good(1), good(2), [None, "Tomador 2 Ltda Total", None, 200.03], good(3), ["Total geral", None, None, 300.06]
    )
    yield Habit("subtotals_of_customers", content, "a.xlsx", lines | {5: bill(10_003)})
    content = table(
        good(1), ["Total da página", None, None, 100.01], HEAD, good(2), ["Total da página", None, None, 100.02],
        ["Total Geral", None, None, 200.03],
    )  # fmt: skip
    yield Habit("totals_of_pages", content, "a.xlsx", {2: bill(10_001), 5: bill(10_002)})
    content = table(good(1), [doc(2), "Total Energia Ltda", "Consultoria", 100.02])
    yield Habit("customer_called_total", content, "a.xlsx", lines)
    content = table(good(1), [None, "Total Energia Ltda", "Consultoria", 100.02])
    yield Habit(
        "customer_called_total_without_document", content, "a.xlsx", {2: bill(10_001), 3: ask("document.missing")}
    )
    content = table(
        good(1),
        good(2),
        ["TOTAL", None, None, 200.03],
        [],
        ["Conferido por Ana"],
        ["São Paulo, 20 de novembro de 2026"],
    )
    yield Habit("signatures_below", content, "a.xlsx", lines, remarks=("sheet.notes_below",))
    content = xlsx(HEAD, good(1), good(2), [], [None, "Página 1 de 1"], ["Gerado em 20/11/2026 10:33 por ana"])
    yield Habit("footers_without_total", content, "a.xlsx", lines)
    content = table(good(1), good(2), [None, None, None, None, None], ["_______________"], ["Ana Lima - Financeiro"])
    yield Habit("signature_line", content, "a.xlsx", lines)
    text = text_of([HEAD, good(1), good(2), ["TOTAL", "", "", "200,03"]]).encode()
    yield Habit("total_in_csv", text, "a.csv", lines)


def _products() -> Iterator[Habit]:
    head: tuple[str, ...] = ("CNPJ", "Cliente", "Modelo", "Qtde", "Preço")
    who = [doc(1), "Tomador 1 Ltda", "Consultoria"]
    content = table([*who, 10.0, 150.5], head=head)
    yield Habit("quantity_and_price", content, "a.xlsx", {2: bill(150_500)})
    content = table([*who, 10.0, 150.5, 1505.0], [*who, 2.0, 10.0, 25.0], head=[*head, "Valor Total"])
    rows: dict[int, Expectation] = {2: bill(150_500), 3: ask("amount.product_differs")}
    yield Habit("quantity_and_price_disagree", content, "a.xlsx", rows)
    content = table([*who, 8.0, "R$ 120,00", "Horas de consultoria"], head=[*head, "Descrição"])
    yield Habit("hours", content, "a.xlsx", {2: bill(96_000, description="Horas de consultoria")})
    head = ("CPF/CNPJ", "Cliente", "Serviço", "Qtde", "Preço Unitário", "Total")
    content = table([doc(1), "Tomador 1 Ltda", "Suporte", 2.0, 50.0, 100.0], head=head)
    yield Habit("service_with_quantity", content, "a.xlsx", {2: bill(10_000, description="Suporte")})
    head = ("Cliente", "CNPJ", "Descrição", "Quantidade", "Valor Unitário", "Desconto", "Valor Total")
    content = table(["Tomador 1 Ltda", doc(1), "Suporte", 2.0, 50.0, None, 100.0], head=head)
    yield Habit("blank_discount", content, "a.xlsx", {2: bill(10_000)})
