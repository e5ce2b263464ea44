"""Habits of trades and of programs' exports: one short sheet of each, as its people send it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import time
from typing import Final

from connectors.spreadsheets.services import Defaults
from tests.corpus.habits import NOVEMBER, Expectation, Habit, ask, bill, cpf, doc, text_of
from tests.corpus.sheets import xlsx
from tests.tasks.rows import RIO, company, person

_USUAL: Final = Defaults(emitter_cnpj=RIO, competence=NOVEMBER, template_name="Honorários")
_STATUS: Final = ask("held.status")
_SAID: Final = ask("held.status", "held.invoiced", "held.notes")
_SIDE: Final = ask("held.side_amount")
_KIND: Final = ask("held.kind")
_Line = tuple[list[object], Expectation | None]

_BOOKS: Final[Mapping[str, tuple[Sequence[object], list[_Line]]]] = {
    "clinic_payer_of_sessions": (
        ("Paciente", "Responsável financeiro", "CPF do responsável", "Sessões", "Valor sessão", "Total"), [
            (["Pedrinho Alves", "Marcos Alves", cpf(1), 4.0, 160.0, 640.0], bill(64_000, name="Marcos Alves")),
            (["Téo Prado", "Ivo Prado", cpf(2), 4.0, 160.0, 600.0], ask("amount.product_differs")),
            ([None, None, "TOTAL", None, None, 1240.0], None)]),
    "therapist_receipt_or_invoice": (("Nome", "CPF", "sessões", "valor", "total", "recibo/nota"), [
        (["Joana Reis", cpf(1), 3.0, 200.0, 600.0, "nota"], bill(60_000)),
        (["Igor Melo", cpf(2), 4.0, 200.0, 800.0, "recibo"], _KIND)]),
    "documents_of_pupil_and_payer": (("Aluno", "CPF do aluno", "Responsável", "CPF do responsável", "Valor"), [
        (["Kid A", cpf(1), "Pai A", cpf(2), 500.0], bill(50_000, document=person(2).number, name="Pai A")),
        (["Kid B", cpf(3), None, None, 600.0], ask("document.missing"))]),
    "employees_of_one_payer": (("Empresa pagadora", "CNPJ", "Funcionário", "CPF", "Exame", "Valor"), [
        (["Metal Ltda", doc(1), "João", cpf(2), "ASO", 80.0], bill(8_000, document=company(1).number)),
        (["Metal Ltda", doc(1), "Rui", cpf(3), "ASO", 120.0], bill(12_000, document=company(1).number))]),
    "both_documents_of_one_party": (("Nome", "CPF", "CNPJ", "Valor"), [
        (["Ana Lima", cpf(1), None, 100.0], bill(10_000)), (["Beta Ltda", None, doc(2), 200.0], bill(20_000)),
        (["Gama Ltda", cpf(3), doc(4), 300.0], ask("document.two"))]),
    "gym_states": (("Matrícula", "Aluno", "CPF", "Plano", "Situação", "Valor"), [
        ([1001.0, "Rui Paz", cpf(1), "Mensal", "Ativo", 129.9], bill(12_990, template_name="Mensal")),
        ([1002.0, "Sara Cruz", cpf(2), "Mensal", "Trancado", 129.9], _STATUS),
        ([1003.0, "Vera Sol", cpf(3), "Mensal", "Congelada", 129.9], _STATUS)]),
    "lawyer_share_of_success": (("Cliente", "CNPJ/CPF", "Processo", "Valor da causa", "% êxito", "Honorários"), [
        (["Têxtil Ltda", doc(1), "0001234-55.2025.8.26.0100", 150_000.0, "20%", 30_000.0], bill(3_000_000))]),
    "agency_media_and_fee": (("Cliente", "CNPJ", "Verba de mídia", "Fee", "Valor NF"), [
        (["Loja Bela", doc(1), 12_000.0, 3_000.0, 3_000.0], bill(300_000)),
        (["Café Bom", doc(2), 4_000.0, 1_500.0, 1_500.0], bill(150_000))]),
    "cleaning_gross_and_net": (("Tomador", "CNPJ", "Valor Bruto", "INSS 11%", "ISS 5%", "Valor Líquido"), [
        (["Shopping Mar", doc(1), 10_000.0, 1_100.0, 500.0, 8_400.0],
         bill(1_000_000, inss_cents=110_000, iss_cents=50_000))]),
    "cleaning_posts_with_subtotals": (("Cliente", "CNPJ", "Posto", "Funcionário", "Valor"), [
        (["Banco Azul", doc(1), "Recepção", "Maria", 3200.0], bill(320_000)),
        (["Subtotal Banco Azul", None, None, None, 3200.0], None),
        (["Loja Verde", doc(2), "Limpeza", "Célia", 2900.0], bill(290_000)),
        (["TOTAL GERAL", None, None, None, 6100.0], None)]),
    "accountant_free_words": (("Empresa", "CNPJ", "Honorários", "Observação"), [
        (["Padaria Trigo", doc(1), 850.0, None], bill(85_000)),
        (["Pet Amigo", doc(2), "isento", "parceria"], ask("amount.unreadable")),
        (["Bar do Zé", doc(3), "a combinar", None], ask("amount.unreadable")),
        (["Oficina 10", doc(4), 0.0, None], ask("amount.not_positive"))]),
    "accountant_same_as_last_month": (("Empresa", "CNPJ", "Valor"), [
        (["Padaria Trigo", doc(1), 850.0], bill(85_000)),
        (["Pet Amigo", doc(2), "mesmo do mês anterior"], ask("amount.unreadable"))]),
    "charity_tithes": (("Nome", "CPF/CNPJ", "Tipo", "Valor"), [
        (["Ada Luz", cpf(1), "Doação", 200.0], _KIND), (["Caio Paz", cpf(2), "Dízimo", 300.0], _KIND),
        (["Beta Eventos", doc(3), "Locação de espaço", 1500.0], bill(150_000))]),
    "credit_notes": (("Cliente", "CNPJ", "Tipo", "Valor"), [
        (["Alfa", doc(1), "NF", 500.0], bill(50_000)), (["Beta", doc(2), "NC", 100.0], _KIND)]),
    "movement_yes_or_no": (("Cliente", "CNPJ", "Valor", "Movimento"), [
        (["Alfa", doc(1), 100.0, "S"], bill(10_000)), (["Beta", doc(2), 200.0, "N"], _KIND)]),
    "hotel_with_extras": (("Hóspede", "CNPJ/CPF", "Diárias", "Valor diária", "Consumo", "Total"), [
        (["Alfa Ltda", doc(1), 3.0, 200.0, 60.0, 660.0], bill(66_000)),
        (["Bia Paz", cpf(2), 2.0, 200.0, 0.0, 400.0], bill(40_000)),
        (["Caio Paz", cpf(3), 2.0, 200.0, 10.0, 450.0], ask("amount.product_differs"))]),
    "hours_as_times": (("Cliente", "CNPJ", "Horas", "Valor hora"), [
        (["Alfa", doc(1), "01:30", 100.0], bill(15_000)), (["Beta", doc(2), "2h30", 100.0], bill(25_000)),
        (["Gama", doc(3), "3h", 100.0], bill(30_000)), (["Delta", doc(4), "1:75", 100.0],
                                                       ask("product.quantity_unreadable"))]),
    "words_of_an_invoice_status": (("Cliente", "CNPJ", "Valor", "Status NF"), [
        (["Alfa", doc(1), 100.0, "Emitida em 05/11"], _SAID), (["Beta", doc(2), 200.0, "A emitir"], bill(20_000)),
        (["Gama", doc(3), 300.0, "NF 234 ok"], _SAID), (["Delta", doc(4), 400.0, "aguardando PO"], _SAID),
        (["Eta", doc(5), 500.0, "pendente de emissão"], bill(50_000))]),
    "takers_abroad": (("Cliente", "CNPJ", "Valor"), [
        (["Alfa", doc(1), 100.0], bill(10_000)), (["Acme Inc", "Exterior", 300.0], ask("document.foreign")),
        (["Foo GmbH", "EIN 12-3456789", 300.0], ask("document.foreign"))]),
    "phones_of_several_people": (("Cliente", "CNPJ", "Telefone", "Valor"), [
        (["Gama", doc(1), "1133334444 / 11999998888 (Bia)", 300.0], bill(30_000, phone="1133334444")),
        (["Delta", doc(2), "(11) 3333-4444 (Bia)", 400.0], bill(40_000, phone="1133334444"))]),
    "form_answers": (
        ("Carimbo de data/hora", "Endereço de e-mail", "Nome completo ou razão social",
         "CPF ou CNPJ (somente números)", "Qual serviço foi contratado?", "Valor combinado (R$)",
         "Deseja receber nota fiscal?"), [
            (["03/11/2026 10:02", "ana@x.example", "Ana Pi", person(1).number, "Mentoria", "400", "Sim"],
             bill(40_000, description="Mentoria")),
            (["04/11/2026 10:02", "b@x.example", "Bia Pi", person(2).number, "Mentoria", "400", "Não"],
             ask("row.not_wanted"))]),
    "statement_of_payments": (("Data", "Lançamento", "Nome", "CPF/CNPJ", "Valor (R$)", "Saldo (R$)"), [
        (["03/11/2026", "PIX recebido", "Lia Rosa", cpf(1), 250.0, 1250.0], bill(25_000)),
        (["04/11/2026", "PIX enviado", "Posto Gás", doc(2), -100.0, 1150.0], ask("amount.not_positive")),
        (["05/11/2026", "Tarifa bancária", None, None, -9.9, 1140.1], ask("document.missing")),
        (["06/11/2026", "PIX recebido", "Mel Rosa", cpf(3), 300.0, 1440.1], bill(30_000))]),
    "table_of_two_services": (("Cliente", "CNPJ", "Valor"), [
        (["Alfa", doc(1), 100.0], bill(10_000)), (["Total", None, 100.0], None),
        (["DESENVOLVIMENTO", None, None], ask("document.missing")), (["Cliente", "CNPJ", "Valor"], None),
        (["Beta", doc(2), 200.0], bill(20_000)), (["Total", None, 200.0], None)]),
    "signature_below": (("Cliente", "CNPJ", "Valor"), [
        (["Beta", doc(1), 200.0], bill(20_000)), (["Aprovado por: Maria da Silva"], None),
        (["São Paulo, 23 de novembro de 2026"], None)]),
    "weeks_between": (("Data", "Cliente", "CNPJ", "Valor"), [
        (["SEMANA 1"], None), (["02/11/2026", "Alfa", doc(1), 200.0], bill(20_000)),
        (["SEMANA 2"], None), (["09/11/2026", "Beta", doc(2), 300.0], bill(30_000))]),
    "names_that_say_no": (("Cliente", "CNPJ", "Valor"), [
        (["Alfa", doc(1), 200.0], bill(20_000)), (["CANCELADO - Beta", doc(2), 300.0], ask("held.notes")),
        (["Delta (antiga Beta)", doc(3), 300.0], bill(30_000))]),
}  # fmt: skip
_EXPORTS: Final[Mapping[str, tuple[Sequence[object], list[_Line]]]] = {
    "erp_receivables": (
        ("Situação", "Cliente (CNPJ/CPF)", "Valor da Conta", "Vencimento", "Número do Documento", "Nota Fiscal"), [
            (["A vencer", doc(1), 1500.0, "10/12/2026", "A-1", ""], bill(150_000, document=company(1).number)),
            (["Recebido", doc(2), 2000.0, "10/11/2026", "A-2", "00000123"], _SAID),
            (["Cancelado", doc(3), 900.0, "10/11/2026", "A-3", ""], _STATUS)]),
    "erp_sales": (("Nome do cliente", "CPF/CNPJ do cliente", "Situação da venda", "Valor bruto", "Desconto",
                   "Valor líquido"), [
        (["Delta Ltda", doc(1), "Aprovada", 1000.0, 100.0, 900.0],
         bill(100_000, unconditioned_discount_cents=10_000)),
        (["Foca Ltda", doc(2), "Orçamento", 800.0, 0.0, 800.0], _STATUS)]),
    "gateway_invoices": (("id", "status", "cpf_cnpj", "nome", "total"), [
        (["A1", "pending", person(1).number, "Edu Luz", 99.9], bill(9_990)),
        (["A2", "canceled", person(2).number, "Fla Luz", 99.9], _STATUS),
        (["A3", "refunded", person(3).number, "Gil Luz", 99.9], _STATUS),
        (["A4", "Chargeback", person(4).number, "Hel Luz", 99.9], _STATUS)]),
    "course_platform": (("Transação", "Status", "Nome", "Documento", "Moeda", "Total pago"), [
        (["HP1", "Completo", "Fê Rê", person(1).number, "BRL", 497.0], bill(49_700)),
        (["HP2", "Reembolsado", "Gê Rê", person(2).number, "BRL", 497.0], _STATUS)]),
    "partly_paid": (("Cliente", "CNPJ", "Valor", "Situação"), [
        (["Ilha Ltda", doc(1), 450.0, "Aberto"], bill(45_000)), (["Jota Ltda", doc(2), 450.0, "Parcial"], _STATUS)]),
    "bank_return": (("Sacado", "CNPJ/CPF Sacado", "Valor do Título", "Ocorrência Bancária"), [
        (["Nilo Ltda", doc(1), 1000.0, "06 - Liquidação"], bill(100_000)),
        (["Otto Ltda", doc(2), 1000.0, "09 - Baixa"], _STATUS)]),
    "provider_of_internet": (("nome", "cpf_cnpj", "plano", "valor", "bloqueado"), [
        (["Ana Bê", person(1).number, "100MB", 99.9, "N"], bill(9_990, template_name="100MB")),
        (["Bia Bê", person(2).number, "100MB", 99.9, "S"], _STATUS)]),
}  # fmt: skip


def habits() -> Iterator[Habit]:
    for name, (head, lines) in _BOOKS.items():
        rows = {number: expected for number, (_, expected) in enumerate(lines, start=2) if expected is not None}
        yield Habit(name, xlsx(head, *(cells for cells, _ in lines)), "a.xlsx", rows, defaults=_USUAL)
    for name, (head, lines) in _EXPORTS.items():
        rows = {number: expected for number, (_, expected) in enumerate(lines, start=2) if expected is not None}
        text = text_of([head, *(cells for cells, _ in lines)])
        yield Habit(name, text.encode("cp1252"), "a.csv", rows, defaults=_USUAL)
    yield from _months()
    content = xlsx(("Cliente", "CNPJ", "Horas", "Valor hora"), ("Alfa", doc(1), time(1, 30), 100.0))
    yield Habit("hours_as_times_of_the_program", content, "a.xlsx", {2: bill(15_000)}, defaults=_USUAL)


def _months() -> Iterator[Habit]:
    head = ("Cliente", "CNPJ", "Valor")
    before, now = [head, ("Alfa", doc(1), 90.0)], [head, ("Alfa", doc(1), 100.0)]
    content = xlsx(*now, name="Nov", others={"Set": before, "Out": before})
    yield Habit("sheets_by_month", content, "a.xlsx", {2: bill(10_000)}, remarks=("sheet.chosen",), defaults=_USUAL)
    content = xlsx(*now, name="Set", others={"Out": before})
    yield Habit("sheets_of_other_months", content, "a.xlsx", {}, stops="sheet.several", defaults=_USUAL)
    content = xlsx(*now, name="Nov", others={"Out": before, "Extras": before})
    yield Habit("sheets_by_month_and_another", content, "a.xlsx", {}, stops="sheet.several", defaults=_USUAL)
