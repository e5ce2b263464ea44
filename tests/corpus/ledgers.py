"""Habits of ledgers and exports: entries that are no charge, contracts with an end, amounts beside the amount."""

from collections.abc import Iterator
from datetime import date

from connectors.spreadsheets.services import Defaults
from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, doc, good, text_of
from tests.corpus.sheets import html, table, xlsx
from tests.tasks.rows import RIO

_BILLED = {2: bill(10_001)}
_NO_MONTH = Defaults(emitter_cnpj=RIO)


def habits() -> Iterator[Habit]:
    yield from _entries()
    yield from _validity()
    yield from _beside_the_amount()
    yield from _notes()
    yield from _texts_between()
    yield from _dates()
    yield from _files()


def _column(name: str, header: str, cell: object, expected: Expectation, fine: object = None) -> Habit:
    """A column under which the first row says something harmless and the second one has `cell`."""
    content = table(good(1, fine), good(2, cell), head=[*HEAD, header])
    return Habit(name, content, "a.xlsx", _BILLED | {3: expected})


def _entries() -> Iterator[Habit]:
    held = ask("held.kind")
    for number, (header, fine, cell) in enumerate((
        ("Tipo de documento", "NFS-e", "Recibo"), ("Tipo de documento", "NFS-e", "Nota de débito"),
        ("Tipo de Documento", "Nota fiscal", "Fatura de locação"), ("Operação", "Serviço", "Estorno"),
        ("Operação", "Serviço", "Devolução"), ("Tipo", "Receita", "Despesa"), ("Tipo", "Receita", "Adiantamento"),
        ("D/C", "C", "D"), ("Natureza", "Crédito", "Débito"), ("Tipo de lançamento", "Serviço", "Repasse"),
        ("Tipo", "Serviço", "Produto"),
    )):  # fmt: skip
        yield _column(f"entry_of_another_kind_{number}", header, cell, held, fine)
    for number, cell in enumerate(("USD", "Euro", "US$")):
        yield _column(f"currency_column_{number}", "Moeda", cell, ask("held.currency"), "BRL")
    yield _column("currency_column_of_reais", "Moeda", "R$", bill(10_002), "Real")
    for number, cell in enumerate(("Sim", "Não", "X")):
        yield _column(f"yes_or_no_as_invoice_number_{number}", "NF", cell, ask("held.status"))
    for number, (header, cell) in enumerate(
        (("Aprovação", "pendente"), ("Conferido", "N"), ("Autorizado", "não"), ("Andamento", "cancelado"))
    ):
        yield _column(f"approval_column_{number}", header, cell, ask("held.status"), "Sim")
    yield _column("payment_on_a_day", "Data do pagamento", date(2026, 11, 5), ask("held.paid"))


def _validity() -> Iterator[Habit]:
    held = ask("held.validity")
    for number, (header, cell) in enumerate((
        ("Fim do contrato", date(2026, 9, 30)), ("Data da rescisão", "30/09/2026"), ("Data Fim", "10/2026"),
        ("Faturar a partir de", "01/2027"), ("Carência até", "31/12/2026"), ("Início do Contrato", "01/12/2026"),
        ("Faturar em", "05/12/2026"), ("Validade da proposta", "30/09/2026"),
    )):  # fmt: skip
        yield _column(f"month_outside_of_contract_{number}", header, cell, held)
    for number, (header, cell) in enumerate((
        ("Fim do contrato", "30/11/2026"), ("Fim do contrato", "indeterminado"), ("Data Início", "20/11/2026"),
        ("Faturar em", "30/11/2026"), ("Carência até", "-"),
    )):  # fmt: skip
        yield _column(f"month_within_contract_{number}", header, cell, bill(10_002))
    content = table(good(1, "12/2025", "11/2025"), head=[*HEAD, "Fim do contrato", "Competência"])
    yield Habit("contract_compared_with_the_rows_month", content, "a.xlsx", _BILLED, defaults=_NO_MONTH)


def _beside_the_amount() -> Iterator[Habit]:
    held = ask("held.side_amount")
    for number, (header, cell) in enumerate((
        ("Desconto (%)", 10.0), ("Desconto (%)", "15%"), ("Créditos", 300.0), ("Acréscimo", "R$ 50,00"),
        ("Glosa", 12.5), ("Adicional noturno", 80.0),
    )):  # fmt: skip
        yield _column(f"unread_amount_{number}", header, cell, held, 0.0)
    head = ["CNPJ/CPF", "Razão Social", "Modelo", "Adicional", "Total a Faturar"]
    content = table([doc(1), "Tomador 1 Ltda", "Consultoria", 20.0, 120.0], head=head)
    yield Habit("addition_within_the_total", content, "a.xlsx", {2: bill(12_000)})
    for number, header in enumerate(("Reembolso de despesas", "Mídia (repasse)")):
        head = ["CNPJ/CPF", "Razão Social", "Modelo", header, "Total"]
        rows = [
            [doc(1), "Tomador 1 Ltda", "Consultoria", 0.0, 100.01],
            [doc(2), "Bia Ltda", "Consultoria", 20.0, 120.0],
        ]
        yield Habit(f"passed_on_within_the_total_{number}", table(*rows, head=head), "a.xlsx", _BILLED | {3: held})
    head = ["CNPJ/CPF", "Razão Social", "Modelo", "Out/26", "Nov/26", "Total"]
    content = table([doc(1), "Tomador 1 Ltda", "Consultoria", 100.0, 110.0, 210.0], head=head)
    yield Habit("total_of_several_months", content, "a.xlsx", {2: held})
    for number, header in enumerate(("Valor corrigido", "Novo valor", "Valor com desconto", "Valor negociado")):
        content = table(good(1, 100.01), good(2), good(3, 110.0), head=[*HEAD, header])
        expected: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002), 4: held}
        yield Habit(f"another_amount_beside_{number}", content, "a.xlsx", expected)
    for number, header in enumerate(("% a faturar", "Rateio")):
        yield _column(f"share_of_the_amount_{number}", header, 0.5, held, 1.0)
    for number, dash in enumerate(("-", "não tem")):
        content = table(good(1, dash), head=[*HEAD, "Desconto"])
        yield Habit(f"dash_for_no_discount_{number}", content, "a.xlsx", {2: bill(10_001, "row.says_nothing")})
    content = table(good(1, 11.0, "Ana"), head=[*HEAD, "Mês do reajuste", "Cartão de crédito"])
    yield Habit("figures_that_change_no_amount", content, "a.xlsx", _BILLED)


def _notes() -> Iterator[Habit]:
    held = ask("held.notes")
    for number, text in enumerate(
        ("NF já foi", "duplicado", "substituir nota 45", "tirar", "favor desconsiderar", "não renovou", "lançado 2x")
    ):
        yield _column(f"note_in_other_words_{number}", "Comentário", text, held, "cliente desde 2019")
    yield _column("note_about_sending", "Obs", "não precisa enviar por e-mail", bill(10_002))
    yield _column("reason_column_is_no_description", "Motivo", "não renovou", held, "troca de plano")
    content = table(good(1, *[None] * 6, "não faturar"), good(2))
    yield Habit("note_far_to_the_right", content, "a.xlsx", {2: held, 3: bill(10_002)})


def _texts_between() -> Iterator[Habit]:
    for number, title in enumerate(("Próximo mês", "Pendentes:", "Simulação")):
        content = table(good(1), [], [title], good(2))
        yield Habit(f"section_for_later_{number}", content, "a.xlsx", _BILLED | {5: ask("held.section")})
    for number, title in enumerate(("ORÇAMENTO 2027", "Contas a pagar - novembro/2026")):
        content = xlsx([title], HEAD, good(1))
        yield Habit(f"title_of_no_charges_{number}", content, "a.xlsx", {3: ask("held.section")})
    content = table(good(1), head=["CNPJ", "Fornecedor", "Modelo", "Valor"])
    yield Habit("list_of_suppliers", content, "a.xlsx", {2: ask("held.section")})
    content = table(good(1), dress=lambda sheet, _: sheet.write_comment("D1", "valores em dólar"))
    yield Habit("unit_in_a_comment_on_the_header", content, "a.xlsx", {2: ask("held.unit")})
    content = table(good(1), dress=lambda sheet, _: sheet.write_comment("D1", "não emitir sem o valor"))
    yield Habit("advice_in_a_comment_on_the_header", content, "a.xlsx", _BILLED)
    content = table(good(1), ["Pendentes de faturamento"], good(2))
    yield Habit("section_to_bill", content, "a.xlsx", {2: bill(10_001), 4: bill(10_002)}, remarks=("sheet.titles",))
    for number, title in enumerate(("A FATURAR", "Notas a emitir", "Faturar em 11/2026:")):
        content = xlsx(["Cliente", "CNPJ", "Valor"], [title], ["Ana Ltda", doc(1), 100.01])
        yield Habit(f"heading_among_names_{number}", content, "a.xlsx", {3: bill(10_001)}, remarks=("sheet.titles",))
    content = xlsx(["Cliente", "CNPJ", "Valor"], ["Faturar Assessoria"], ["Ana Ltda", doc(1), 100.01])
    yield Habit("name_like_a_heading", content, "a.xlsx", {2: ask("document.missing"), 3: bill(10_001)})
    content = table(good(1), good(2), [], ["* Tomador 2: aguardar autorização"])
    remarks = ("sheet.titles_say_no",)
    yield Habit("remark_below_the_lines", content, "a.xlsx", {2: bill(10_001), 3: ask("held.named")}, remarks=remarks)
    content = table(good(1), good(2), [None, "TOTAL", None, 200.03], [], ["Obs: não faturar o Tomador 1 este mês"])
    remarks = ("sheet.notes_below_say_no",)
    yield Habit("remark_below_the_total", content, "a.xlsx", {2: ask("held.named"), 3: bill(10_002)}, remarks=remarks)


def _dates() -> Iterator[Habit]:
    rows = [good(1, "11/30/2026"), good(2, "10/11/2026"), good(3, "11/11/2026")]
    expected: dict[int, Expectation] = {2: ask("competence.unreadable"), 3: ask("date.month_first"), 4: bill(10_003)}
    content = table(*rows, head=[*HEAD, "Competência"])
    yield Habit("months_before_days", content, "a.xlsx", expected, defaults=_NO_MONTH)
    for number, text in enumerate(("NOV2026", "nov'26", "1º/11/2026", "01/11 a 30/11/2026", "112026", "novembro2026")):
        content = table(good(1, text), head=[*HEAD, "Competência"])
        yield Habit(f"month_in_short_{number}", content, "a.xlsx", _BILLED, defaults=_NO_MONTH)
    content = table(good(1, "Nov 2026"), head=["Tax ID", "Customer", "Modelo", "Amount", "Month"])
    yield Habit("english_month", content, "a.xlsx", _BILLED, defaults=_NO_MONTH)


def _files() -> Iterator[Habit]:
    damaged = ask("text.damaged")
    for number, text in enumerate(("ManutenÃ§Ã£o mensal", "Manuten��o", "Manuten??o", "Manuten‡Æo", "Servi?o")):
        rows: list[list[object]] = [
            [*HEAD, "Descricao"],
            good(1, text),
            good(2, "Suporte; veja https://casa.example/?id=3"),
        ]
        values: dict[int, Expectation] = {2: damaged, 3: bill(10_002)}
        yield Habit(f"description_that_lost_letters_{number}", text_of(rows, separator="\t").encode(), "a.csv", values)
    shown = html([HEAD, good(1), good(2)]).replace(
        b"<tr><td>" + doc(2).encode(), b"<tr style='display: none'><td>" + doc(2).encode()
    )
    yield Habit("hidden_row_of_html", shown, "a.xls", _BILLED | {3: ask("row.hidden")})
    content = table(good(1), shaped={"D2": (1_234_567.0, "#,##0,")})
    yield Habit("amount_shown_in_thousands", content, "a.xlsx", {2: bill(123_456_700, "amount.shown_rounded")})
    content = table([doc(1).replace("/", "\u2215"), "Tomador 1 Ltda", "Consultoria", 100.01])
    yield Habit("document_with_another_slash", content, "a.xlsx", _BILLED)
    for number, text in enumerate(("20010 - 000", "CEP 20010-000", "cep: 20010000")):
        content = table(good(1, text), head=[*HEAD, "CEP"])
        yield Habit(f"postal_code_in_words_{number}", content, "a.xlsx", {2: bill(10_001, zip_code="20010000")})
    content = table(good(1, "2001000", "RJ"), good(2, "1310100", "SP"), head=[*HEAD, "CEP", "UF"])
    expected = {2: bill(10_001, "row.zip_state"), 3: bill(10_002, zip_code="01310100")}
    yield Habit("postal_code_with_a_lost_zero", content, "a.xlsx", expected)
    for number, text in enumerate(("Retido", "Não retido")):
        content = table(good(1, text), head=[*HEAD, "ISS Retido"])
        yield Habit(f"retained_in_words_{number}", content, "a.xlsx", {2: bill(10_001, retained_iss=not number)})
    content = table(good(1), head=["CNPJ Tom.", "Razao Soc.", "Modelo", "Vl. Tot. Serv."])
    yield Habit("short_headers", content, "a.xlsx", _BILLED)
