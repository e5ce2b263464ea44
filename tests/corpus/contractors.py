"""Habits of those who sell hours, posts and usage, and of the programs of their salespeople."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from connectors.spreadsheets.services import Defaults
from tests.corpus.habits import NOVEMBER, Expectation, Habit, ask, bill, cpf, doc, good, text_of
from tests.corpus.sheets import table, xlsx
from tests.tasks.rows import RIO

_USUAL: Final = Defaults(emitter_cnpj=RIO, competence=NOVEMBER, template_name="Honorários")
_SIDE: Final = ask("held.side_amount")
_STATUS: Final = ask("held.status")
_MONTH: Final = ask("held.validity")
_NOTES: Final = ask("held.notes")
_ORANGE: Final = "#FFC000"
"""The standard orange of office programs, whose hue is that of yellow."""
_PARTY: Final = ("Cliente", "CNPJ")

_SHEETS: Final[Mapping[str, tuple[tuple[object, ...], list[tuple[list[object], Expectation]]]]] = {
    "extra_hours_at_their_price": (("Horas", "Valor/hora", "HE", "Valor HE", "Total"), [
        ([160.0, 100.0, 5.0, 160.0, 16_800.0], bill(1_680_000)),
        ([160.0, 100.0, 0.0, 150.0, 16_000.0], bill(1_600_000)),
        ([80.0, 105.0, None, None, 8400.0], bill(840_000)), ([100.0, 90.0, 10.0, 135.0, 9000.0], _SIDE)]),
    "extra_hours_without_a_total": (("Qtd Horas", "Valor Unitário", "Horas Extras (50%)"), [
        ([160.0, 100.0, 0.0], bill(1_600_000)), ([80.0, 110.0, 10.0], _SIDE)]),
    "hours_by_day": ((1.0, 2.0, 3.0, "Total horas", "Valor hora", "Valor total"), [
        ([8.0, 8.0, 8.0, 24.0, 100.0, 2400.0], bill(240_000)), ([8.0, 8.0, None, 16.0, 100.0, 1600.0], bill(160_000)),
        ([8.0, 8.0, None, 40.0, 100.0, 4000.0], _SIDE)]),
    "two_kinds_of_shifts": (("Plantões 12h", "Vlr 12h", "Plantões 24h", "Vlr 24h", "Total"), [
        ([4.0, 1300.0, 1.0, 2600.0, 7800.0], bill(780_000)), ([4.0, 1300.0, None, None, 5200.0], bill(520_000)),
        ([4.0, 1300.0, 2.0, 2600.0, 7800.0], _SIDE)]),
    "allowance_and_excess": (("Franquia", "Valor franquia", "Impressas", "Excedente", "R$/pág exced.", "Total"), [
        ([1000.0, 300.0, 900.0, 0.0, 0.1, 300.0], bill(30_000)),
        ([1000.0, 300.0, 1500.0, 500.0, 0.1, 350.0], bill(35_000)),
        ([1000.0, 300.0, 1500.0, 500.0, 0.1, 300.0], _SIDE)]),
    "plan_and_rooms": (("Plano mensal", "Horas sala", "Valor hora sala", "Extras (impressão)", "Total do mês"), [
        ([900.0, 2.0, 40.0, 10.0, 990.0], bill(99_000)), ([900.0, 0.0, 40.0, 0.0, 900.0], bill(90_000)),
        ([900.0, 5.0, 40.0, 0.0, 900.0], _SIDE)]),
    "disallowed_part_and_an_odd_base": (("Valor mensal do contrato", "Glosa (faltas)", "Valor a faturar"), [
        ([10_000.0, 0.0, 10_000.0], bill(1_000_000)), ([10_000.0, 500.0, 9500.0], bill(950_000)),
        ([10_000.0, 500.0, 10_000.0], _SIDE)]),
    "usage_in_dollars_at_a_rate": (("Consumo (USD)", "PTAX", "Valor (R$)"), [
        ([100.0, 5.25, 525.0], bill(52_500)), ([202.0, 5.25, 1060.5], bill(106_050)), ([100.0, 5.25, 100.0], _SIDE)]),
    "share_within_the_total": (("Proveito econômico", "% êxito", "Honorários de êxito", "Custas", "Total a cobrar"), [
        ([100_000.0, 0.2, 20_000.0, 0.0, 20_000.0], bill(2_000_000)),
        ([50_000.0, 0.2, 10_000.0, 850.0, 10_850.0], _SIDE),
        ([50_000.0, 0.3, 10_000.0, 0.0, 10_000.0], _SIDE)]),
    "services_in_columns": (("Hospedagem", "Licença", "Suporte", "Total Geral"), [
        ([100.0, 200.0, 300.0, 600.0], bill(60_000)), ([None, 200.0, 300.0, 500.0], bill(50_000)),
        ([100.0, 200.0, 300.0, 500.0], _SIDE)]),
    "share_of_a_common_expense": (("Rateio %", "Despesa total", "Valor rateado"), [
        ([0.4, 10_000.0, 4000.0], bill(400_000)), ([0.35, 10_000.0, 3500.0], bill(350_000)),
        ([0.25, 10_000.0, 3500.0], _SIDE)]),
    "readjusted_price_and_its_month": (("Valor anterior", "IGP-M (%)", "Valor reajustado", "Vigência do reajuste"), [
        ([1000.0, 4.5, 1045.0, "nov/26"], bill(104_500)), ([2000.0, 4.5, 2090.0, "10/2026"], bill(209_000)),
        ([1000.0, 4.5, 1045.0, "dez/26"], _MONTH), ([1000.0, 4.5, 1450.0, "nov/26"], _SIDE)]),
    "readjustment_of_the_month": (("Mensalidade", "Reajuste IPCA nov/26"), [
        ([1000.0, 0.045], _SIDE), ([2000.0, None], bill(200_000))]),
    "count_and_price_of_one": (("Qtd. Consultas", "Valor da Consulta"), [([4.0, 150.0], bill(60_000))]),
    "price_and_number_of_a_paper": (("Nº Título", "Valor do Título"), [([123.0, 3500.0], bill(350_000))]),
    "amounts_with_their_unit": (("Total de horas", "Taxa hora (R$)", "Valor a faturar (R$)"), [
        (["151:15", 100.0, 15_125.0], bill(1_512_500)), (["76:30", 100.0, 7630.0], ask("amount.product_differs"))]),
    "pauses_with_their_days": (("Mensalidade", "Trancado de", "Trancado até"), [
        ([129.9, None, None], bill(12_990)), ([129.9, date(2026, 11, 1), date(2026, 12, 31)], _MONTH),
        ([129.9, date(2026, 6, 1), date(2026, 8, 31)], bill(12_990)), ([129.9, date(2026, 10, 15), None], _MONTH)]),
    "free_until_the_end_of_the_month": (("Valor", "Carência até"), [
        ([150.0, date(2026, 11, 30)], _MONTH), ([150.0, date(2026, 10, 31)], bill(15_000)),
        ([150.0, date(2026, 11, 1)], bill(15_000))]),
    "approved_by_a_tick": (("Valor", "Liberado"), [
        ([500.0, "✓"], bill(50_000)), ([600.0, "✗"], _STATUS), ([800.0, None], _STATUS)]),
    "instalments_and_how_many": (("Valor", "Parcela"), [
        ([100.0, "3/10"], bill(10_000)), ([200.0, "2/2"], bill(20_000)), ([300.0, "6/5"], _NOTES)]),
    "standing_of_another_paper": (("Valor", "Situação do empenho"), [
        ([100.0, "Emitido"], bill(10_000)), ([200.0, "Anulado"], _STATUS), ([300.0, "Aguardando empenho"], _STATUS)]),
    "back_from_a_pause": (("Valor", "Trancado em", "Retorno em"), [
        ([100.0, date(2026, 3, 1), date(2026, 8, 1)], bill(10_000)), ([100.0, date(2026, 10, 1), None], _MONTH),
        ([100.0, date(2026, 3, 1), date(2026, 11, 1)], bill(10_000)),
        ([100.0, date(2026, 3, 1), date(2026, 12, 1)], _MONTH)]),
    "daily_rate_and_the_way": (("Diárias", "Valor da diária", "Deslocamento", "Total"), [
        ([2.0, 300.0, 50.0, 650.0], bill(65_000)), ([3.0, 300.0, 0.0, 900.0], bill(90_000)),
        ([3.0, 300.0, 100.0, 900.0], _SIDE), ([2.0, 300.0, 50.0, 600.0], _SIDE)]),
    "discount_of_a_product": (("Horas", "Valor hora", "Desconto", "Total"), [
        ([10.0, 100.0, 100.0, 900.0], bill(90_000, "amount.discount_within")),
        ([10.0, 100.0, 0.0, 1000.0], bill(100_000)),
        ([10.0, 100.0, 200.0, 1000.0], _SIDE)]),
    "days_that_multiply_nothing": (("Dia", "Parcelas", "Valor"), [
        ([5.0, 10.0, 50.0], bill(5_000)), ([10.0, 10.0, 100.0], bill(10_000)), ([15.0, 12.0, 200.0], bill(20_000))]),
    "addition_to_a_contract": (("Valor do contrato", "Aditivo", "Valor atual"), [
        ([1000.0, 200.0, 1200.0], bill(120_000)), ([1000.0, 0.0, 1000.0], bill(100_000)),
        ([1000.0, 200.0, 1000.0], _SIDE)]),
    "pupils_who_pay_nothing": (("Valor", "Sit. Plano"), [
        ([129.9, "Ativo"], bill(12_990)), ([129.9, "Férias"], _STATUS), ([129.9, "Bolsista 100%"], _STATUS)]),
    "shift_that_did_not_take_place": (("Valor do plantão", "Ocorrência"), [
        ([1300.0, None], bill(130_000)), ([1300.0, "Plantão não realizado"], _NOTES)]),
    "number_of_an_invoice_as_a_note": (("Valor", "Obs", None), [
        ([100.0, "NF 4521", None], _NOTES), ([100.0, None, "NF 4521"], _NOTES),
        ([100.0, "nota 12 emitida", None], _NOTES),
        ([100.0, "ref. NF 123", None], bill(10_000))]),
    "stages_of_deals": (("Amount", "Deal Stage"), [
        ([2500.0, "Closed Won"], bill(250_000)), ([1500.0, "Closed Lost"], _STATUS),
        ([900.0, "Contract Sent"], _STATUS),
        ([900.0, "Apresentação agendada"], _STATUS)]),
    "months_in_other_languages": (("Mês Ref.", "Valor"), [
        (["November 2026", 500.0], bill(50_000)), (["noviembre/2026", 600.0], bill(60_000)),
        (["novembre/2026", 600.0], ask("competence.unreadable")),
        (["46327", 700.0], bill(70_000))]),
}  # fmt: skip


def habits() -> Iterator[Habit]:
    for name, (heads, lines) in _SHEETS.items():
        rows = [[f"Ana {number} Ltda", doc(number), *written] for number, (written, _) in enumerate(lines, start=1)]
        expected = {number: each for number, (_, each) in enumerate(lines, start=2)}
        yield Habit(name, xlsx((*_PARTY, *heads), *rows), "a.xlsx", expected, defaults=_USUAL)
    yield from _exports()
    yield from _beside()


def _exports() -> Iterator[Habit]:
    head = (
        "Deal - Title",
        "Organization - Name",
        "Organization - CNPJ",
        "Deal - Value",
        "Deal - Currency",
        "Deal - Status",
    )
    rows = [
        ["Projeto", "Ana Ltda", doc(1), "4800.00", "BRL", "Won"],
        ["Projeto", "Bia Ltda", doc(2), "3500.00", "BRL", "Lost"],
        ["Projeto", "Caio Ltda", doc(3), "1200.00", "BRL", "Open"],
        ["Projeto", "Davi Ltda", doc(4), "1000.00", "USD", "Won"],
    ]
    expected: dict[int, Expectation] = {2: bill(480_000), 3: _STATUS, 4: _STATUS, 5: ask("held.currency")}
    deals = text_of([head, *rows], separator=",").encode()
    yield Habit("program_of_salespeople", deals, "deals.csv", expected, defaults=_USUAL)
    titles = ("Customer Name", "CNPJ", "Amount", "Fee", "Net", "Status", "Amount Refunded")
    charges = [
        ["Ana Ltda", doc(1), "199.90", "8.37", "191.53", "Succeeded", "0.00"],
        ["Bia Ltda", doc(2), "199.90", "8.37", "191.53", "Succeeded", "100.00"],
        ["Caio Ltda", doc(3), "199.90", "0.00", "0.00", "Failed", "0.00"],
    ]
    expected = {2: bill(19_990), 3: _SIDE, 4: _STATUS}
    exported = text_of([titles, *charges], separator=",").encode()
    yield Habit("gateway_and_its_fee", exported, "charges.csv", expected, defaults=_USUAL)
    content = xlsx(("Seller", "CNPJ/Tax ID", "Valor"), ("Ana Ltda", doc(1), 100.0), ("Foo GmbH", "DE123456789", 900.0))
    expected = {2: bill(10_000), 3: ask("document.length", "document.invalid", "document.unreadable")}
    yield Habit("customer_abroad", content, "a.xlsx", expected, defaults=_USUAL)
    content = xlsx(("Aluno", "CPF", "Valor", "Férias"), ("Rui Paz", cpf(1), 100.0, "colônia"))
    yield Habit("holidays_that_are_no_pause", content, "a.xlsx", {2: bill(10_000)}, defaults=_USUAL)


def _beside() -> Iterator[Habit]:
    rows: Sequence[Sequence[object]] = [good(number) for number in range(1, 4)]
    for number, text in enumerate(
        ("Obs.: não emitir nota para a Tomador 2 neste mês.", "Tomador 2 Ltda: aguardar contrato")
    ):
        expected: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.named"), 4: bill(10_003)}
        remarks = ("sheet.titles_say_no",)
        yield Habit(
            f"note_that_names_a_customer_{number}", table(*rows, [], [text]), "a.xlsx", expected, remarks=remarks
        )

    def dress(sheet: Any, book: Any) -> None:
        for column, value in enumerate(rows[1]):
            sheet.write(2, column, value, book.add_format({"bg_color": _ORANGE}))

    held: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.colour"), 4: bill(10_003)}
    content = table(*rows, [], ["Laranja: aguardando aprovação"], dress=dress)
    yield Habit("orange_of_office_programs", content, "a.xlsx", held)
    both = table(*rows, [], ["Laranja: aguardando aprovação"], ["Amarelo: novo"], dress=dress)
    billed: dict[int, Expectation] = {number: bill(9_999 + number) for number in (2, 3, 4)}
    yield Habit("yellow_that_has_its_own_words", both, "a.xlsx", billed)
