"""Habits of further companies: changed amounts in notes, units in headers, damaged values, and files from programs."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Final

from domain.competence import BRASILIA
from tests.corpus.habits import HEAD, NOVEMBER, Expectation, Habit, ask, bill, doc, good, text_of
from tests.corpus.sheets import html, table, xlsx
from tests.tasks.rows import company

_UNREAD: Final = ask("amount.unreadable")
_AMOUNTS: Final[Mapping[str, Expectation]] = {
    "R$ 1.234,56-": ask("amount.not_positive"), "−50,00": ask("amount.not_positive"),
    "(R$ 50,00)": ask("amount.not_positive"), "R$ (50,00)": ask("amount.not_positive"),
    "1'234,56": bill(123_456), "1’234,56": bill(123_456), "R$ 1\u202f234,56": bill(123_456),
    "100,00 R$": bill(10_000), "1.234,56 reais": bill(123_456), "R$ 1.234": ask("amount.ambiguous"),
    "12.345.678": bill(1_234_567_800), "R$.1.234,56": _UNREAD, "R$ 1.234, 56": _UNREAD,
    "1.234,56 D": _UNREAD, "1.234,56C": _UNREAD,
    "mil reais": _UNREAD, "R$ 1,5 mil": _UNREAD, "3x 100,00": _UNREAD,
    "100,00 + ISS": _UNREAD, "1OO,00": _UNREAD, "1.234,56*": _UNREAD,
    "100,00/mês": _UNREAD, "12,345,67": _UNREAD,
}  # fmt: skip
_HEADERS_STOP: Final = (
    "Valor (USD)", "Valor US$", "Valor em Dólar", "Valor (€)", "Valor (R$ mil)", "Valor (em milhares)",
    "Valor (centavos)", "Valor Líquido", "Valor a Receber Líquido", "% do Valor", "Valor com Desconto",
    "Valor Anual", "Valor Previsto", "Valor Outubro", "Valor Mês Anterior", "Saldo Devedor", "Valor em Aberto Anterior",
)  # fmt: skip
_NOTES: Final = (
    "emitir 2 notas", "dividir em duas notas", "alterar valor para R$ 500,00", "mudar o valor p/ 500",
    "novo valor R$ 500,00", "trocar CNPJ", "mudou de CNPJ", "CNPJ novo: 99.000.077/0001-24", "dar desconto de 10%",
    "desconto de R$ 50 este mês", "somar com a linha de cima", "faturar também outubro", "incluir horas extras",
    "emitir contra a filial do RJ", "emitir para outro CNPJ", "usar CNPJ da filial", "nota em nome do João",
    "descontar R$ 100", "abater crédito de outubro", "valor correto é 500", "corrigir razão social",
    "ajustar valor", "parcelar em 3x", "faturar 50%", "faturar em duas vezes", "cobrar só metade",
    "wait for signed SOW", "pending the amendment",
)  # fmt: skip
_HARMLESS: Final = (
    "desconto já aplicado", "valor com desconto", "cliente desde 2019", "enviar nota até dia 5", "nova sede",
    "mandar junto o boleto", "PO 4500012345", "contrato reajustado em maio", "NF com retenção", "2 licenças",
    "valor conforme proposta 12", "falar com Ana", "inclui 2 horas extras", "10% de desconto já incluso",
    "mudou de endereço", "CNPJ conferido", "customer waiting list",
)  # fmt: skip
_STATES: Final = ("A cancelar", "Cancelamento solicitado", "Faturar em 05/12", "Não iniciado", "Em teste", "Trial",
                  "Em negociação", "Encerrando", "Distratado", "Migrado", "Somente dezembro")  # fmt: skip
_STATES_GO: Final = ("Novo", "Renovação", "Em dia", "Em atraso", "Vigente", "Inadimplente", "Confirmado", "Recorrente")
_MONTHS: Final[Mapping[object, Expectation]] = {
    "2026-11-30T00:00:00": bill(10_001, competence=NOVEMBER), 46_327.0: bill(10_001, competence=NOVEMBER),
    "NOV.2026": bill(10_001, competence=NOVEMBER), "11.2026": bill(10_001, competence=NOVEMBER),
    "1ª quinzena nov/26": ask("competence.unreadable"),
    "nov": bill(10_001, competence=NOVEMBER), "ref. nov.": bill(10_001, competence=NOVEMBER),
    "dez": ask("competence.no_year"),
    "nov/dez 2026": ask("competence.unreadable", "competence.ambiguous"),
    "10/11/2026 a 09/12/2026": ask("competence.unreadable", "competence.ambiguous"),
    "11/26": bill(10_001, competence=NOVEMBER), "novembro-26": bill(10_001, competence=NOVEMBER),
    "mês 11/2026": bill(10_001, competence=NOVEMBER), "13/2026": ask("competence.unreadable"),
    "Novembro de 2026": bill(10_001, competence=NOVEMBER), "11/2O26": ask("competence.unreadable"),
}  # fmt: skip
_PHONES: Final = {"(11) 3333-4444 / 99999-8888": "1133334444", "11 3333.4444 r. 12": None, "+55 11 33334444": None}


def habits() -> Iterator[Habit]:
    for number, (text, expected) in enumerate(_AMOUNTS.items()):
        content = table(good(2, cents=150_075), [*good(1)[:3], text])
        yield Habit(f"odd_amount_{number}", content, "a.xlsx", {2: bill(150_075), 3: expected})
    for number, header in enumerate(_HEADERS_STOP):
        content = table([doc(1), "Ana Ltda", 100.0], head=("CNPJ", "Razão Social", header))
        yield Habit(f"odd_amount_header_{number}", content, "a.xlsx", {}, stops="column.missing")
    for number, text in enumerate(_NOTES):
        content = table(good(1), good(2, text), head=[*HEAD, "Obs"])
        yield Habit(f"note_of_change_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.notes")})
    for number, text in enumerate(_HARMLESS):
        yield Habit(f"note_of_no_change_{number}", table(good(1, text), head=[*HEAD, "Obs"]), "a.xlsx",
                    {2: bill(10_001)})  # fmt: skip
    for number, text in enumerate(_STATES):
        content = table(good(1, "Ativo"), good(2, text), head=[*HEAD, "Status"])
        yield Habit(f"odd_status_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    for number, text in enumerate(_STATES_GO):
        yield Habit(f"odd_status_goes_{number}", table(good(1, text), head=[*HEAD, "Status"]), "a.xlsx",
                    {2: bill(10_001)})  # fmt: skip
    for number, (month, expected) in enumerate(_MONTHS.items()):
        content = table(good(1, month), head=[*HEAD, "Competência"])
        yield Habit(f"odd_month_{number}", content, "a.xlsx", {2: expected})
    yield from _columns()
    yield from _values()
    yield from _customers()
    yield from _layouts()
    yield from _files()


def _columns() -> Iterator[Habit]:
    who = [doc(1), "Ana Ltda"]
    head = ["CNPJ", "Razão Social", "Valor Bruto", "Valor Líquido"]
    yield Habit("gross_and_net", table([*who, 100.0, 93.85], head=head), "a.xlsx", {2: bill(10_000)})
    head = ["CNPJ", "Razão Social", "Valor Bruto", "Desconto", "Valor Líquido"]
    expected = bill(10_000, unconditioned_discount_cents=1_000)
    yield Habit("gross_discount_net", table([*who, 100.0, 10.0, 90.0], head=head), "a.xlsx", {2: expected})
    head = ["CNPJ", "Razão Social", "Valor", "Desconto (%)"]
    content = table([*who, 100.0, 0.1], head=head)
    yield Habit("discount_as_percentage", content, "a.xlsx", {2: ask("held.side_amount")})
    head = ["CNPJ", "Razão Social", "Valor", "Desconto"]
    content = table([*who, 100.0, -10.0], [doc(2), "Bia Ltda", 100.0, "10%"], head=head)
    rows: dict[int, Expectation] = {2: _UNREAD, 3: ask("amount.percentage")}
    yield Habit("discount_below_nothing", content, "a.xlsx", rows)
    head = ["CNPJ", "Razão Social", "Valor", "ISS Retido"]
    content = table([*who, 100.0, 0.0], [doc(2), "Bia Ltda", 100.0, 5.0], head=head)
    rows = {2: bill(10_000, retained_iss=False), 3: bill(10_000, retained_iss=True, iss_cents=500)}
    yield Habit("amount_below_a_question", content, "a.xlsx", rows)
    head = ["CNPJ", "Razão Social", "Valor", "Acumulado"]
    content = table([*who, 100.0, 100.0], [doc(2), "Bia Ltda", 50.0, 150.0], head=head)
    yield Habit("running_total", content, "a.xlsx", {2: bill(10_000), 3: bill(5_000)}, remarks=("column.unused",))
    head = ["CNPJ", "Razão Social", "Valor", "Parcela"]
    yield Habit("instalments", table([*who, 100.0, "3/12"], head=head), "a.xlsx", {2: bill(10_000)})
    head = ["CNPJ", "Razão Social", "Reais", "Centavos"]
    yield Habit("cents_apart", table([*who, 100.0, 50.0], head=head), "a.xlsx", {}, stops="column.missing")
    head = ["CNPJ", "Razão Social", "Valor", "Reembolso de Despesas"]
    content = table([*who, 100.0, 37.5], head=head)
    yield Habit("expenses_beside", content, "a.xlsx", {2: bill(10_000)}, remarks=("column.unused",))
    head = ["CNPJ", "Razo Socail", "Vlaor"]
    yield Habit("misspelt_amount", table([*who, 100.0], head=head), "a.xlsx", {}, stops="column.missing")


def _values() -> Iterator[Habit]:
    amount = [*good(2)[:3]]
    for name, value in (
        ("day", date(2026, 11, 20)),
        ("truth", True),
        ("moment", datetime(2026, 11, 20, 10, 0, tzinfo=BRASILIA).replace(tzinfo=None)),
    ):
        content = table(good(1), [*amount, value])
        yield Habit(f"amount_is_a_{name}", content, "a.xlsx", {2: bill(10_001), 3: _UNREAD})
    for number, text in enumerate(("31/11/2026", "32/13/2026", "hoje")):
        content = table(good(1, text), head=[*HEAD, "Data de Emissão"])
        yield Habit(f"odd_day_{number}", content, "a.xlsx", {2: ask("date.unreadable")})
    for number, text in enumerate(("ana @x.example", "joão@x.example", "ana@x", "ana.x.example", "ana@@x.example")):
        content = table(good(1, text), head=[*HEAD, "E-mail"])
        yield Habit(f"odd_email_{number}", content, "a.xlsx", {2: ask("row.email")})
    content = table(good(1, "1310-100"), head=[*HEAD, "CEP"])
    yield Habit("zip_text_lost_its_zero", content, "a.xlsx", {2: bill(10_001, zip_code="01310100")})
    content = table(good(1, "01310"), head=[*HEAD, "CEP"])
    yield Habit("half_a_zip", content, "a.xlsx", {2: ask("row.zip_code")})
    content = table(good(1, "Rio de Janeiro/RJ", "RJ"), head=[*HEAD, "Cidade", "UF"])
    yield Habit("city_says_its_state_too", content, "a.xlsx", {2: bill(10_001, city="Rio de Janeiro", state="RJ")})
    content = table(good(1, "Rio de Janeiro/RJ", "SP"), head=[*HEAD, "Cidade", "UF"])
    yield Habit("city_says_another_state", content, "a.xlsx", {2: ask("city.unknown", "city.other_state")})
    content = table(good(1, "Lisboa", "EX"), head=[*HEAD, "Cidade", "UF"])
    yield Habit("city_abroad", content, "a.xlsx", {2: ask("city.unknown", "state.unknown", "city.abroad")})
    content = table(good(1, "Linha 1\nLinha 2 🚀"), head=[*HEAD, "Discriminação"])
    yield Habit("lines_and_pictures", content, "a.xlsx", {2: bill(10_001, description="Linha 1\nLinha 2 🚀")})


def _customers() -> Iterator[Habit]:
    number = company(1).number
    for place, text in enumerate((f"{number}.0", f"{number},0", f"\t{number}", doc(1).replace("/", "\\"),
                                  doc(1).replace("-", "–"), f"CNPJ/MF {doc(1)}")):  # fmt: skip
        content = table([text, *good(1)[1:]])
        yield Habit(f"odd_document_{place}", content, "a.xlsx", {2: bill(10_001, document=number)})
    for place, text in enumerate(
        ("Passaporte AB123456", "EXTERIOR", "ISENTO", doc(1).replace("0", "O", 1), "idem", '"')
    ):
        content = table(good(2), [text, *good(1)[1:]])
        codes = ["document.length", "document.invalid", "document.missing", "document.letters", "document.ditto"]
        codes += ["document.foreign"] if place < 2 else []
        yield Habit(f"no_document_{place}", content, "a.xlsx", {2: bill(10_002), 3: ask(*codes)})
    for place, text in enumerate(("12ABC34501DE35", "12abc34501de35", "12.ABC.345/01DE-35")):
        content = table([text, *good(1)[1:]])
        yield Habit(f"letters_{place}", content, "a.xlsx", {2: bill(10_001, document="12ABC34501DE35")})
    content = table(good(1), [None, "Ana Ltda - CNPJ " + doc(2), "Consultoria", 10.0])
    yield Habit("document_in_the_name", content, "a.xlsx", {2: bill(10_001), 3: ask("document.missing")})


def _layouts() -> Iterator[Habit]:
    content = xlsx(
        ["CNPJ", "Nome", "Valores", None], [None, None, "Bruto", "Líquido"], [doc(1), "Ana Ltda", 100.0, 90.0]
    )
    yield Habit("amounts_under_one_title", content, "a.xlsx", {3: bill(10_000)}, remarks=("column.ignored",))
    content = xlsx(["CNPJ", doc(1), doc(2)], ["Nome", "Ana Ltda", "Bia Ltda"], ["Valor", 10.0, 20.0])
    yield Habit("table_on_its_side", content, "a.xlsx", {}, stops="sheet.no_header")
    content = xlsx(HEAD, good(1), name="Nov 2026", others={"Out 2026": [HEAD, good(2)]})
    yield Habit("a_sheet_a_month", content, "a.xlsx", {2: bill(10_001)}, remarks=("sheet.chosen",))
    content = table(good(1), good(2), [None, "Qtd. de notas: 2", None, None], ["Total a faturar", None, None, 200.03])
    yield Habit("count_above_total", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = table(good(1), good(2), ["Total de 2 registros", None, None, None])
    yield Habit("count_of_records", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = table(good(1), [None, None, "Suporte", 55.0], good(3))
    yield Habit("charge_below_its_customer", content, "a.xlsx", {2: bill(10_001), 3: ask("document.missing"),
                                                                 4: bill(10_003)})  # fmt: skip
    content = xlsx(HEAD, [*good(1)], ["Faturamento Dezembro/2026"], good(2))
    yield Habit("other_month_below", content, "a.xlsx", {2: bill(10_001), 4: ask("held.month")})
    content = xlsx([f"Valores em US$ - {NOVEMBER:%m/%Y}"], HEAD, good(1))
    yield Habit("title_says_dollars", content, "a.xlsx", {3: ask("held.unit")})
    content = xlsx(["Valores em milhares de reais"], HEAD, good(1))
    yield Habit("title_says_thousands", content, "a.xlsx", {3: ask("held.unit")})
    content = xlsx(["RASCUNHO - não utilizar"], HEAD, good(1))
    yield Habit("title_says_draft", content, "a.xlsx", {3: ask("held.section")})
    content = xlsx(HEAD, good(1), name="Modelo (não usar)")
    yield Habit("sheet_says_not_to_use", content, "a.xlsx", {2: ask("held.section")})
    content = table(good(1), [*good(2)[:3], 100.02], ["TOTAL GERAL", None, None, "200,03"],
                    ["ISS 5%", None, None, 10.0], ["Líquido", None, None, 190.03])  # fmt: skip
    rows = {2: bill(10_001), 3: bill(10_002)}
    yield Habit("taxes_below_the_total", content, "a.xlsx", rows, remarks=("sheet.notes_below",))


def _files() -> Iterator[Habit]:
    two: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002)}
    text = text_of([HEAD, good(1), [doc(2), "Açaí Ltda", "Consultoria", 100.02]])
    yield Habit("csv_separator_line", f"sep=;\r\n{text}".encode("cp1252"), "a.csv", two)
    yield Habit("csv_utf16_with_mark", text.encode("utf-16"), "a.csv", two)
    yield Habit("csv_mac_lines", text.replace("\r\n", "\r").encode("cp1252"), "a.csv", two)
    quoted = f'CNPJ;Nome;Descrição;Valor\r\n{doc(1)};Ana;"Linha 1\nLinha 2; fim";100,01\r\n'
    yield Habit("csv_lines_in_a_cell", quoted.encode(), "a.csv", {2: bill(10_001, description="Linha 1\nLinha 2; fim")})
    yield Habit("csv_txt", text.encode(), "relatorio.txt", two)
    index = text_of([[None, *HEAD], [0, *good(1)], [1, *good(2)]])
    yield Habit("csv_of_a_data_frame", index.encode(), "a.csv", two)
    protected = text_of([HEAD, [f"'{doc(1)}", "Ana Ltda", "Consultoria", "100,01"]])
    yield Habit("csv_apostrophe", protected.encode(), "a.csv", {2: bill(10_001)})
    asked = text_of([HEAD, [doc(1), "A??cares Ltda", "Consultoria", "100,01"]])
    yield Habit("csv_lost_accents", asked.encode(), "a.csv", {2: ask("text.damaged")})
    double = "Açaí Ltda".encode().decode("cp1252")
    twice = text_of([HEAD, [doc(1), double, "Consultoria", "100,01"]])
    yield Habit("csv_encoded_twice", twice.encode(), "a.csv", {2: ask("text.damaged")})
    rows = [["CNPJ", "Nome", "Valor"], [doc(1), "Ana &amp; Bia Ltda", "100,01"]]
    yield Habit("html_entities", html(rows), "a.xls", {2: bill(10_001, name="Ana & Bia Ltda")})
    content = table([doc(1), "Ana &amp; Bia Ltda", "Consultoria", 100.01])
    yield Habit("entity_in_a_workbook", content, "a.xlsx", {2: ask("text.damaged")})
