"""Habits of amounts beside the columns that they were made from: prices, parts, discounts, totals of a month."""

from collections.abc import Iterator, Mapping
from typing import Final

from tests.corpus.habits import Expectation, Habit, ask, bill, doc
from tests.corpus.sheets import table, xlsx

_HELD: Final = ask("held.side_amount")
_PARTY: Final = ("Cliente", "CNPJ")
_SHEETS: Final[Mapping[str, tuple[tuple[str, ...], list[tuple[list[object], Expectation]]]]] = {
    "addition_beside_a_total": (("Valor", "Acréscimos", "Valor Total"), [
        ([100.0, 10.0, 110.0], bill(11_000)), ([200.0, 0.0, 200.0], bill(20_000)), ([300.0, 10.0, 300.0], _HELD)]),
    "sessions_value_total": (("Sessões", "Valor", "Total"), [
        ([3.0, 200.0, 600.0], bill(60_000)), ([4.0, 160.0, 600.0], _HELD)]),
    "quantity_left_out": (("Valor", "Qtd", "Total"), [
        ([100.0, 3.0, 300.0], bill(30_000)), ([100.0, 3.0, 100.0], _HELD), ([100.0, 1.0, 100.0], bill(10_000))]),
    "months_do_not_multiply": (("Meses", "Valor", "Valor Total"), [([12.0, 100.0, 1200.0], _HELD)]),
    "instalments_do_not_multiply": (("Parcelas", "Valor", "Total"), [([3.0, 100.0, 300.0], _HELD)]),
    "number_of_instalments": (("Qtd parcelas", "Valor", "Total"), [([3.0, 100.0, 300.0], _HELD)]),
    "fines_are_no_part": (("Mensalidade", "Multa", "Juros", "Valor Total"), [
        ([100.0, 2.0, 1.0, 103.0], _HELD), ([100.0, 0.0, 0.0, 100.0], bill(10_000))]),
    "expenses_are_no_part": (("Honorários", "Reembolso", "Total"), [
        ([4000.0, 350.0, 4350.0], _HELD), ([2800.0, 0.0, 2800.0], bill(280_000))]),
    "scholarship_within_what_is_paid": (("Mensalidade", "Bolsa", "Valor a pagar"), [
        ([1200.0, 0.0, 1200.0], bill(120_000)), ([1200.0, 0.5, 600.0], bill(60_000)), ([1200.0, 0.5, 900.0], _HELD)]),
    "tax_beside_what_is_paid": (("Valor", "Imposto", "Valor a pagar"), [([1000.0, 50.0, 950.0], _HELD)]),
    "taxes_within_a_total": (("Honorários", "PIS", "COFINS", "Total da nota"), [
        ([1000.0, 6.5, 30.0, 963.5], _HELD), ([1000.0, 6.5, 0.0, 993.5], _HELD),
        ([1000.0, 0.0, 0.0, 1000.0], bill(100_000))]),
    "deposit_within_a_total": (("Honorários", "Sinal pago", "Total da conta"), [([1000.0, 300.0, 700.0], _HELD)]),
    "retention_of_a_measurement": (("Medição", "Retenção técnica", "Valor a faturar"), [
        ([1000.0, 50.0, 950.0], _HELD), ([2000.0, 0.0, 2000.0], bill(200_000))]),
    "security_of_a_measurement": (("Serviços executados", "Caução 5%", "Total"), [
        ([1000.0, 50.0, 950.0], _HELD), ([2000.0, 0.0, 2000.0], bill(200_000))]),
    "older_balance_alone": (("Saldo anterior", "Total da nota"), [
        ([100.0, 1100.0], _HELD), ([0.0, 2000.0], bill(200_000))]),
    "older_price_alone": (("Valor anterior", "Total"), [([300.0, 320.0], bill(32_000))]),
    "taxes_paid_for_a_customer": (("Impostos e taxas pagos", "Honorários", "Total da fatura"), [
        ([300.0, 900.0, 1200.0], _HELD), ([0.0, 700.0, 700.0], bill(70_000))]),
    "deposit_within_the_whole": (("Valor total", "Sinal pago (50%)", "Restante"), [([1000.0, 500.0, 500.0], _HELD)]),
    "part_of_another_party": (("Valor arrematado", "Comissão do leiloeiro", "Líquido ao comitente"), [
        ([1000.0, 100.0, 900.0], _HELD)]),
    "labour_is_a_part": (("Salários e encargos", "Taxa de administração", "Valor total"), [
        ([9000.0, 900.0, 9900.0], bill(990_000)), ([6000.0, 600.0, 6600.0], bill(660_000))]),
    "deposit_and_balance": (("Valor contrato", "Sinal pago", "Saldo a faturar"), [
        ([10_000.0, 3_000.0, 7_000.0], bill(700_000)), ([5_000.0, 2_500.0, 2_500.0], bill(250_000))]),
    "discount_in_percent_within": (("Valor tabela", "Desc %", "Valor"), [
        ([100.0, 0.1, 90.0], bill(9_000)), ([200.0, 0.0, 200.0], bill(20_000)), ([300.0, 0.1, 300.0], _HELD)]),
    "discount_of_the_invoice_stays": (("Mensalidade", "Desconto", "Valor a pagar"), [
        ([1000.0, 100.0, 900.0], bill(100_000, unconditioned_discount_cents=10_000)),
        ([1000.0, 100.0, 950.0], _HELD)]),
    "discount_taken_off_once": (("Valor tabela", "Desconto", "Valor"), [
        ([100.0, 10.0, 90.0], bill(9_000, "amount.discount_within", unconditioned_discount_cents=None))]),
    "discount_in_quantity_times_price": (("Qtd licenças", "Preço unitário", "Desconto", "Valor total"), [
        ([10.0, 100.0, 100.0, 900.0], bill(90_000, "amount.discount_within", unconditioned_discount_cents=None)),
        ([10.0, 50.0, 0.0, 500.0], bill(50_000)), ([3.0, 100.0, 0.0, 350.0], ask("amount.product_differs"))]),
    "learned_parts": (("Taxa de administração", "Taxa extra", "Total"), [
        ([2200.0, 300.0, 2500.0], bill(250_000)), ([1800.0, None, 1800.0], bill(180_000)),
        ([1500.0, 200.0, 1600.0], _HELD)]),
    "contract_beside_the_month": (("Valor", "Valor mensal"), [([12_000.0, 1_000.0], _HELD)]),
    "instalment_beside_the_total": (("Valor total", "Nº parcelas", "Parcela atual", "Valor da parcela"), [
        ([3000.0, 6.0, "3/6", 500.0], _HELD), ([800.0, 1.0, "1/1", 800.0], bill(80_000))]),
    "total_of_the_month": (("Honorário mensal", "13º honorário", "Total nov/2026"), [
        ([1000.0, 500.0, 1500.0], _HELD), ([800.0, 0.0, 800.0], bill(80_000))]),
    "total_of_another_month": (("Valor", "Total out/2026"), [([1000.0, 900.0], bill(100_000))]),
    "royalties_of_a_turnover": (("Faturamento", "Royalties 6%", "FNP 2%"), [([100_000.0, 6_000.0, 2_000.0], _HELD)]),
    "fee_beside_a_turnover": (("Faturamento do cliente", "Honorário contábil"), [([90_000.0, 500.0], _HELD)]),
    "invoice_of_a_month": (("Plano base", "TB", "Preço por TB", "Consumo", "Fatura do mês"), [
        ([2000.0, 13.0, 50.0, 650.0, 2650.0], bill(265_000)), ([1000.0, 4.2, 50.0, 210.0, 1210.0], bill(121_000))]),
    "turnover_alone": (("Faturamento",), [([1_000.0], bill(100_000))]),
    "measured_part_of_a_project": (("Valor do projeto", "% medido no mês", "Valor medido"), [
        ([10_000.0, "30%", 3_000.0], bill(300_000)), ([20_000.0, "50%", 8_000.0], _HELD)]),
    "work_until_now_of_a_contract": (("Valor do contrato", "% concluído", "Valor executado"), [
        ([10_000.0, 60.0, 6_000.0], _HELD), ([8_000.0, 100.0, 8_000.0], bill(800_000))]),
    "month_beside_work_until_now": (("Valor total", "% acumulado", "Valor acumulado", "% no mês", "Valor no mês"), [
        ([10_000.0, 0.6, 6_000.0, 0.3, 3_000.0], bill(300_000))]),
    "guarantee_of_a_contract": (("Valor do contrato", "% garantia", "Garantia"), [
        ([10_000.0, "5%", 500.0], bill(1_000_000))]),
    "amount_below_the_number_of_an_invoice": (("Vidas ativas", "Valor por vida", "Fatura"), [
        ([40.0, 90.0, 3_600.0], bill(360_000, reference=None)), ([9.0, 90.0, 810.0], bill(81_000))]),
    "total_month": (("Mensalidade (R$)", "Impressões (R$)", "Total mês (R$)"), [
        ([1500.0, 130.0, 1630.0], bill(163_000)), ([500.0, 0.0, 500.0], bill(50_000)), ([500.0, 90.0, 500.0], _HELD)]),
    "taxes_within_a_total_month": (("Mensalidade (R$)", "IRRF (R$)", "Total mês (R$)"), [
        ([1000.0, 15.0, 985.0], _HELD)]),
    "abbreviated_fee": (("Unidades", "TX ADM"), [([58.0, 1450.0], bill(145_000))]),
    "work_done": (("Work done", "Total due (R$)"), [
        (["Hull painting", 9600.0], bill(960_000, description="Hull painting"))]),
    "question_with_the_words_of_a_description": (("Serviço executado?", "Valor"), [
        (["Sim", 100.0], bill(10_000, description=None)), (["Não", 200.0], ask("held.status"))]),
    "price_beside_a_commission": (("Preço da oferta", "Comissão"), [([497.0, 440.1], _HELD)]),
}  # fmt: skip


def habits() -> Iterator[Habit]:
    for name, (heads, lines) in _SHEETS.items():
        rows = [[f"Ana {number} Ltda", doc(number), *written] for number, (written, _) in enumerate(lines, start=1)]
        # the template stands last, where no title row could be mistaken for it
        content = table(*([*row, "Consultoria"] for row in rows), head=[*_PARTY, *heads, "Modelo"])
        yield Habit(name, content, "a.xlsx", {number: expected for number, (_, expected) in enumerate(lines, start=2)})
    groups = ("Cliente", None, "Valores", None, None, "Nota", "Modelo")
    content = xlsx(
        groups,
        ("Nome", "CNPJ", "Bruto", "Desc.", "Líquido", "Nº"),
        ("Ana Ltda", doc(1), 1000.0, 100.0, 900.0, None, "M"),
        ("Bia Ltda", doc(2), 1000.0, 0.0, 1000.0, 991.0, "M"),
    )
    expected = bill(100_000, unconditioned_discount_cents=10_000, description=None, number=None)
    yield Habit("abbreviations_below_groups", content, "a.xlsx", {3: expected, 4: ask("held.invoiced")})
