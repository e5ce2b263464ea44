"""Sheets of other trades, as people keep them and as programs export them."""

from collections.abc import Iterator

from tests.corpus.habits import Expectation, Habit, ask, bill, cpf, doc, good, text_of
from tests.corpus.sheets import html, table, xlsx


def habits() -> Iterator[Habit]:
    yield from _condominiums()
    yield from _accountants()
    yield from _schools()
    yield from _clinics()
    yield from _carriers()
    yield from _agencies()
    yield from _exports()
    yield from _online()


def _condominiums() -> Iterator[Habit]:
    one: dict[int, Expectation] = {2: bill(45_000)}
    head = ["Unidade", "Condômino", "CPF", "Taxa de Administração", "Vencimento"]
    content = table(["Ap 101", "Maria Souza", cpf(1), 450.0, "10/12/2026"], head=head)
    yield Habit("condo_units", content, "a.xlsx", one)
    head = ["Condomínio", "CNPJ", "Síndico", "Honorários", "Fundo de Reserva"]
    content = table(["Edifício Aurora", doc(1), "João", 450.0, 80.0], head=head)
    yield Habit("condo_fees", content, "a.xlsx", {2: bill(45_000, name="Edifício Aurora")})
    content = xlsx(
        ["ADMINISTRADORA EXEMPLO"],
        ["Relação de condomínios - novembro/2026"],
        [],
        ["Cód", "Condomínio", "CNPJ", "Valor", "Situação"],
        [1.0, "Edifício Aurora", doc(1), 450.0, "Ativo"],
        [2.0, "Edifício Boreal", doc(2), 450.0, "Rescindiu em outubro"],
        [None, "TOTAL", None, 900.0, None],
    )
    yield Habit("condo_rescinded", content, "a.xlsx", {5: bill(45_000), 6: ask("held.status")})
    content = xlsx(
        ["Bloco A"], ["CNPJ", "Nome", "Valor"], [doc(1), "Ana Ltda", 10.0], [], ["Bloco B"],
        ["CNPJ", "Nome", "Valor"], [doc(2), "Bia Ltda", 20.0],
    )  # fmt: skip
    yield Habit("condo_blocks", content, "a.xlsx", {3: bill(1_000), 7: bill(2_000)})


def _accountants() -> Iterator[Habit]:
    head = ["Cliente", "CNPJ", "Honorários", "13º", "Obs"]
    content = table(["Ana Ltda", doc(1), 1200.0, None, None], ["Bia Ltda", doc(2), 800.0, None, "Baixada em set/26"],
                    head=head)  # fmt: skip
    yield Habit("accounting_closed_company", content, "a.xlsx", {2: bill(120_000), 3: ask("held.notes")})
    head = ["Empresa", "CNPJ", "Regime", "Nº Func.", "Honorário Mensal", "Reajuste"]
    content = table(["Ana Ltda", doc(1), "Simples Nacional", 12.0, 1200.0, "5%"], head=head)
    yield Habit("accounting_staff", content, "a.xlsx", {2: bill(120_000)})
    head = ["Empresa", "CNPJ", "Valor Antigo", "Valor Novo"]
    content = table(["Ana Ltda", doc(1), 1000.0, 1100.0], head=head)
    yield Habit("accounting_old_and_new", content, "a.xlsx", {}, stops="column.missing")
    head = ["Empresa", "CNPJ", "Honorários Out/26", "Honorários Nov/26"]
    content = table(["Ana Ltda", doc(1), 1000.0, 1100.0], head=head)
    yield Habit("accounting_months", content, "a.xlsx", {2: bill(110_000)}, remarks=("column.of_month",))
    head = ["Empresa", "CNPJ", "Valor", "Isento"]
    content = table(["Ana Ltda", doc(1), 1000.0, None], ["Bia Ltda", doc(2), 900.0, "X"], head=head)
    yield Habit("accounting_exempt", content, "a.xlsx", {2: bill(100_000), 3: ask("held.status", "held.notes")})


def _schools() -> Iterator[Habit]:
    head = ["Matrícula", "Aluno", "Responsável", "CPF Responsável", "Turma", "Mensalidade", "Desconto", "Valor a Pagar"]
    content = table(["001", "Ana", "Maria Souza", cpf(1), "5A", 1000.0, 100.0, 900.0], head=head)
    yield Habit("school_discount", content, "a.xlsx", {
        2: bill(100_000, name="Maria Souza", unconditioned_discount_cents=10_000)})  # fmt: skip
    head = ["Aluno", "Responsável", "CPF do Responsável", "Mensalidade", "Bolsa"]
    content = table(["Ana", "Maria Souza", cpf(1), 1000.0, None], ["Bia", "Rosa Lima", cpf(2), 0.0, "100%"], head=head)
    yield Habit("school_scholarship", content, "a.xlsx", {2: bill(100_000), 3: ask("amount.not_positive")})
    head = ["Aluno", "Responsável Financeiro", "CPF", "Valor", "Status"]
    content = table(["Ana", "Maria Souza", cpf(1), 1000.0, "Matriculado"], ["Bia", "Rosa Lima", cpf(2), 900.0,
                    "Transferido"], ["Caio", "Rui Lima", cpf(3), 900.0, "Evadido"], head=head)  # fmt: skip
    rows: dict[int, Expectation] = {2: bill(100_000, name="Maria Souza"), 3: ask("held.status"), 4: ask("held.status")}
    yield Habit("school_left", content, "a.xlsx", rows)
    head = ["Nome do Aluno", "Nome do Responsável", "CPF do Responsável", "Valor da Mensalidade", "Irmãos"]
    content = table(["Ana", "Maria Souza", cpf(1), 1000.0, "Bia"], head=head)
    yield Habit("school_names", content, "a.xlsx", {2: bill(100_000, name="Maria Souza")})


def _clinics() -> Iterator[Habit]:
    head = ["Data", "Paciente", "CPF", "Procedimento", "Convênio", "Valor"]
    content = table(["03/11/2026", "Maria Souza", cpf(1), "Consulta", "Particular", 350.0], head=head)
    yield Habit("clinic_visits", content, "a.xlsx", {2: bill(35_000, name="Maria Souza")})
    head = ["Paciente", "CPF Paciente", "Profissional", "Valor da Consulta", "Status"]
    content = table(["Maria Souza", cpf(1), "Dra. Ana", 350.0, "Atendido"], ["Rosa Lima", cpf(2), "Dr. Rui", 350.0,
                    "Faltou"], ["Rui Lima", cpf(3), "Dr. Rui", 350.0, "Desmarcado"], head=head)  # fmt: skip
    rows: dict[int, Expectation] = {2: bill(35_000), 3: ask("held.status"), 4: ask("held.status")}
    yield Habit("clinic_absent", content, "a.xlsx", rows)
    head = ["Paciente", "CPF", "Sessões", "Valor Sessão", "Total"]
    content = table(["Maria Souza", cpf(1), 4.0, 150.0, 600.0], ["Rosa Lima", cpf(2), 3.0, 150.0, 600.0], head=head)
    yield Habit("clinic_sessions", content, "a.xlsx", {2: bill(60_000), 3: ask("amount.product_differs")})
    head = ["Tutor", "CPF do Tutor", "Pet", "Serviço", "Valor"]
    content = table(["Maria Souza", cpf(1), "Rex", "Banho", 80.0], head=head)
    yield Habit("vet_tutor", content, "a.xlsx", {2: bill(8_000, name="Maria Souza")})


def _carriers() -> Iterator[Habit]:
    head = ["CT-e", "Remetente", "Tomador do Serviço", "CNPJ Tomador", "Valor do Frete"]
    content = table([1001.0, "Fábrica S.A.", "Ana Ltda", doc(1), 2500.0], head=head)
    yield Habit("carrier_freight", content, "a.xlsx", {2: bill(250_000, name="Ana Ltda")})
    head = ["Placa", "Cliente", "CNPJ", "Diárias", "Valor Diária", "Valor Total"]
    content = table(["ABC1D23", "Ana Ltda", doc(1), 10.0, 120.0, 1200.0], head=head)
    yield Habit("carrier_days", content, "a.xlsx", {2: bill(120_000)})
    head = ["Cliente", "CNPJ", "Peso (kg)", "Qtd. Entregas", "Valor Unitário", "Valor Total"]
    content = table(["Ana Ltda", doc(1), 350.5, 10.0, 12.5, 125.0], head=head)
    yield Habit("carrier_deliveries", content, "a.xlsx", {2: bill(12_500)})


def _agencies() -> Iterator[Habit]:
    head = ["Job", "Cliente", "CNPJ", "Fee Mensal", "Mídia", "PO"]
    content = table(["Campanha", "Ana Ltda", doc(1), 8000.0, 20000.0, "PO-1"], head=head)
    yield Habit("agency_fee", content, "a.xlsx", {2: bill(800_000)})
    head = ["Projeto", "Cliente", "CNPJ", "Horas", "Valor Hora", "Total"]
    content = table(["Site", "Ana Ltda", doc(1), 10.0, 200.0, 2000.0], head=head)
    yield Habit("agency_hours", content, "a.xlsx", {2: bill(200_000)})
    head = ["Cliente", "CNPJ", "Valor", "Parcela", "Aprovado?"]
    content = table(["Ana Ltda", doc(1), 100.0, "1/3", "Sim"], ["Bia Ltda", doc(2), 100.0, "2/3", "Não"], head=head)
    yield Habit("agency_approved", content, "a.xlsx", {2: bill(10_000), 3: ask("held.status")})
    head = ["Cliente", "CNPJ", "Valor", "Comissão (%)", "Data Prevista NF"]
    content = table(["Ana Ltda", doc(1), 100.0, 0.15, "30/11/2026"], head=head)
    yield Habit("agency_commission", content, "a.xlsx", {2: bill(10_000)})


def _exports() -> Iterator[Habit]:
    one: dict[int, Expectation] = {2: bill(123_456)}
    head = ["Situação", "Cliente (Nome Fantasia)", "Cliente (Razão Social)", "Cliente (CNPJ/CPF)", "Valor da OS"]
    content = table(["A Faturar", "Ana", "Ana Ltda", doc(1), 1234.56], head=head)
    yield Habit("omie_orders", content, "a.xlsx", {2: bill(123_456, name="Ana Ltda")})
    rows: list[list[object]] = [
        ["Data de competência", "Cliente", "CPF/CNPJ do cliente", "Descrição", "Valor (R$)", "Situação"],
        ["01/11/2026", "Ana Ltda", doc(1), "Suporte", 1234.56, "Em aberto"],
        ["01/11/2026", "Bia Ltda", doc(2), "Suporte", 100.0, "Perdido"],
    ]
    yield Habit("conta_azul", xlsx(*rows), "a.xlsx", one | {3: ask("held.status")})
    text = text_of([
        ["ID", "Nome do Contato", "CPF/CNPJ", "Data de Emissão", "Valor Total", "Situação"],
        ["77", "Ana Ltda", doc(1), "", "1.234,56", "Em aberto"],
    ])  # fmt: skip
    yield Habit("bling_csv", text.encode("cp1252"), "a.csv", one)
    head = ["Nome do cliente", "CPF/CNPJ do cliente", "Descrição do agendamento", "Valor do agendamento", "Categoria"]
    content = table(["Ana Ltda", doc(1), "Suporte", 1234.56, "Receitas"], head=head)
    yield Habit("nibo", content, "a.xlsx", one)
    rows = [["C5_NUM", "A1_NOME", "A1_CGC", "C6_PRODUTO", "C6_VALOR"], ["000123", "ANA LTDA", doc(1), "SUP",
            1234.56]]  # fmt: skip
    yield Habit("totvs_fields", xlsx(*rows), "a.xlsx", one)
    rows = [["Código", "Razão Social", "C.N.P.J./C.P.F.", "Vlr. Total", "Status"], ["000123", "ANA LTDA", doc(1),
            "1.234,56", "Liberado"]]  # fmt: skip
    yield Habit("totvs_browse", html(rows, tags="th"), "a.xls", one)
    rows = [["Cliente", "CNPJ/CPF", "Plano", "Vl. Mensal", "Dt. Cancelamento"], ["Ana Ltda", doc(1), "Ouro",
            "R$ 1.234,56", None], ["Bia Ltda", doc(2), "Ouro", "R$ 10,00", "05/11/2026"]]  # fmt: skip
    yield Habit("saas_subscribers", xlsx(*rows), "a.xlsx", one | {3: ask("held.status", "held.billed")})
    head = ["Customer", "Tax ID", "Description", "Amount (BRL)", "Invoice status"]
    content = table(["Ana Ltda", doc(1), "Support", 1234.56, "Draft"], ["Bia", doc(2), "S", 1.0, "Void"], head=head)
    yield Habit("english_billing", content, "a.xlsx", one | {3: ask("held.status")})


def _online() -> Iterator[Habit]:
    text = f'CNPJ,Razão Social,Modelo,Valor\r\n{doc(1)},"Ana, Bia e Cia Ltda",Consultoria,"R$ 1.234,56"\r\n'
    yield Habit("google_csv", text.encode(), "Faturamento - Folha1.csv", {2: bill(123_456)})
    head = "Timestamp,Nome completo,CPF ou CNPJ,E-mail,Valor do serviço\r\n"
    text = f"{head}01/11/2026 10:00:00,Ana Ltda,{doc(1)},a@x.example,100\r\n"
    yield Habit("google_form", text.encode(), "respostas.csv", {2: bill(10_000)})
    text = f'CNPJ,Nome,Valor\r\n{doc(1)},Ana Ltda,"100,00"\r\n,,\r\n,TOTAL,"100,00"\r\n,,\r\n,Atualizado em 20/11,\r\n'
    yield Habit("google_total", text.encode(), "a.csv", {2: bill(10_000)})
    text = f"CNPJ,Nome,Valor,Enviado\r\n{doc(1)},Ana Ltda,100,FALSE\r\n{doc(2)},Bia Ltda,200,TRUE\r\n"
    yield Habit("google_checkbox", text.encode(), "a.csv", {2: bill(10_000), 3: ask("held.billed")})
    text = f"CNPJ,Nome,Valor\r\n{doc(1)},Ana Ltda,#REF!\r\n{doc(2)},#N/D,200\r\n"
    yield Habit("google_errors", text.encode(), "a.csv", {
        2: ask("row.error_cell"), 3: ask("row.error_cell")})  # fmt: skip
    content = table(*(good(number, "PIX") for number in (1, 2)), head=["CNPJ", "Nome", "Modelo", "Valor", "Pagamento"])
    yield Habit("paid_by_pix", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
