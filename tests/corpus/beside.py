"""Habits beside the rows: taxes by their bare names, rows about other rows, months and other customers in columns."""

import dataclasses
from collections.abc import Iterator
from datetime import date

from tests.corpus.habits import HEAD, USUAL, Expectation, Habit, ask, bill, doc, good
from tests.corpus.sheets import table, xlsx


def habits() -> Iterator[Habit]:
    yield from _taxes()
    yield from _linked()
    yield from _judged()
    yield from _customers()
    yield from _words()


def _taxes() -> Iterator[Habit]:
    head = [*HEAD, "IRRF", "PIS", "COFINS", "CSLL", "Valor Líquido"]
    content = table(good(1, 15.0, 6.5, 30.0, 10.0, 938.5, cents=100_000), head=head)
    amounts = bill(100_000, ir_cents=1_500, pis_cents=650, cofins_cents=3_000, csll_cents=1_000)
    yield Habit("taxes_by_name_in_reais", content, "a.xlsx", {2: amounts})
    content = table(good(1, 1.5, 0.65, 3.0, 1.0, 938.5, cents=100_000), head=head)
    yield Habit(
        "taxes_by_name_as_rates",
        content,
        "a.xlsx",
        {2: bill(100_000, ir_bp=150, pis_bp=65, cofins_bp=300, csll_bp=100)},
    )
    rows = [good(1, 20.0, cents=100_000), good(2, 5.0, cents=100_000), good(3, "2,9%", cents=100_000)]
    rows += [good(4, 2.0, cents=10_000), good(5, None, cents=100_000), good(6, 0.0, cents=100_000)]
    rows += [good(7, "Isento", cents=100_000), good(8, "-", cents=100_000), good(9, 77.0, cents=100_000)]
    expected: dict[int, Expectation] = {
        2: bill(100_000, iss_cents=2_000),
        3: bill(100_000, iss_bp=500),
        4: bill(100_000, iss_bp=290),
    }
    expected |= {5: bill(10_000, iss_cents=200), 6: bill(100_000, iss_cents=None), 7: bill(100_000, iss_cents=None)}
    expected |= {8: ask("amount.unreadable"), 9: bill(100_000, iss_cents=None), 10: bill(100_000, iss_cents=7_700)}
    yield Habit("iss_by_name_in_both_ways", table(*rows, head=[*HEAD, "ISS"]), "a.xlsx", expected)
    rates = [good(1, "0,05"), good(2, 0.03), good(3, 3.0), good(4, "5%")]
    expected = {
        2: bill(10_001, "amount.rate_of_fraction", iss_bp=500),
        3: bill(10_002, "amount.rate_of_fraction", iss_bp=300),
        4: bill(10_003, iss_bp=300),
        5: bill(10_004, iss_bp=500),
    }
    yield Habit("rates_as_fractions", table(*rates, head=[*HEAD, "Alíquota ISS (%)"]), "a.xlsx", expected)
    head = [*HEAD, "ISS 5%", "INSS Retido (11%)", "CSRF (4,65%)"]
    content = table(good(1, 50.0, 110.0, 46.5, cents=100_000), head=head)
    taxes = bill(100_000, iss_cents=5_000, inss_cents=11_000, pcc_cents=4_650)
    yield Habit("rate_in_the_header_of_a_tax", content, "a.xlsx", {2: taxes})


def _linked() -> Iterator[Habit]:
    held, refused = ask("held.credit"), ask("amount.not_positive")
    head = [*HEAD, "Descrição"]
    rows = [good(1, "Mensalidade"), good(2, "Mensalidade"), good(1, "Crédito de outubro", cents=-2_000)]
    yield Habit("credit_of_a_customer", table(*rows, head=head), "a.xlsx", {2: held, 3: bill(10_002), 4: refused})
    below: list[object] = [None, None, None, "-R$ 20,00", "(-) Desconto"]
    content = table(good(1, "Suporte"), below, good(2, "Suporte"), head=head)
    yield Habit("discount_below_its_item", content, "a.xlsx", {2: held, 3: refused, 4: bill(10_002)})
    content = table(good(1, "S"), good(1, "N", cents=-2_000), head=[*HEAD, "Faturar"])
    yield Habit("credit_that_a_person_settled", content, "a.xlsx", {2: bill(10_001, "row.released"), 3: refused})
    for number, (mark, text) in enumerate((
        (" (*)", "(*) aguardar assinatura do contrato"), ("**", "** não faturar"), (" #", "# = suspenso"),
        (" (1)", "(1) cancelar"), ("¹", "¹ aguardando aprovação"),
    )):  # fmt: skip
        marked = [*good(1)[:1], f"Tomador 1 Ltda{mark}", *good(1)[2:]]
        content = xlsx(HEAD, marked, good(2), ["TOTAL", None, None, 200.03], [], [text])
        expected: dict[int, Expectation] = {2: ask("held.footnote"), 3: bill(10_002)}
        yield Habit(f"footnote_by_its_mark_{number}", content, "a.xlsx", expected)
    marked = [*good(1)[:1], "Tomador 1 Ltda **", *good(1)[2:]]
    content = xlsx(HEAD, marked, good(2), ["TOTAL", None, None, 200.03], [], ["* não faturar"], ["** cliente novo"])
    yield Habit("footnote_of_another_mark", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = xlsx(HEAD, ["TOTAL", None, None, 200.03], good(1), good(2))
    yield Habit("total_above_the_rows", content, "a.xlsx", {3: bill(10_001), 4: bill(10_002)})
    content = xlsx(HEAD, ["TOTAL", None, None, 300.03], good(1), good(2))
    remarks = ("sheet.total_differs",)
    yield Habit("wrong_total_above_the_rows", content, "a.xlsx", {3: bill(10_001), 4: bill(10_002)}, remarks=remarks)


def _judged() -> Iterator[Habit]:
    for number, (before, asked) in enumerate((
        ("NF Out/26", "NF Nov/26"), ("Nº NFS-e 10/2026", "Nº NFS-e 11/2026"), ("Nota Outubro", "Nota Novembro"),
        ("Emitida out/26", "Emitida nov/26"),
    )):  # fmt: skip
        content = table(good(1, 901.0, None), good(2, 902.0, 955.0), head=[*HEAD, before, asked])
        held = ask("held.invoiced", "held.billed")
        yield Habit(f"invoice_number_of_the_month_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    for number, (header, ours, other) in enumerate((
        ("Natureza", "A receber", "A pagar"), ("Conta", "Contas a Receber", "Contas a Pagar"),
        ("Categoria", "Receita de Serviços", "Pagamento de Fornecedores"), ("Plano de Contas", "Vendas", "Empréstimos"),
    )):  # fmt: skip
        content = table(good(1, ours), good(2, other), head=[*HEAD, header])
        yield Habit(f"what_the_company_pays_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.kind")})


def _customers() -> Iterator[Habit]:
    for number, header in enumerate(("CNPJ Faturamento", "CNPJ p/ NF", "CNPJ/CPF para Nota")):
        rows = [good(1, doc(1)), good(2, doc(5)), good(3, None), good(4, "o mesmo")]
        expected: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.other_document")}
        expected |= {4: bill(10_003), 5: bill(10_004)}
        yield Habit(f"document_to_bill_{number}", table(*rows, head=[*HEAD, header]), "a.xlsx", expected)
    for number, other in enumerate(("Pagador", "Destinatário", "Sacado")):
        head = ["CNPJ Tomador", "Tomador", "Modelo", "Valor", f"CNPJ {other}", other]
        content = table(good(1, doc(1), "Tomador 1 Ltda"), good(2, doc(6), "Tomador 6 Ltda"), head=head)
        expected = {2: bill(10_001, name="Tomador 1 Ltda"), 3: bill(10_002, name="Tomador 2 Ltda")}
        yield Habit(f"taker_beside_another_party_{number}", content, "a.xlsx", expected)


def _words() -> Iterator[Habit]:
    held = ask("held.notes")
    for number, text in enumerate((
        "pró-rata 10 dias: faturar 1.000,00", "Proporcional a 12 dias", "NF com retenção de 11% INSS", "reter ISS",
        "ligar antes de emitir", "avisar a Ana antes", "valor mudou, ver e-mail", "dar 10% de desconto",
        "cobrar R$ 350,00",
    )):  # fmt: skip
        content = table(good(1), good(2, text), head=[*HEAD, "Obs"])
        yield Habit(f"note_of_another_charge_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    for number, text in enumerate((
        "não reter ISS", "sem retenção de impostos", "enviar antes do dia 10", "contrato desde 01/2024, 12 parcelas",
    )):  # fmt: skip
        content = table(good(1), good(2, text), head=[*HEAD, "Obs"])
        yield Habit(f"note_of_the_same_charge_{number}", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    held = ask("held.side_amount")
    for number, header in enumerate(("Valor Pro Rata", "Valor Proporcional", "Pró-rata (R$)")):
        content = table(good(1, 100.01), good(2, None), good(3, 40.0), head=[*HEAD, header])
        expected: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002), 4: held}
        yield Habit(f"share_of_a_month_{number}", content, "a.xlsx", expected)
    for number, header in enumerate(("Adiantamento", "Sinal")):
        content = table(good(1, None), good(2, 30.0), head=[*HEAD, header])
        yield Habit(f"paid_in_advance_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    for number, (yes, no) in enumerate((("☑", "☐"), ("✓", "✗"), ("✔️", "❌"), ("[x]", "[ ]"), ("(X)", "( )"))):
        content = table(good(1, yes), good(2, no), head=[*HEAD, "Faturar"])
        yield Habit(f"check_mark_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("row.not_wanted")})
    november = date(2026, 11, 1)
    for number, text in enumerate(("Novembro", "nov", "01 a 30/11/2026", "1 a 30 de novembro de 2026")):
        content = table(good(1, text), head=[*HEAD, "Competência"])
        yield Habit(f"month_as_people_say_it_{number}", content, "a.xlsx", {2: bill(10_001, competence=november)})
    for number, text in enumerate(("dezembro", "25 a 24/11/2026", "15/10 a 14/11/2026")):
        content = table(good(1, text), head=[*HEAD, "Competência"])
        yield Habit(
            f"month_that_is_another_{number}",
            content,
            "a.xlsx",
            {2: ask("competence.unreadable", "competence.no_year")},
        )
    head = ["CNPJ/CPF", "Razão Social", "Modelo", "Horas (h)", "Valor/hora (R$)", "Total (R$)"]
    rows = [[doc(n), f"Tomador {n} Ltda", "Consultoria", 3.0, 100.0, total] for n, total in ((1, 300.0), (2, 350.0))]
    expected = {2: bill(30_000), 3: ask("amount.product_differs")}
    yield Habit("units_in_headers", table(*rows, head=head), "a.xlsx", expected)
    content = table(good(1, date(2026, 11, 20)), good(2, date(2026, 12, 1)), head=[*HEAD, "Início"])
    yield Habit("bare_start", content, "a.xlsx", {2: bill(10_001), 3: ask("held.validity")})
    run = dataclasses.replace(USUAL, template_name="Mensalidade")
    for number, (header, otherwise) in enumerate(
        (("Plano", "Mensalidade"), ("Produto", "Mensalidade"), ("Modelo", None))
    ):
        content = table(good(1), head=["CNPJ/CPF", "Razão Social", header, "Valor"])
        billed = bill(10_001, template_name="Consultoria", template_otherwise=otherwise)
        yield Habit(f"template_or_plan_{number}", content, "a.xlsx", {2: billed}, defaults=run)
    content = table(good(1, "RJX1A23"), head=["CNPJ/CPF", "Razão Social", "Modelo", "Valor", "Placa"])
    billed = bill(10_001, template_name="Consultoria", template_otherwise="Mensalidade")
    yield Habit("model_of_a_car", content, "a.xlsx", {2: billed}, defaults=run)
