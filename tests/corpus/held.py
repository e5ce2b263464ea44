"""Rows that must not be billed: by a status, a number, a payment, a remark, a strikethrough, a title."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, good
from tests.corpus.sheets import table, xlsx

_STATUS = {
    "cancelado": "CANCELADO", "cancelada": "Cancelada em 03/11", "suspenso": "Suspenso", "nao_faturar": "Não faturar",
    "ja_emitida": "Já emitida", "emitida": "Emitida", "faturado": "FATURADO", "inativo": "inativo",
    "rescindido": "Rescindido",
    "aguardando": "Aguardando PO", "bloqueado": "Bloqueado", "em_analise": "Em análise", "nao_emitir": "NÃO EMITIR NF",
    "estornado": "Estornado", "encerrado": "Contrato encerrado", "duplicado": "Duplicado", "pausado": "pausado",
    "assinatura": "Aguardando assinatura", "confirmacao": "Aguardando confirmação do pagamento",
    "entrada": "Aguardando pagamento da entrada", "pago": "Pagamento confirmado",
    "sem_cobranca": "sem cobrança", "nao_cobrar": "não cobrar este mês", "trancado": "Matrícula trancada",
}  # fmt: skip
_GOES = (
    "Ativo", "OK", "A faturar", "Normal", "Em aberto", "Liberado", "Faturar", "Aprovado", "Aguardando pagamento",
    "Aguardando recebimento", "Aguard. pgto", "2 - Aguardando o pagamento do cliente", "Pendente de pagamento",
    "Pagamento pendente", "A receber", "A vencer", "Awaiting payment",
)  # fmt: skip
_NOTES = (
    "não faturar", "NAO FATURAR ATE SEGUNDA ORDEM", "cancelar", "Cliente cancelou em outubro", "aguardar aprovação",
    "Aguardando nº do pedido", "favor não emitir", "já emitida pela filial", "suspender este mês", "nao cobrar",
    "verificar valor com a Ana", "segurar até dia 25", "faturar só em dezembro",
    "emitir apenas após aprovação",
    "cobrar junto com dezembro", "pular este mês", "não precisa de nota", "faturar dia 25", "emitir em nome da matriz",
    "emitir com data de dezembro",
    "valor em discussão", "já mandei", "NF feita manualmente", "faturado pela matriz", "isento este mês",
    "carência até jan/27", "cortesia", "brinde", "grátis no 1º mês", "cobrar em dobro",
    "valor errado", "dar baixa",
    "cliente inativo desde set", "empresa fechou", "faleceu", "saiu em outubro", "desligado",
)  # fmt: skip
_HARMLESS = (
    "pedido 4500", "cliente novo", "não cancelar", "enviar por e-mail", "reajuste de 5% aplicado", "VIP",
    "pagamento dia 25", "valor reajustado", "faturar conforme contrato", "cobrança por boleto",
    "enviar junto com o relatório", "isento de ICMS", "só atende à tarde",
)  # fmt: skip


def habits() -> Iterator[Habit]:
    for name, text in _STATUS.items():
        content = table(good(1, "Ativo"), good(2, text), head=[*HEAD, "Situação"])
        yield Habit(f"status_{name}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    for number, text in enumerate(_GOES):
        content = table(good(1, text), head=[*HEAD, "Status"])
        yield Habit(f"status_goes_{number}", content, "a.xlsx", {2: bill(10_001, "row.status_said")})
    for number, text in enumerate(_NOTES):
        content = table(good(1), good(2, text), head=[*HEAD, "Obs"])
        yield Habit(f"note_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.notes")})
    for number, text in enumerate(_HARMLESS):
        content = table(good(1, text), head=[*HEAD, "Observações"])
        unprinted = bill(10_001, "row.notes_unprinted", observations=None)
        yield Habit(f"note_harmless_{number}", content, "a.xlsx", {2: unprinted})
    yield from _columns()
    yield from _marks()
    yield from _titles()


def _columns() -> Iterator[Habit]:
    held = ask("held.invoiced")
    for number, header in enumerate(
        ("Nº NFSe", "Nota", "NF", "Número da Nota", "Nota Fiscal", "NFS-e", "Nº NF", "RPS")
    ):
        content = table(good(1), good(2, 1234.0), head=[*HEAD, header])
        yield Habit(f"invoice_number_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    content = table(good(1, "a emitir"), good(2, "NF 2026/88"), good(3, "-"), head=[*HEAD, "NF"])
    yield Habit("invoice_number_words", content, "a.xlsx", {2: bill(10_001), 3: held, 4: bill(10_003)})
    content = table(good(1, "Não"), good(2, "Sim"), head=[*HEAD, "Pago"])
    yield Habit("paid_some", content, "a.xlsx", {2: bill(10_001), 3: ask("held.paid")})
    content = table(good(1, "Aguardando pagamento"), good(2, "Sim"), good(3, "Aguardando"), head=[*HEAD, "Pago"])
    yield Habit("paid_awaited", content, "a.xlsx", {2: bill(10_001), 3: ask("held.paid"), 4: bill(10_003)})
    content = table(good(1, "A emitir"), good(2, "Aguardando pagamento"), head=[*HEAD, "Status da Nota"])
    yield Habit("issued_but_not_paid", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = table(good(1, "Aguardando pagamento"), good(2, "Cancelada"), head=[*HEAD, "Situação da Cobrança"])
    yield Habit("unpaid_beside_a_cancelled_one", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = table(good(1, "Sim"), good(2, "Sim"), head=[*HEAD, "Pago"])
    yield Habit("paid_all", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = table(good(1, None), good(2, "X"), head=[*HEAD, "Faturado"])
    yield Habit("billed_x", content, "a.xlsx", {2: bill(10_001), 3: ask("held.billed")})
    content = table(good(1, "N"), good(2, "S"), head=[*HEAD, "Cancelado"])
    yield Habit("cancelled_yes", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = table(good(1, "S"), good(2, "N"), head=[*HEAD, "Ativo"])
    yield Habit("active_no", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = table(good(1, "Cancelado", "S"), good(2, "Cancelado", "N"), head=[*HEAD, "Situação", "Faturar"])
    released = bill(10_001, "row.released", is_released=None)
    yield Habit("released_by_one_cell", content, "a.xlsx", {2: released, 3: ask("row.not_wanted", "held.status")})
    content = table(good(1, "Cancelado", "S"), head=[*HEAD, "Situação", "Emitir NF"])
    yield Habit("chosen_but_cancelled", content, "a.xlsx", {2: ask("held.status")})
    head = [*HEAD, "Situação", "Status do Contrato"]
    content = table(good(1, "ok", "Ativo"), good(2, "ok", "Suspenso"), head=head)
    yield Habit("two_status_columns", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = table(good(1, "Ok p/ faturar"), good(2, "canselado"), head=[*HEAD, "Sitaução"])
    yield Habit("status_misspelt", content, "a.xlsx", {2: bill(10_001, "row.status_said"), 3: ask("held.status")})
    content = table(good(1, "paid"), good(2, "expired"), good(3, "partially_paid"), head=[*HEAD, "status"])
    paid: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.status"), 4: ask("held.status")}
    yield Habit("status_of_a_payment_platform", content, "a.xlsx", paid)
    content = table(good(1, 300.0), good(2, 100.02), head=[*HEAD, "Medição atual"])
    yield Habit("measured_amount_beside", content, "a.xlsx", {2: ask("held.side_amount"), 3: bill(10_002)})
    content = table(good(1, 100.01), good(2, 1.0), good(3, 100.03), head=[*HEAD, "Preço de tabela"])
    above: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.side_amount"), 4: bill(10_003)}
    yield Habit("above_the_list_price", content, "a.xlsx", above)
    content = table(good(1, "não"), good(2, "sim"), head=[*HEAD, "Já incluído na NF de outubro?"])
    yield Habit("already_included", content, "a.xlsx", {2: bill(10_001), 3: ask("held.billed")})
    content = table(good(1, "PO 77"), head=[*HEAD, "Observações da Nota"])
    yield Habit("note_for_the_invoice", content, "a.xlsx", {2: bill(10_001, observations="PO 77")})


def _marks() -> Iterator[Habit]:
    def commented(sheet, _book) -> None:
        sheet.write_comment("D3", "não faturar este mês")
        sheet.write_comment("B2", "cliente desde 2019")

    content = table(good(1), good(2), dress=commented)
    yield Habit("comment_says_no", content, "a.xlsx", {2: bill(10_001, "row.comment"), 3: ask("held.comment")})

    def struck(sheet, book) -> None:
        line = book.add_format({"font_strikeout": True})
        for column, value in enumerate(good(2)):
            sheet.write(2, column, value, line)

    content = table(good(1), good(2), dress=struck)
    yield Habit("struck_row", content, "a.xlsx", {2: bill(10_001), 3: ask("held.struck")})

    def struck_amount(sheet, book) -> None:
        sheet.write(2, 3, 100.02, book.add_format({"font_strikeout": True, "num_format": "#,##0.00"}))

    content = table(good(1), good(2), dress=struck_amount)
    yield Habit("struck_amount", content, "a.xlsx", {2: bill(10_001), 3: ask("held.struck")})

    def part_struck(column: int, struck: str, rest: str):
        def dress(sheet, book) -> None:
            sheet.write_rich_string(2, column, book.add_format({"font_strikeout": True}), struck, " ", rest, " ")

        return dress

    rows: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.part_struck")}
    content = table(good(1), good(2), dress=part_struck(1, "Ana Ltda", "Bia Ltda"))
    yield Habit("part_struck_name", content, "a.xlsx", rows)
    content = table(good(1), good(2), dress=part_struck(3, "100,02", "90,00"))
    yield Habit("part_struck_amount", content, "a.xlsx", {2: bill(10_001), 3: ask("held.part_struck")})
    beside = table(good(1), good(2), head=[*HEAD, "E-mail"], dress=part_struck(4, "a@x.example", "; b@x.example"))
    yield Habit("part_struck_email", beside, "a.xlsx", {2: bill(10_001), 3: bill(10_002, "row.part_struck")})
    content = table(good(1), good(2), dress=part_struck(1, "Tomador 2 Ltda", " "))
    yield Habit("struck_in_its_text", content, "a.xlsx", {2: bill(10_001), 3: ask("held.struck")})

    def struck_phone(sheet, book) -> None:
        sheet.write(2, 4, "(11) 97000-1234", book.add_format({"font_strikeout": True}))

    content = table(good(1, None), good(2, None), head=[*HEAD, "Telefone"], dress=struck_phone)
    yield Habit("struck_phone", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002, "row.struck_cell")})


def _titles() -> Iterator[Habit]:
    for name, title in (
        ("cancelled", "CLIENTES CANCELADOS"), ("not_to_bill", "Não faturar"), ("suspended", "Contratos suspensos"),
        ("done", "Notas já emitidas"), ("waiting", "Aguardando aprovação"), ("inactive", "INATIVOS"),
    ):  # fmt: skip
        content = xlsx(HEAD, good(1), [], [title], HEAD, good(2))
        yield Habit(f"second_table_{name}", content, "a.xlsx", {2: bill(10_001), 6: ask("held.section")})
        content = xlsx(HEAD, good(1), [], [None, title], good(2), good(3))
        rows: dict[int, Expectation] = {2: bill(10_001), 5: ask("held.section"), 6: ask("held.section")}
        yield Habit(f"section_{name}", content, "a.xlsx", rows)
    content = xlsx(HEAD, good(1), ["CANCELADOS"], good(2), ["ATIVOS"], good(3))
    yield Habit("section_ends", content, "a.xlsx", {2: bill(10_001), 4: ask("held.section"), 6: bill(10_003)})
    for number, title in enumerate(
        ("Faturamento - Outubro/2026", "NOTAS 10/2026", "Faturamento out/26", "Mês: OUTUBRO DE 2026")
    ):
        content = xlsx([title], [], HEAD, good(1))
        yield Habit(f"other_month_{number}", content, "a.xlsx", {4: ask("held.month")})
    content = xlsx(HEAD, good(1), name="Outubro 2026")
    yield Habit("other_month_sheet", content, "a.xlsx", {2: ask("held.month")})
    for number, title in enumerate(
        ("Faturamento Novembro/2026", "Faturamento do mês", "Emitido em 03/10/2026", "Empresa Dez Ltda")
    ):
        content = xlsx([title], [], HEAD, good(1))
        yield Habit(f"same_month_{number}", content, "a.xlsx", {4: bill(10_001)})
    content = xlsx(["Faturamento Outubro/2026"], (*HEAD, "Competência"), good(1, "11/2026"))
    yield Habit("row_says_its_month", content, "a.xlsx", {3: bill(10_001)})
    content = xlsx(HEAD, good(1), name="Cancelados")
    yield Habit("sheet_of_cancelled", content, "a.xlsx", {2: ask("held.section")})
    other = ("Valor", "Modelo", "Razão Social", "CNPJ/CPF")
    content = xlsx(HEAD, good(1), [], other, list(reversed(good(2))))
    yield Habit("second_table_in_another_order", content, "a.xlsx", {2: bill(10_001), 5: ask("row.other_table")})
