"""Habits beside the rows: taxes by their bare names, rows about other rows, months and other customers in columns."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, good
from tests.corpus.sheets import table


def habits() -> Iterator[Habit]:
    yield from _taxes()


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
