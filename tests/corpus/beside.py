"""Habits beside the rows: taxes by their bare names, rows about other rows, months and other customers in columns."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, good
from tests.corpus.sheets import table, xlsx


def habits() -> Iterator[Habit]:
    yield from _taxes()
    yield from _linked()
    yield from _judged()


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
    told = ("sheet.total_differs",)
    yield Habit("wrong_total_above_the_rows", content, "a.xlsx", {3: bill(10_001), 4: bill(10_002)}, told=told)


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
