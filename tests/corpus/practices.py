"""Habits of billing departments: documents in two columns, headers in two rows, figures below the total."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, cpf, doc, good
from tests.corpus.sheets import table, xlsx


def habits() -> Iterator[Habit]:
    yield from _two_documents()
    yield from _two_header_rows()
    yield from _below_the_total()
    content = table([doc(1), "Ana Ltda", "Consultoria", "1.234"], [doc(2), "Bia Ltda", "Consultoria", "1.234,50"])
    rows = {2: bill(123_400), 3: bill(123_450)}
    yield from _placeholders()
    yield Habit("notation_of_the_column", content, "a.xlsx", rows, remarks=("column.notation",))


def _placeholders() -> Iterator[Habit]:
    asked = ask("text.placeholder")
    for number, text in enumerate(("idem", "Idem", '"', "//", "A DEFINIR")):
        content = table(good(1, "Suporte"), good(2, text), head=[*HEAD, "Descrição"])
        yield Habit(f"placeholder_{number}", content, "a.xlsx", {2: bill(10_001, description="Suporte"), 3: asked})
    content = table([doc(1), "a definir", "Consultoria", 10.0])
    yield Habit("placeholder_for_a_name", content, "a.xlsx", {2: asked})
    centres = (["CC 100 - Vendas"], good(1), ["Subtotal CC 100", None, None, 100.01], ["CC 200 - TI"], good(2))
    rows = {3: bill(10_001), 6: bill(10_002)}
    yield Habit("cost_centres", xlsx(HEAD, *centres), "a.xlsx", rows, remarks=("sheet.titles",))
    for number, (head, cells, cents) in enumerate(
        (
            (("Profissional", "Horas", "Valor Hora"), ("João", 160.0, 100.0), 1_600_000),
            (("Royalties", "Fundo de Propaganda", "Total"), (1_000.0, 100.0, 1_100.0), 110_000),
            (("Valor US$", "Câmbio", "Valor R$"), (100.0, 5.5, 550.0), 55_000),
            (("Valor Apresentado", "Glosa", "Valor a Faturar"), (550.0, 50.0, 500.0), 50_000),
        )
    ):
        content = table([doc(1), "Ana Ltda", *cells], head=["CNPJ", "Cliente", *head])
        yield Habit(f"trade_{number}", content, "a.xlsx", {2: bill(cents)})


def _two_documents() -> Iterator[Habit]:
    remarks = ("column.either_document",)
    company, person = {"document": doc(1).translate(_BARE)}, {"document": cpf(2).translate(_BARE)}
    for number, (first, second) in enumerate(
        (("CPF", "CNPJ"), ("CNPJ", "CPF"), ("CPF do Cliente", "CNPJ do Cliente"), ("CNPJ Tomador", "CPF Tomador"))
    ):
        head = [first, second, *HEAD[1:]]

        def row(cpf_cell, cnpj_cell, name, first=first):
            pair = (cpf_cell, cnpj_cell) if first.startswith("CPF") else (cnpj_cell, cpf_cell)
            return [*pair, name, "Consultoria", 10.0]

        content = xlsx(
            head,
            row(None, doc(1), "Ana Ltda"),
            row(cpf(2), None, "Ana Lima"),
            row(cpf(2), doc(1), "Ana Lima"),
            row("não tem", doc(1), "Ana Ltda"),
            row("111.111.111-11", doc(1), "Ana Ltda"),
            row(cpf(2), "a definir", "Ana Lima"),
            row(None, None, "Ana Lima"),
            row("123", "-", "Ana Lima"),
        )
        rows: dict[int, Expectation] = {
            2: bill(1_000, **company), 3: bill(1_000, **person), 4: ask("document.two"), 5: bill(1_000, **company),
            6: bill(1_000, **company), 7: bill(1_000, **person), 8: ask("document.missing"), 9: ask("document.length"),
        }  # fmt: skip
        yield Habit(f"cpf_and_cnpj_{number}", content, "a.xlsx", rows, remarks=remarks)
    content = xlsx(["CPF do Sócio", *HEAD], [cpf(1), *good(1)])
    yield Habit("cpf_of_a_partner", content, "a.xlsx", {2: bill(10_001, document=doc(1).translate(_BARE))})
    content = table([f"{doc(1)} / {cpf(2)}", "Ana Ltda", "Consultoria", 10.0])
    yield Habit("two_documents_in_one_cell", content, "a.xlsx", {2: ask("document.two")})


def _two_header_rows() -> Iterator[Habit]:
    line = ["Ana Ltda", doc(1), "Consultoria", 100.0, 90.0]
    for number, (party, amounts, gross) in enumerate(
        (("Cliente", "Valores", "Bruto"), ("Dados do Tomador", "Valor (R$)", "Bruto"), ("Tomador", "Valor", "Total"))
    ):
        content = xlsx([party, None, "Modelo", amounts, None], ["Nome", "CNPJ", None, gross, "Líquido"], line)
        rows = {3: bill(10_000, name="Ana Ltda")}
        yield Habit(f"groups_above_headers_{number}", content, "a.xlsx", rows, remarks=("column.ignored",))

    def merge(sheet, _):
        sheet.merge_range("A1:B1", "Cliente")
        sheet.merge_range("C1:C2", "Modelo")
        sheet.merge_range("D1:E1", "Valores")

    head = (["Cliente", None, "Modelo", "Valores", None], ["Nome", "CNPJ", None, "Bruto", "Líquido"])
    content = xlsx(*head, line, dress=merge)
    yield Habit("groups_merged_above_headers", content, "a.xlsx", {3: bill(10_000, name="Ana Ltda")})


def _below_the_total() -> Iterator[Habit]:
    one, remarks = {2: bill(10_001), 3: bill(10_002)}, ("sheet.notes_below",)
    total = ["TOTAL", None, None, 200.03]
    for number, below in enumerate(
        (
            (["ISS 5%", None, None, 10.0], ["PIS/COFINS", None, None, 7.3], ["Líquido a receber", None, None, 182.73]),
            ([None, None, "(-) ISS", 10.0], [None, None, "IRRF 1,5%", 3.0], [None, None, "Valor líquido", 187.03]),
            (["Retenções", "4,65%", None, 9.3], ["Total líquido", None, None, 190.73]),
            (["Qtde de notas", None, None, 2.0], ["Ticket médio", None, None, 100.02]),
        )
    ):
        content = xlsx(HEAD, good(1), good(2), total, *below)
        yield Habit(f"figures_below_the_total_{number}", content, "a.xlsx", one, remarks=remarks)
    content = xlsx(HEAD, good(1), good(2), total, ["Impostos do Brasil Ltda", None, "Consultoria", 10.0])
    yield Habit("customer_below_the_total", content, "a.xlsx", {**one, 5: ask("document.length")})


_BARE = str.maketrans("", "", "./-")
