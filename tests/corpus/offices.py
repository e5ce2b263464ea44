"""Habits of offices: amounts that contradict their neighbours, statuses in odd columns, two people in one row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from connectors.spreadsheets.services import Defaults
from tests.corpus.habits import NOVEMBER, Expectation, Habit, ask, bill, cpf, doc, text_of
from tests.corpus.sheets import xlsx
from tests.tasks.rows import RIO, company, person

_USUAL: Final = Defaults(emitter_cnpj=RIO, competence=NOVEMBER, template_name="Honorários")
_SIDE: Final = ask("held.side_amount")
_STATUS: Final = ask("held.status")
_NOTES: Final = ask("held.notes")
_KIND: Final = ask("held.kind")
_MONTH: Final = ask("held.validity")
_DIFFERS: Final = ask("amount.product_differs")
_Line = tuple[list[object], Expectation | None]
_PARTY: Final = ("Cliente", "CNPJ")

_AMOUNTS: Final[Mapping[str, tuple[tuple[str, ...], list[tuple[list[object], Expectation]]]]] = {
    "table_discount_and_price": (("Valor tabela", "Desconto", "Valor"), [
        ([1000.0, 100.0, 900.0], bill(90_000, "amount.discount_within")), ([1000.0, 100.0, 950.0], _SIDE),
        ([1000.0, 200.0, 1000.0], _SIDE), ([1000.0, None, 1000.0], bill(100_000))]),
    "net_above_what_the_discount_leaves": (("Valor bruto", "Desconto", "Valor líquido"), [
        ([500.0, 50.0, 450.0], bill(50_000, unconditioned_discount_cents=5_000)), ([500.0, 50.0, 500.0], _SIDE)]),
    "net_above_what_is_withheld": (("Valor bruto", "INSS retido", "ISS retido", "Valor líquido"), [
        ([10_000.0, 1100.0, 500.0, 8400.0], bill(1_000_000, retained_iss=True, iss_cents=50_000, inss_cents=110_000)),
        ([8000.0, 880.0, 400.0, 7500.0], _SIDE)]),
    "parts_that_add_up": (("Taxa", "Fundo reserva", "Serviços extras", "Total"), [
        ([600.0, 60.0, 10.0, 670.0], bill(67_000)), ([700.0, 70.0, None, 770.0], bill(77_000)),
        ([600.0, 60.0, 0.0, 600.0], _SIDE)]),
    "price_that_is_one_of_the_parts": (("Mensalidade", "Impressões", "Sala de reunião", "Total"), [
        ([900.0, 30.0, 50.0, 980.0], bill(98_000)), ([900.0, None, None, 900.0], bill(90_000)),
        ([400.0, 30.0, 0.0, 400.0], _SIDE)]),
    "royalties_and_fund_in_the_total": (("Faturamento", "Royalties 5%", "Fundo 2%", "Total a cobrar"), [
        ([100_000.0, 5000.0, 2000.0, 7000.0], bill(700_000)), ([50_000.0, 2500.0, 1000.0, 3500.0], bill(350_000)),
        ([50_000.0, 2500.0, 1000.0, 3000.0], _SIDE)]),
    "share_of_what_was_won": (("Valor recebido", "% êxito", "Honorários"), [
        ([150_000.0, 0.2, 30_000.0], bill(3_000_000)), ([50_000.0, 0.1, 5000.0], bill(500_000)),
        ([100_000.0, 0.2, 30_000.0], _SIDE)]),
    "disallowed_part_within": (("Valor contrato", "Glosa por faltas", "Valor a faturar"), [
        ([12_000.0, 500.0, 11_500.0], bill(1_150_000)), ([12_000.0, 500.0, 12_000.0], _SIDE)]),
    "disallowed_part_beside": (("Valor faturado", "Valor glosado"), [
        ([5000.0, 500.0], _SIDE), ([5000.0, 0.0], bill(500_000))]),
    "setup_beside_the_fee": (("MRR", "Setup"), [([1000.0, None], bill(100_000)), ([1000.0, 500.0], _SIDE)]),
    "shifts_and_their_price": (("Plantões", "Valor plantão", "Total bruto"), [
        ([4.0, 1200.0, 4800.0], bill(480_000)), ([3.0, 1200.0, 3000.0], _DIFFERS)]),
    "lessons_by_the_lesson": (("Aulas", "R$/aula", "Total R$"), [
        ([8.0, 80.0, 640.0], bill(64_000)), ([8.0, 80.0, 460.0], _DIFFERS)]),
    "count_by_its_word": (("Qtd check-in", "Valor por check-in", "Repasse", "Valor"), [
        ([45.0, 10.0, None, 450.0], bill(45_000)), ([45.0, 10.0, None, 400.0], _DIFFERS)]),
    "price_with_a_ditto_mark": (("Entregas", "Preço", "Total"), [
        ([50.0, 10.0, 500.0], bill(50_000)), ([30.0, "''", 300.0], bill(30_000)),
        ([20.0, "-//-", 200.0], bill(20_000))]),
    "even_amount_by_hand": (("Valor",), [(["R$ 650,-"], bill(65_000)), (["R$ 1.250,50"], bill(125_050))]),
    "setup_and_total_of_the_month": (("Setup", "MRR", "Total novembro"), [
        ([500.0, 1000.0, 1500.0], _SIDE), ([None, 1000.0, 1000.0], bill(100_000)), ([500.0, 1000.0, 1000.0], _SIDE)]),
}  # fmt: skip
_COLUMNS: Final[Sequence[tuple[str, object, object, Expectation]]] = (
    ("Ocorrência", "06 - Liquidação", "09 - Baixa", _STATUS), ("Ocorrência", "02 - Entrada", "03 - Rejeitada", _STATUS),
    ("Ocorrência", "Troca de disjuntor", "Baixa tensão", bill(20_000)),
    ("Cód. Status", "1 - Ativo", "9 - Cancelado", _STATUS), ("Status", "Ativo", "07-Suspenso", _STATUS),
    ("Sit. Matrícula", "Matriculado", "Desistente", _STATUS), ("Sit. Matrícula", "Matriculado", "Jubilado", _STATUS),
    ("Situação cadastral", "Ativa", "Inapta", _STATUS), ("Status", "approved", "charged_back", _STATUS),
    ("Status", "approved", "rejected", _STATUS), ("Stage", "Won", "Negotiation", _STATUS),
    ("Fase", "Em curso", "Declinado", _STATUS), ("Status", "Vivo", "Falecido", _STATUS),
    ("Comparecimento", "Atendido", "Desmarcou", _STATUS), ("Controle de agenda", "Veio", "Faltou", _NOTES),
    ("Proposta comercial", "Aprovada", "Em análise", _NOTES), ("Parecer", "Aprovado", "Recusado", _NOTES),
    ("Aprovado pelo sócio", "Sim", "Não", _STATUS), ("Liberado pelo gestor", "Sim", "Não", _STATUS),
    ("FL_CANC", "N", "S", _STATUS), ("Cancelado em", None, "05/11/2026", _STATUS),
    ("Notas", "ok", "trocou de contador", _NOTES), ("Notas", "ok", "permuta", _NOTES),
    ("Notes", "ok", "do not invoice", _NOTES), ("Notes", "ok", "pro bono", _NOTES),
    ("Tipo", "Serviço", "Crédito", _KIND), ("Tipo", "NF", "NCC", _KIND), ("Tipo", "NF", "RA", _KIND),
    ("Tipo doc", "NFS-e", "CT-e", _KIND), ("Documento fiscal", "NFS-e", "Receita Saúde", _KIND),
    ("Documento fiscal", "NFS-e", "Recibo", _KIND), ("Tipo de honorário", "Contratual", "Pro bono", _KIND),
    ("Tipo de lançamento", "Cobrança", "Abatimento de outubro", _KIND),
    ("Faturar em", "nov/26", "próximo mês", _NOTES), ("Início da cobrança", "01/2026", "a definir", _NOTES),
    ("Vigência", "01/01/2026 a 31/12/2026", "01/01/2025 a 31/12/2025", _MONTH),
    ("Vigência", "01/06/2026 até 31/05/2027", "01/12/2026 até 30/11/2027", _MONTH),
    ("Parcela", "Parc. 10/12 - Nov", "Parc. 11/12 - Dez", _MONTH), ("Parcela", "11/12", "12/12 (janeiro)", _MONTH),
    ("Filial", "01", "02", bill(20_000)),
)  # fmt: skip
_SHEETS: Final[Mapping[str, tuple[Sequence[object], list[_Line]]]] = {
    "customers_left_in_the_class_list": (("Responsável", "CPF", "Valor"), [
        (["Rosa Melo", cpf(1), 700.0], bill(70_000)), (["DESISTENTES"], None),
        (["Ivo Braga", cpf(2), 700.0], ask("held.section"))]),
    "former_customers_at_the_end": (("Empresa", "CNPJ", "Valor"), [
        (["Trigo Ltda", doc(1), 700.0], bill(70_000)), (["EX-CLIENTES"], None),
        (["Bar Ltda", doc(2), 700.0], ask("held.section"))]),
    "expenses_below_the_revenue": (("Nome", "CNPJ", "Valor"), [
        (["Trigo Ltda", doc(1), 700.0], bill(70_000)), (["DESPESAS"], None),
        (["Papelaria Ltda", doc(2), 70.0], ask("held.section"))]),
    "rows_for_a_test": (("Cliente", "CNPJ", "Valor"), [
        (["TESTE", doc(1), 1.0], _NOTES), (["Cliente teste - não usar", doc(2), 1.0], _NOTES),
        (["EXEMPLO LTDA", doc(3), 1.0], _NOTES), (["Teste Seguro Ensaios Ltda", doc(4), 500.0], bill(50_000)),
        (["Tomador de Teste 7 Ltda", doc(5), 600.0], bill(60_000))]),
    "role_that_names_the_payer": (
        ("Remetente", "CNPJ Remetente", "Destinatário", "CNPJ Destinatário", "Tomador", "Valor"), [
            (["Alfa Ltda", doc(1), "Beta Ltda", doc(2), "Remetente", 800.0], _NOTES),
            (["Gama Ltda", doc(3), "Delta Ltda", doc(4), "Destinatário", 900.0],
             bill(90_000, document=company(4).number, name="Delta Ltda"))]),
    "program_with_short_field_names": (("CLI_NOME", "CLI_CGC", "SRV_DESCR", "VL_TOTAL"), [
        (["ALFA LTDA", doc(1), "SUPORTE", 100.0], bill(10_000, name="ALFA LTDA"))]),
    "spanish_headers": (("Cliente", "CNPJ", "Concepto", "Cantidad", "Precio", "Importe"), [
        (["Alfa Ltda", doc(1), "Soporte", 3.0, 300.0, 900.0], bill(90_000, description="Soporte")),
        (["Beta Ltda", doc(2), "Soporte", 2.0, 300.0, 900.0], _DIFFERS)]),
}  # fmt: skip


def habits() -> Iterator[Habit]:
    for name, (heads, lines) in _AMOUNTS.items():
        rows = [[f"Ana {number} Ltda", doc(number), *written] for number, (written, _) in enumerate(lines, start=1)]
        expected = {number: each for number, (_, each) in enumerate(lines, start=2)}
        yield Habit(name, xlsx((*_PARTY, *heads), *rows), "a.xlsx", expected, defaults=_USUAL)
    for number, (header, fine, cell, expectation) in enumerate(_COLUMNS):
        content = xlsx((*_PARTY, "Valor", header), ("Ana Ltda", doc(1), 100.0, fine), ("Bia Ltda", doc(2), 200.0, cell))
        found: dict[int, Expectation] = {2: bill(10_000), 3: expectation}
        yield Habit(f"word_of_an_office_{number}", content, "a.xlsx", found, defaults=_USUAL)
    for name, (head, cells) in _SHEETS.items():
        rows_expected = {number: each for number, (_, each) in enumerate(cells, start=2) if each is not None}
        yield Habit(name, xlsx(head, *(row for row, _ in cells)), "a.xlsx", rows_expected, defaults=_USUAL)
    yield from _documents()
    yield from _months()


def _documents() -> Iterator[Habit]:
    for number, header in enumerate(("CPF da mãe", "CPF do pai", "CPF do pagador")):
        head = ("Aluno", "CPF", header.removeprefix("CPF d")[1:].strip().capitalize(), header, "Valor")
        content = xlsx(head, ("Ian Melo", cpf(1), "Rosa Melo", cpf(2), 850.0))
        stops = "column.twice" if number < 2 else None
        payer = {2: bill(85_000, document=person(2).number, name="Rosa Melo")}
        yield Habit(
            f"pupil_with_a_document_and_a_parent_{number}", content, "a.xlsx", {} if stops else payer, stops,
            defaults=_USUAL,
        )  # fmt: skip
    names = (f"Trigo Ltda - {doc(1)}", f"Pet ME (CNPJ: {doc(2)})", f"{doc(3)} Salão ME", f"Rosa Melo CPF {cpf(4)}")
    rows: list[list[object]] = [["Cliente", "Honorários"], *([name, 100.0] for name in names), ["Bar do Zé ME", 100.0]]
    expected: dict[int, Expectation] = {
        2: bill(10_000, document=company(1).number, name="Trigo Ltda"),
        3: bill(10_000, document=company(2).number, name="Pet ME"),
        4: bill(10_000, document=company(3).number, name="Salão ME"),
        5: bill(10_000, document=person(4).number, name="Rosa Melo"),
        6: ask("document.missing"),
    }
    remarks = ("column.names_with_documents",)
    yield Habit("name_and_document_in_one_cell", xlsx(*rows), "a.xlsx", expected, remarks=remarks, defaults=_USUAL)
    yield Habit(
        "name_and_document_in_one_text", text_of(rows).encode(), "a.csv", expected, remarks=remarks, defaults=_USUAL
    )
    content = xlsx(
        ("Cliente", "CNPJ", "Valor"), (f"Alfa Ltda {doc(1)}", doc(1), 100.0), (f"Beta Ltda {doc(2)}", doc(3), 100.0)
    )
    yield Habit("name_with_another_document", content, "a.xlsx", {
        2: bill(10_000), 3: ask("held.other_document")}, defaults=_USUAL)  # fmt: skip
    content = xlsx(("Cliente", "Honorários"), (f"Alfa {doc(1)} / Beta {doc(2)}", 100.0), (names[0], 100.0))
    yield Habit("two_documents_beside_names", content, "a.xlsx", {
        2: ask("document.two"), 3: bill(10_000)}, defaults=_USUAL)  # fmt: skip


def _months() -> Iterator[Habit]:
    remarks = ("column.of_month",)
    for number, months in enumerate((
        ("Outubro", "Novembro", "Dezembro"), ("out/26", "nov/26", "dez/26"), ("Valor 10/2026", "Valor 11/2026"),
        ("Honorários Out", "Honorários Novembro", "Honorários Dezembro"),
    )):  # fmt: skip
        rows = [("Alfa Ltda", doc(1), 510.0, 520.0, 530.0)[: 2 + len(months)], ("Beta Ltda", doc(2), 610.0, None)]
        expected: dict[int, Expectation] = {2: bill(52_000), 3: ask("amount.missing")}
        content = xlsx((*_PARTY, *months), *rows)
        yield Habit(f"amounts_by_month_{number}", content, "a.xlsx", expected, remarks=remarks, defaults=_USUAL)
    content = xlsx((*_PARTY, "Excedente", "Total nov/26"), ("Alfa Ltda", doc(1), 50.0, 150.0))
    yield Habit("total_of_the_month_alone", content, "a.xlsx", {2: bill(15_000)}, remarks=remarks, defaults=_USUAL)
    content = xlsx((*_PARTY, "Outubro", "Novembro", "Valor"), ("Alfa Ltda", doc(1), 510.0, 520.0, 530.0))
    yield Habit("months_beside_the_amount", content, "a.xlsx", {2: bill(53_000)}, defaults=_USUAL)
    content = xlsx((*_PARTY, "nov/25", "dez/25"), ("Alfa Ltda", doc(1), 510.0, 520.0))
    yield Habit("months_of_another_year", content, "a.xlsx", {}, stops="column.missing", defaults=_USUAL)
