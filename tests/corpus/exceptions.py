"""Sheets in which a few cells of an unread column make their row an exception, and sheets that no header explains."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, cpf, doc, good
from tests.corpus.sheets import table, xlsx
from tests.corpus.shops import order_habit
from tests.tasks.rows import company, person

_SIDE = ask("held.side_amount")
_OTHERWISE: dict[str, tuple[object, object, Expectation]] = {
    # header, the cell of most rows, that of the last row, and what happens to it
    "Reajuste": (None, "5%", _SIDE),
    "Bônus de fidelidade": (None, "R$ 30,00", _SIDE),
    "Valor plantão extra": (None, 150.0, _SIDE),
    "Promo": (None, "20%", _SIDE),
    "Valor em atraso": (None, 150.0, bill(10_004)),
    "Ramal": (None, 4021.0, bill(10_004)),
    "Limite de crédito": (None, "R$ 9.000,00", bill(10_004)),
    "Comissão do vendedor": (None, "5%", bill(10_004)),
    "Desconto do mês": (None, 50.0, _SIDE),
    "Crédito do cliente": (0.0, 50.0, _SIDE),
    "Crédito de ICMS": (None, 50.0, bill(10_004)),
    "Total da conta": (None, 150.0, _SIDE),
    "Dias utilizados": (30.0, 12.0, _SIDE),
    "Dias no mês": ("30 de 30", "12 de 30", _SIDE),
    "Dias trabalhados": (20.0, 18.0, bill(10_004)),
    "Prazo (dias)": (30.0, 15.0, bill(10_004)),
    "Forma de faturamento": ("NFS-e", "Recibo", ask("held.kind")),
    "Papel emitido": ("Nota fiscal", "Nota de débito", ask("held.kind")),
    "Papel entregue": ("Recibo de entrega", "Recibo de entrega", bill(10_004)),
    "CNPJ 2": (None, doc(9), ask("held.other_document")),
    "CPF do vendedor": (None, cpf(9), bill(10_004)),
    "Faturado até": ("31/10/2026", "30/11/2026", ask("held.validity")),
    "Último faturamento": ("out/2026", "nov/2026", ask("held.validity")),
    "Última nota": ("05/10/2026", "03/11/2026", ask("held.validity")),
    "Vigência inicial": ("01/01/2026", "01/01/2027", ask("held.validity")),
    "Vigência final": ("31/12/2026", "31/12/2025", ask("held.validity")),
    "Vencimento do contrato": ("31/12/2026", "31/10/2026", ask("held.validity")),
    "Contract end date": ("31/12/2026", "15/11/2026", bill(10_004)),
    "Fim do serviço": ("30/11/2026", "31/10/2026", bill(10_004)),
    "Vencimento do plano": ("10/12/2026", "10/10/2026", bill(10_004)),
    "Hold reason": (None, "Suspected fraud", ask("held.status")),
    "Forma de cobrança": ("Mensal", "Semestral (jan/jul)", ask("held.notes")),
    "Recorrência": ("Mensal", "a cada 3 meses", ask("held.notes")),
    "Plano de cobrança": ("Mensal", "Anual (pago mensalmente)", bill(10_004)),
    "Type": ("Invoice", "Credit memo", ask("held.kind")),
    "Document type": ("Invoice", "Pro forma", ask("held.kind")),
    "Mensagem": ("ok", "espera o aditivo assinar", ask("held.notes")),
    "Recado interno": (None, "aguarda assinatura", ask("held.notes")),
    "Aviso": (None, "cliente aguarda a nota", bill(10_004)),
    "Local": ("Sala 2", "Sala de espera", bill(10_004)),
    "NF": (None, "2291 (05/11)", ask("held.invoiced")),
    "Meio de pagamento": ("Pix", "Permuta (livros)", ask("held.notes")),
    "Recepção": (None, "Trancou em 28/10, volta em janeiro", ask("held.notes")),
    "Nº do pedido": ("4500881209", "aguardando", ask("held.notes")),
    "Faturar para": (None, f"Mantenedora {doc(9)}", ask("held.other_document")),
    "Trial até": ("15/03/2026", "12/12/2026", ask("held.validity")),
    "churned_at": (None, "31/10/2026", ask("held.status")),
    "Aceite do Fiscal": ("Assinado 24/11", "Devolvido p/ correção", ask("held.notes", "held.status")),
    "Já podemos emitir a nota?": ("Sim", "Ainda não, o financeiro vai mandar o pedido", ask("held.status")),
    "Documento de Transporte": (None, "CT-e 4471 autorizado", ask("held.notes")),
    "Entrega": ("Sprint 14", "Sprint 15", bill(10_004)),
    "Atendimento": ("Gabi", "Tom", bill(10_004)),
    "Vendedor": ("Igor", "Tati (dividir: metade na filial)", ask("held.notes")),
    "Resp. DP": ("Júlio", "— (foi p/ outro escritório em out/26)", ask("held.notes")),
    "Unidade Atendida": ("Loja", "Campus 2 - nota deve sair no CNPJ da matriz", ask("held.notes")),
    "Laudo Técnico": ("Troca de HD", "Retorno em garantia da OS 8640", ask("held.notes")),
    "Posto": ("Doca", "Guarita fundos (desativado desde 30/10)", ask("held.notes")),
    "Saída": (None, "30/09/2026", ask("held.validity")),
    "Saídas": (9.0, 20.0, bill(10_004)),
    "Medição Nº": (1.0, 2.0, bill(10_004)),
    "Categoria": ("AB", "D", bill(10_004)),
    "Dados p/ nota": (None, "faturar na matriz, CNPJ vão mandar", ask("held.notes")),
    "Mídia": ("Web", "Revista (faturado em outubro, NF 447)", ask("held.notes")),
    "Prova": ("ok 12/11", "recusada pelo cliente - refazer s/ custo", ask("held.notes")),
    "Partida": ("20/11", "não escalou, desviado p/ Santos", ask("held.notes")),
    "Enviado por": ("Dulce", "Dulce", bill(10_004)),
    "Fase": ("Em execução", "Pausado a pedido do cliente", ask("held.status")),
    "Andamento": ("Contestação foi protocolada", "Aguardando trânsito em julgado", ask("held.status")),
}
_ONLY_AMOUNTS = (
    "Partido Mensal (R$)", "quanto", "Honorário Contábil", "Armazenagem + Movimentação (R$)", "Valor Pacote",
    "Fee Recrutamento", "Valor Fechado", "Faturar", "Investimento", "R$", "Honorários de sinistro",
    "Taxa de benefícios",
)  # fmt: skip
_NO_AMOUNTS = ("Salário", "Valor da Apólice", "Posições Palete", "Valor tabela", "Taxa de ocupação (%)", "amount_cents",
               "Total em centavos", "Amount (EUR)", "Valor (k)", "Valor (x 1.000)", "Total US$",
               "Valor R$ mil", "Valor da condenação", "Valor do acordo", "Valor recuperado", "Valor economizado",
               "Valor financiado", "Valor do benefício", "Valor da indenização")  # fmt: skip


def habits() -> Iterator[Habit]:
    for number, (header, (usual, other, found)) in enumerate(_OTHERWISE.items()):
        rows = [*(good(each, usual) for each in (1, 2, 3)), good(4, other)]
        expected: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002), 4: bill(10_003), 5: found}
        yield Habit(f"exception_{number}", table(*rows, head=[*HEAD, header]), "a.xlsx", expected)
    copied = [good(1, 100.01), good(2, 100.02), good(3, 100.03), good(4, 1000.4)]
    content = table(*copied, head=[*HEAD, "Preço combinado"])
    expected = {2: bill(10_001), 3: bill(10_002), 4: bill(10_003), 5: _SIDE}
    yield Habit("copy_of_most_amounts", content, "a.xlsx", expected)
    content = table(*copied, head=[*HEAD, "Valor em aberto"])
    yield Habit("open_amounts", content, "a.xlsx", expected | {5: bill(10_004)})
    content = table(good(1, doc(8)), good(2, doc(9)), head=[*HEAD, "CNPJ 2"])
    yield Habit("another_number_everywhere", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    orders = [{"Pedido": "1", "Situação": "Concluído"}, {"Pedido": "2", "Situação": "Enviado"}]
    yield order_habit("finished_order", *orders, rows={2: bill(2_500), 3: bill(2_500)})
    second: list[object] = [*good(2)[:3], 100.02, "A-1002"]
    noted: list[list[object]] = [[*good(1), "A-1001"], second, [], ["O A-1002 pediu cancelamento, não faturar"]]
    expected = {2: bill(10_001), 3: ask("held.named")}
    yield Habit(
        "note_names_a_number", xlsx([*HEAD, "Contrato"], *noted, ["TOTAL", None, None, 200.03]), "a.xlsx", expected
    )
    yield from _headers()
    yield from _titles_and_totals()
    yield from _of_several_figures()


def _of_several_figures() -> Iterator[Habit]:
    slip = ["Honorários (NF)", "Custas (nota de débito)", "Total do boleto"]
    taxed = ["Valor da nota (c/ impostos)", "Valor líquido desejado", "Fatura anterior"]
    for number, head in enumerate((slip, taxed)):
        content = xlsx([*HEAD[:3], *head], [*good(1)[:3], 100.01, 40.0, 140.01])
        yield Habit(
            f"one_of_several_figures_{number}", content, "a.xlsx", {2: bill(10_001)}, remarks=("column.only_amount",)
        )
    head = [*HEAD[:3], "Benefício obtido", "% êxito", "Honorários de êxito (R$)"]
    content = xlsx(head, [*good(1)[:3], 15_000.0, "10%", 1_500.0], [*good(2)[:3], 6_200.0, 12.0, 744.0])
    rows: dict[int, Expectation] = {2: bill(150_000), 3: bill(74_400)}
    yield Habit("share_of_a_base", content, "a.xlsx", rows, remarks=("column.only_amount",))
    content = xlsx([*HEAD[:3], "Valor vendido", "% vendedor", "Prêmio do vendedor"], [*good(1)[:3], 900.0, "5%", 45.0])
    yield Habit("share_of_a_salesperson", content, "a.xlsx", {2: bill(90_000)})
    head = [*HEAD[:3], "Noites", "Diária", "Hospedagem", "Frigobar", "Total da conta"]
    content = xlsx(
        head, [*good(1)[:3], 3.0, 420.0, 1260.0, 24.0, 1284.0], [*good(2)[:3], 2.0, 420.0, 840.0, 0.0, 840.0]
    )
    yield Habit("total_of_a_stay", content, "a.xlsx", {2: bill(128_400), 3: bill(84_000)})
    head = ["Incorporadora", "CNPJ", "Valor da venda", "% comissão", "Comissão a faturar"]
    content = xlsx(
        head, ["Ana Ltda", doc(1), 600_000.0, "4%", 24_000.0], ["Bia Ltda", doc(2), 385_000.0, "5%", 19_250.0]
    )
    yield Habit("commission_of_a_sale", content, "a.xlsx", {2: bill(2_400_000), 3: bill(1_925_000)})
    head = ["CNPJ", "Valor do contrato", "Notas emitidas até out/26", "A faturar em nov/26", "Saldo futuro"]
    content = xlsx(head, [doc(1), 40_000.0, 24_000.0, 8_000.0, 8_000.0], [doc(2), 9_000.0, 4_500.0, 4_500.0, 0.0])
    held = ask("held.side_amount")
    yield Habit("part_of_a_contract", content, "a.xlsx", {2: held, 3: held})
    head = ["Contratante", "CNPJ", "Valor do contrato", "% da etapa", "Valor da etapa a faturar"]
    stage = ["Ana Ltda", doc(1), 40_000.0, "30%", 12_000.0]
    yield Habit("stage_of_a_contract_to_bill", xlsx(head, stage), "a.xlsx", {2: bill(1_200_000)})
    content = xlsx([*head[:4], "Total da fatura 3"], stage)
    yield Habit("whole_contract_beside_an_invoice", content, "a.xlsx", {2: ask("held.side_amount")})
    head = ["Examinado", "CPF do examinado", "Empresa tomadora", "CNPJ da tomadora", "Exame", "Valor"]
    content = xlsx(head, ["Clara Moura", cpf(1), "Ana Ltda", doc(1), "Audiometria", 95.0])
    yield Habit("payer_of_a_patient", content, "a.xlsx", {2: bill(9_500, document=company(1).number)})
    head = ["Examinado", "CPF do examinado", "Empresa", "CNPJ da unidade", "Valor"]
    content = xlsx(head, ["Clara Moura", cpf(1), "Ana Ltda", doc(1), 95.0])
    yield Habit("patient_beside_another_document", content, "a.xlsx", {}, stops="column.missing")
    content = table(good(1, "01/02/2026"), good(2, "31/08/2026"), head=[*HEAD, "Fim"])
    yield Habit("contract_that_ended", content, "a.xlsx", {2: ask("held.validity"), 3: ask("held.validity")})
    legend = ["F = faturar   X = não faturar   J = já faturado neste mês"]
    content = table(good(1, "F"), good(2, "X"), good(3, "J"), [], legend, head=[*HEAD, "Sit."])
    coded = ask("held.footnote")
    yield Habit("legend_of_letters", content, "a.xlsx", {2: bill(10_001), 3: coded, 4: coded})
    content = table(good(1, "SP"), good(2, "RJ"), [], ["SP: São Paulo, RJ: Rio"], head=[*HEAD, "UF"])
    yield Habit("legend_of_states", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})


def _headers() -> Iterator[Habit]:
    for number, header in enumerate(_ONLY_AMOUNTS):
        content = xlsx([*HEAD[:3], header, "Obs"], good(1), good(2))
        rows: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002)}
        yield Habit(f"only_figures_{number}", content, "a.xlsx", rows, remarks=("column.only_amount",))
    for number, header in enumerate(_NO_AMOUNTS):
        content = xlsx([*HEAD[:3], header], good(1))
        yield Habit(f"other_figures_{number}", content, "a.xlsx", {}, stops="column.missing")
    content = xlsx([*HEAD[:3], "Honorário fixo", "Honorário variável"], good(1, 20.0))
    yield Habit("two_columns_of_charges", content, "a.xlsx", {}, stops="column.missing")
    head = ["Empresa", "CNPJ", "Vidas ativas", "R$/vida", "Fatura do mês"]
    product = [["Ana Ltda", doc(1), 44.0, 18.0, 792.0], ["Bia Ltda", doc(2), 9.0, 22.0, 198.0]]
    yield Habit("product_of_two_columns", xlsx(head, *product), "a.xlsx", {2: bill(79_200), 3: bill(19_800)})
    content = xlsx(head[:4], *(row[:4] for row in product))
    yield Habit("price_without_a_total", content, "a.xlsx", {}, stops="column.missing")
    content = xlsx(["Depositante", "CNPJ", "Galpão", "Valor Armazenagem"], ["Ana Ltda", doc(1), "G1", 100.01])
    yield Habit("document_alone_in_a_header", content, "a.xlsx", {2: bill(10_001)}, remarks=("column.only_amount",))
    content = xlsx(["CNPJ", "Serviço", "Preço"], [doc(1), "Consultoria", 100.01])
    yield Habit("price_without_a_count", content, "a.xlsx", {2: bill(10_001)}, remarks=("column.only_amount",))
    content = xlsx(["CNPJ", "Serviço", "Preço", "Alunos"], [doc(1), "Curso", 100.01, 3.0])
    yield Habit("price_beside_a_figure", content, "a.xlsx", {}, stops="column.missing")
    content = xlsx([*HEAD[:3], "Medição Nº", "Valor Medição"], [*good(1)[:3], 2.0, 100.01])
    yield Habit("number_beside_an_amount", content, "a.xlsx", {2: bill(10_001)})
    content = xlsx([*HEAD, "UF", "Estado"], good(1, "RJ", "Ativo"), good(2, "SP", "Cancelado"))
    yield Habit("state_of_a_sale", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = xlsx([*HEAD, "Estado"], good(1, "Activo"), good(2, "Anulado"))
    yield Habit("state_that_is_a_status", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = xlsx([*HEAD, "Estado"], good(1, "Rio de Janeyro"))
    yield Habit("state_with_a_typing_error", content, "a.xlsx", {2: ask("row.state")})
    content = xlsx([*HEAD[:3], "Área (m²)", "Preço m²"], [*good(1)[:3], 100.0, 5.0], [*good(2)[:3], 200.0, 5.0])
    yield Habit("price_of_a_square_metre", content, "a.xlsx", {2: bill(50_000), 3: bill(100_000)})
    head = ["Aluno", "Responsável", "CPF", "Mensalidade"]
    payer = bill(10_000, document=person(1).number, name="Otto Lima")
    yield Habit("payer_before_a_document", xlsx(head, ["Nina Lima", "Otto Lima", cpf(1), 100.0]), "a.xlsx", {2: payer})
    head = ["Responsável", "Aluno", "CPF", "Mensalidade"]
    pupil = bill(10_000, document=person(1).number, name="Nina Lima")
    yield Habit("pupil_before_a_document", xlsx(head, ["Otto Lima", "Nina Lima", cpf(1), 100.0]), "a.xlsx", {2: pupil})
    head = ["Segurado", "CPF", "Seguradora", "CNPJ Seguradora", "Valor"]
    content = xlsx(head, ["Nina Lima", cpf(1), "Ana Seguros SA", doc(1), 350.0])
    yield Habit("insured_beside_an_insurer", content, "a.xlsx", {}, stops="column.twice")
    content = xlsx(["Seguradora", "CNPJ Seguradora", *head[:1], "CPF do segurado", "Valor"],
                   ["Ana Seguros SA", doc(1), "Nina Lima", cpf(1), 350.0])  # fmt: skip
    yield Habit("insurer_before_the_insured", content, "a.xlsx", {2: bill(35_000, name="Ana Seguros SA")})
    content = xlsx(["CPF para a nota fiscal", "Nome", "Valor"], [cpf(1), "Ana", 100.01])
    one: dict[int, Expectation] = {2: bill(10_001)}
    yield Habit("only_documents", content, "a.xlsx", one, remarks=("column.only_document",))
    content = xlsx(["CPF do aluno para contato", "Nome", "Valor"], [cpf(1), "Ana", 100.01])
    yield Habit("documents_of_somebody_else", content, "a.xlsx", {}, stops="column.missing")
    head = [*HEAD[:3], "Valor Contrato", "Valor desta Etapa"]
    held: dict[int, Expectation] = {2: _SIDE, 3: _SIDE}
    yield Habit("stage_of_a_contract", xlsx(head, good(1, 50.0), good(2, 60.0)), "a.xlsx", held)


def _titles_and_totals() -> Iterator[Habit]:
    content = xlsx([*HEAD, "Status"], good(1, "Aprobado"), good(2, "No aprobado"), good(3, "Anulado"))
    held = ask("held.status_unknown")
    yield Habit("approved_in_spanish", content, "a.xlsx", {2: bill(10_001), 3: held, 4: ask("held.status")})
    for number, title in enumerate(("PRÉVIA DE FATURAMENTO 11/2026", "Valores sujeitos a alteração")):
        content = xlsx([title], HEAD, good(1))
        yield Habit(f"not_final_{number}", content, "a.xlsx", {3: ask("held.section")})
    content = xlsx([title.replace("sujeitos a alteração", "previamente aprovados")], HEAD, good(1))
    yield Habit("approved_before", content, "a.xlsx", {3: bill(10_001)})
    head = [*HEAD[:3], "Horas", "Valor hora", "Total do boletim"]
    content = xlsx(head, [*good(1)[:3], 10.0, 50.0, 500.0], [*good(2)[:3], 10.0, 50.0, 700.0])
    differs: dict[int, Expectation] = {2: bill(50_000), 3: ask("amount.product_differs")}
    yield Habit("total_beside_a_product", content, "a.xlsx", differs, remarks=("column.only_amount",))
    content = xlsx(["Client", "Tax ID", "Retainer"], ["Ana Ltda", doc(1), 100.01])
    yield Habit("retainer", content, "a.xlsx", {2: bill(10_001)}, remarks=("column.only_amount",))
