"""Sheets that contradict or qualify their own charges: sums among charges, texts of another kind, unknown statuses."""

from collections.abc import Iterator
from datetime import date

from connectors.spreadsheets.services import Defaults
from tests.corpus.habits import HEAD, NOVEMBER, Expectation, Habit, ask, bill, doc, good
from tests.corpus.sheets import table, xlsx
from tests.corpus.shops import order_habit
from tests.tasks.rows import RIO

_NO_SERVICES = (
    "Recibo nº 31 - diária de montagem", "Nota de débito 15/2026", "Caução da sala 12", "Saldo anterior",
    "Depósito em garantia (devolver)",
    "Doação para a festa junina", "Estorno de boleto pago a maior", "Juros e multa do boleto vencido",
    "Juros por atraso", "Multa por quebra de fidelidade", "Reembolso de despesas com táxi",
    "Ressarcimento de custas do cartório", "Adiantamento de despesas de obra", "Substituição da NFS-e 4471",
    "Reemissão da nota 88", "Plano ouro (distrato em 20/10)", "Aula avulsa - cancelada em 12/11",
    "Aula avulsa - sem nota fiscal", "Som e luz (nota de débito)", "Palestra ref. XX/XX", "Aulas de {mês}",
    "Manutenção mm/aaaa",
)  # fmt: skip
_SERVICES = (
    "Defesa de multa de trânsito", "Multas de trânsito: consulta e recurso", "Recibos de aluguel: emissão mensal",
    "Ação de devolução de valores", "Doação de imóvel: minuta da escritura", "Juros abusivos - ação revisional",
    "Substituição de disjuntor", "Substituição tributária: consulta", "Estorno de crédito de ICMS: apuração",
    "Adiantamento de 50% do projeto", "Depósito de marca no INPI", "Cancelamento de NF-e: treinamento",
    "Correção de redação 12", "Rescisão de contrato de trabalho: cálculo", "XIX Congresso de Ortopedia",
    "Reembolso assistido de consultas",
)  # fmt: skip


def habits() -> Iterator[Habit]:
    yield from _texts()
    yield from _sums()
    yield from _lines()
    yield from _months()
    yield from _dates()
    yield from _statuses()
    yield from _figures()
    yield from _prices()
    yield from _notes()
    yield from _goods()
    yield from _columns()
    yield from _headers()


def _texts() -> Iterator[Habit]:
    head = [*HEAD, "Discriminação"]
    for number, text in enumerate(_NO_SERVICES):
        content = table(good(1, "Aula de novembro"), good(2, text), head=head)
        rows: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.kind", "text.placeholder")}
        yield Habit(f"no_service_{number}", content, "a.xlsx", rows)
    for number, text in enumerate(_SERVICES):
        content = table(good(1, text), head=head)
        yield Habit(f"service_about_such_{number}", content, "a.xlsx", {2: bill(10_001, description=text)})
    content = table(good(1, "Juros e multa", "S"), head=[*head, "Faturar"])
    yield Habit("no_service_released", content, "a.xlsx", {2: bill(10_001, "row.released")})


def _row(customer: int, text: object, amount: object, *more: object, name: str | None = None) -> list[object]:
    return [doc(customer), name or f"Tomador {customer} Ltda", text, amount, *more]


def _sums() -> Iterator[Habit]:
    head = ["CNPJ", "Cliente", "Descrição", "Valor"]
    both: dict[int, Expectation] = {2: bill(8_000), 3: bill(12_000)}
    charges, other = [_row(1, "Frete", 80.0), _row(1, "Carga", 120.0)], _row(2, "Frete", 50.0)
    for number, (text, name) in enumerate(
        ((None, "Total Tomador 1 Ltda"), (None, "Tomador 1 Ltda - Total"), (None, "SUBTOTAL"), ("Subtotal", None))
    ):
        content = table(*charges, _row(1, text, 200.0, name=name), other, head=head)
        yield Habit(f"total_with_document_{number}", content, "a.xlsx", both | {5: bill(5_000)})
    wrong = table(*charges, _row(1, None, 210.0, name="Total Tomador 1 Ltda"), head=head)
    differs = ("sheet.total_of_customer_differs",)
    yield Habit("total_with_document_differs", wrong, "a.xlsx", both, remarks=differs)
    held = ask("held.sum")
    content = table(*charges, _row(1, None, 200.0), other, head=head)
    yield Habit("sum_without_a_word", content, "a.xlsx", both | {4: held, 5: bill(5_000)})
    content = table(*charges, _row(1, "Total do mês", 200.0), head=head)
    yield Habit("sum_with_a_label", content, "a.xlsx", both | {4: held})
    hours = [_row(1, "Aula", 80.0, 2.0), _row(1, "Prova", 120.0, 3.0), _row(1, None, 200.0, 5.0)]
    content = table(*hours, head=[*head, "Aulas dadas"])
    yield Habit("sum_of_counts_too", content, "a.xlsx", both | {4: held})
    texts = [_row(1, "Frete", "80,00"), _row(1, "Carga", "120,00"), _row(1, None, "200,00")]
    yield Habit("sum_in_texts", table(*texts, head=head), "a.xlsx", both | {4: held})
    for name, last, extra in (
        ("charge_of_the_same_amount", _row(1, "Mudança", 200.0), 20_000), ("no_sum", _row(1, None, 210.0), 21_000),
        ("sum_of_another_customer", _row(2, None, 200.0), 20_000),
    ):  # fmt: skip
        yield Habit(f"{name}_stands", table(*charges, last, head=head), "a.xlsx", both | {4: bill(extra)})
    content = table(_row(1, "Total", 80.0), _row(1, "Básico", 120.0), head=head)
    yield Habit("plan_named_total", content, "a.xlsx", both)
    content = table(_row(3, "Gás", 80.0, name="Total Energia Ltda"), _row(3, "Luz", 120.0, name="Total Energia Ltda"),
                    head=head)  # fmt: skip
    yield Habit("customer_named_total", content, "a.xlsx", both)
    days = {80.0: "03/11/2026", 120.0: "10/11/2026", 200.0: "17/11/2026"}
    visits = [[*_row(1, "Visita", amount), day] for amount, day in days.items()]
    content = table(*visits, head=[*head, "Data da visita"])
    yield Habit("visits_on_days", content, "a.xlsx", both | {4: bill(20_000)})


def _months() -> Iterator[Habit]:
    held, head = ask("held.validity"), [*HEAD, "Discriminação"]
    for number, (own, other) in enumerate(
        (("Aulas 11/2026", "Aulas 10/2026"), ("Aulas nov/26", "Aulas dez/26"),
         ("Aluguel ref. novembro", "Aluguel ref. outubro"),
         ("Ronda de 01/11 a 30/11/2026", "Ronda de 01/09 a 30/09/2026"),
         ("Suporte 01/11/2026 a 30/11/2026", "Suporte 01/10/2026 a 31/10/2026"),
         ("Honorários novembro/2026", "Honorários janeiro/2026"))
    ):  # fmt: skip
        content = table(good(1, own), good(2, own), good(3, other), head=head)
        rows: dict[int, Expectation] = {2: bill(10_001), 3: bill(10_002), 4: held}
        yield Habit(f"text_of_another_month_{number}", content, "a.xlsx", rows)
    for number, text in enumerate(
        ("Aulas, contrato de 03/2025", "Aulas com reajuste 10/2026", "Ronda de 15/10 a 14/11/2026",
         "Aulas de out e nov/2026",
         "Aulas de março a dezembro, anuidade 2026", "Obra 12/2026", "Aulas", "Aula extra em 28/10/2026",
         "Licença 06/2026 a 05/2027", "Venda de mar e serra", "Frete ref. NF 10/2026")
    ):  # fmt: skip
        content = table(good(1, "Aulas 11/2026"), good(2, text), head=head)
        yield Habit(f"text_of_no_other_month_{number}", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = table(good(1, "Folha 10/2026"), good(2, "Folha 10/2026"), good(3, "Folha 09/2026"), head=head)
    yield Habit("texts_of_the_month_before", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002), 4: bill(10_003)})
    head = [*HEAD, "Discriminação", "Competência"]
    content = table(good(1, "Aulas 10/2026", "10/2026"), good(2, "Aulas 11/2026", "11/2026"),
                    good(3, "Aulas 11/2026", "10/2026"), head=head)  # fmt: skip
    yield Habit("text_against_its_row", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002), 4: held})
    content = table(good(1), good(2, "ref. outubro"), good(3, "ligar em outubro"), head=[*HEAD, "Obs"])
    yield Habit("note_of_another_month", content, "a.xlsx", {2: bill(10_001), 3: held, 4: bill(10_003)})
    content = table(good(1, "ref. outubro"), good(2, "ref. outubro"), head=[*HEAD, "Obs"])
    yield Habit("notes_of_the_month_before", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})


def _statuses() -> Iterator[Habit]:
    held, unknown = ask("held.status"), ask("held.status_unknown")
    for number, (header, done, others) in enumerate(
        (("Status OS", "Concluída", ("Em andamento", "Orçamento", "Garantia", "Agendada")),
         ("Situação do chamado", "Resolvido", ("Em atendimento", "Na fila", "Concluído - aguardando peça", "Faturado")),
         ("Status da visita", "Realizada", ("Programada", "Cancelada", "A iniciar", "Retorno")))
    ):  # fmt: skip
        content = table(
            good(1, done), *(good(2 + place, text) for place, text in enumerate(others)), head=[*HEAD, header]
        )
        rows: dict[int, Expectation] = {2: bill(10_001), **dict.fromkeys(range(3, 3 + len(others)), held)}
        yield Habit(f"status_of_work_{number}", content, "a.xlsx", rows)
    content = table([7.0, *good(1, "Concluída")], [8.0, *good(2, "Finalizada")], head=["OS", *HEAD, "Status"])
    yield Habit("status_beside_orders_for_work", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = table(good(1, "Ativo"), good(2, "Suspenso"), head=[*HEAD, "Situação do serviço"])
    yield Habit("status_of_a_running_service", content, "a.xlsx", {2: bill(10_001), 3: held})
    content = table(good(1, "Recebida"), good(2, "Estornada"), good(3, "Recebida"), head=[*HEAD, "Situação"])
    yield Habit("payments_that_came_back", content, "a.xlsx", {2: bill(10_001), 3: held, 4: bill(10_003)})
    content = table(
        good(1, "succeeded"), good(2, "refunded"), good(3, "draft"), good(4, "paid"), head=[*HEAD, "Status"]
    )
    yield Habit("payments_in_english", content, "a.xlsx",
                {2: bill(10_001), 3: held, 4: unknown, 5: bill(10_004)})  # fmt: skip
    content = table(good(1, "Realizado"), good(2, "Previsto"), good(3, "Confirmado"), head=[*HEAD, "Situação"])
    yield Habit("planned_beside_done", content, "a.xlsx", {2: bill(10_001), 3: held, 4: bill(10_003)})
    content = table(good(1, "Previsto"), good(2, "Previsto"), head=[*HEAD, "Situação"])
    yield Habit("planned_alone", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = table(good(1, "Realizado"), good(2, "Previsto"), head=[*HEAD, "Tipo"])
    yield Habit("kind_of_a_forecast", content, "a.xlsx", {2: bill(10_001), 3: ask("held.kind")})
    content = table(good(1, "Implantação"), good(2, "Depósito caução (a devolver)"), head=[*HEAD, "Lançamento"])
    yield Habit("entry_that_is_a_deposit", content, "a.xlsx", {2: bill(10_001), 3: ask("held.kind")})
    content = table(good(1, "Caução"), good(2, "Fiador"), head=[*HEAD, "Garantia locatícia"])
    yield Habit("deposit_as_security_of_a_contract", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    content = table(good(1, "01/03/2026"), good(2, "01/01/2027"), head=[*HEAD, "Vigência a partir de"])
    yield Habit("contract_of_next_year", content, "a.xlsx", {2: bill(10_001), 3: ask("held.validity")})
    content = table(good(1), good(2, "NFS-e 2026/418"), head=[*HEAD, "NF emitida nº"])
    yield Habit("number_of_an_issued_invoice", content, "a.xlsx", {2: bill(10_001), 3: ask("held.invoiced")})
    content = table(good(1, "✅"), good(2, "❌"), good(3, "⛔"), head=[*HEAD, "Status"])
    yield Habit("status_marks", content, "a.xlsx", {2: bill(10_001), 3: held, 4: held})
    for number, text in enumerate(("Lista B", "Mudança de plano", "Sem retorno", "???")):
        content = table(good(1, "Ativo"), good(2, "Cancelado"), good(3, text), head=[*HEAD, "Situação"])
        yield Habit(f"status_unknown_{number}", content, "a.xlsx", {2: bill(10_001), 3: held, 4: unknown})
        content = table(good(1, "Ativo"), good(2, text), head=[*HEAD, "Situação"])
        yield Habit(f"status_unknown_alone_{number}", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})
    for number, text in enumerate(
        ("Inadimplente", "Em dia", "A faturar", "Pendente", "Não bloqueado", "Renovado em 2025", "Em vigor")
    ):
        content = table(good(1, text), good(2, "Cancelado"), head=[*HEAD, "Situação"])
        yield Habit(f"status_known_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    content = table(good(1, "Sei lá", "S"), good(2, "Cancelado", "N"), head=[*HEAD, "Situação", "Faturar"])
    yield Habit("status_unknown_released", content, "a.xlsx", {2: bill(10_001, "row.released"), 3: ask("held.status")})


def _figures() -> Iterator[Habit]:
    held = ask("amount.multiplied")
    for number, (code, shown) in enumerate(
        (
            ('#,##0.0" mil"', 1.5),
            ('0.0"k"', 2.25),
            ('"R$ "0.00" milhões"', 1.2),
            ('0" centavos"', 900.0),
            ("0.0\\k", 3.0),
        )
    ):
        content = table(good(1), good(2), head=HEAD, shaped={"D3": (shown, code)})
        yield Habit(f"format_multiplies_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    for number, code in enumerate(('"R$ "#,##0.00', '#,##0.00" reais"', '0.00" /mês"', '0.00,"k"', '#,##0.00" (km)"')):
        content = table(good(1), good(2), head=HEAD, shaped={"D3": (100.02, code)})
        yield Habit(f"format_of_reais_{number}", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})


def _dates() -> Iterator[Habit]:
    far = ask("held.far_date")
    for number, (day, found) in enumerate(
        (
            ("20/11/2016", far), ("03/11/2025", far), ("30/09/2026", bill(2_500)), ("31/08/2026", far),
            ("02/02/2027", far),
        )
    ):  # fmt: skip
        orders = [{"Pedido": "1"}, {"Pedido": "2"}, {"Pedido": "3", "Data da Venda": day}]
        yield order_habit(f"sale_on_a_far_day_{number}", *orders, rows={2: bill(2_500), 3: bill(2_500), 4: found})
    content = table(good(1, "11/2026"), good(2, "11/2024"), head=[*HEAD, "Competência"])
    yield Habit("far_competence", content, "a.xlsx", {2: bill(10_001), 3: far})
    content = table(good(1, "11/2026"), good(2, "05/2026"), head=[*HEAD, "Competência"])
    yield Habit("late_competence", content, "a.xlsx", {2: bill(10_001), 3: bill(10_002)})


def _lines() -> Iterator[Habit]:
    blocked, again = ask("product.order_blocked"), ask("held.line_twice")
    one, two = {"Pedido": "1"}, {"Pedido": "2"}
    yield order_habit("line_twice_in_an_order", one, one, two, rows={2: blocked, 3: again, 4: bill(2_500)})
    yes = {**one, "Faturar": "S"}
    yield order_habit("line_twice_released", yes, yes, rows={2: bill(5_000, "row.released"), 3: bill(5_000)})
    lines = ({**one, "Item nº": 1.0}, {**one, "Item nº": 2.0})
    yield order_habit("lines_with_numbers", *lines, rows={2: bill(5_000), 3: bill(5_000)})
    yield order_habit("one_line_in_each_order", one, two, rows={2: bill(2_500), 3: bill(2_500)})


def _goods() -> Iterator[Habit]:
    one, two = {"Pedido": "1"}, {"Pedido": "2"}
    held = ask("held.notes", "held.entry")
    for number, (header, text) in enumerate(
        (("Obs", "mercadoria em consignação"), ("Obs", "em comodato"), ("Tipo de item", "Componente do kit"),
         ("Papel", "parte do combo"))
    ):  # fmt: skip
        yield order_habit(
            f"goods_not_sold_{number}", {**one, header: None}, {**two, header: text}, rows={2: bill(2_500), 3: held}
        )
    for number, text in enumerate(("kit para presente", "deixar na portaria", "combo do dia")):
        yield order_habit(f"goods_sold_{number}", {**one, "Obs": text}, rows={2: bill(2_500)})


def _prices() -> Iterator[Habit]:
    one, two = {"Pedido": "1"}, {"Pedido": "2"}
    prices = [
        {**one, "Preço Unitário": "12.50", "Valor Total": None},
        {**two, "Preço Unitário": "1.250", "Valor Total": None},
    ]
    yield order_habit("thousand_beside_cents", *prices, rows={2: bill(2_500), 3: ask("product.quantity_unreadable")})
    for number, (quantity, price, verdict) in enumerate(
        (
            ("3,000", "12,5000", bill(3_750)),
            ("3.000", "12.5000", bill(3_750)),
            ("3.000", "12,50", ask("product.quantity_unreadable")),
            ("3,000", "1,250", ask("product.quantity_unreadable")),
        )
    ):
        sale = {**one, "Quantidade": quantity, "Preço Unitário": price, "Valor Total": None}
        yield order_habit(f"quantity_in_thousandths_{number}", sale, rows={2: verdict})
    fine = {**one, "Preço Unitário": "4.8125", "Quantidade": 100.0, "Valor Total": None}
    priced = {**two, "Preço Unitário": "1.250", "Quantidade": 100.0, "Valor Total": None}
    yield order_habit("fine_prices", fine, priced, rows={2: bill(48_125), 3: bill(12_500)})


def _notes() -> Iterator[Habit]:
    for number, text in enumerate(
        ("50% em cada CNPJ", "metade para a filial", "meio a meio com a matriz", "uma nota para cada loja")
    ):
        content = table(good(1), good(2, text), head=[*HEAD, "Obs"])
        yield Habit(f"note_shares_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.notes")})
    for number, text in enumerate(
        ("não enviar boleto, deposita na conta", "não emitir boleto", "não mandar recibo", "50% de entrada paga",
         "atende cada loja às segundas", "cancelou o jornal impresso")
    ):  # fmt: skip
        content = table(good(1, text), head=[*HEAD, "Obs"])
        yield Habit(f"note_of_another_thing_{number}", content, "a.xlsx", {2: bill(10_001)})
    for number, text in enumerate(
        (
            "não enviar boleto; não faturar",
            "não gerar boleto nem nota",
            "não emitir a nota",
            "cancelou o contrato",
            "cancelou a matrícula",
        )
    ):
        content = table(good(1), good(2, text), head=[*HEAD, "Obs"])
        yield Habit(f"note_of_this_thing_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.notes")})
    comments: dict[str, Expectation] = {
        "Valores antes do reajuste": ask("held.section"), "falta aplicar o IPCA": ask("held.section"),
        "ainda sem o reajuste": ask("held.section"),
        "valores já reajustados": bill(10_001), "com impostos": bill(10_001),
    }  # fmt: skip
    for number, (text, found) in enumerate(comments.items()):
        content = table(good(1), dress=lambda sheet, _book, text=text: sheet.write_comment("D1", text))
        yield Habit(f"comment_on_amounts_{number}", content, "a.xlsx", {2: found})


def _columns() -> Iterator[Habit]:
    head = [*HEAD, "Motivo da Rescisão"]
    content = table(good(1, None), good(2, "fechou as portas"), good(3, "-"), head=head)
    yield Habit("reason_of_an_end", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status"), 4: bill(10_003)})
    for number, header in enumerate(("CNPJ Novo", "Novo CNPJ", "CNPJ Correto")):
        content = table(good(1, None), good(2, doc(9)), good(3, doc(3)), head=[*HEAD, header])
        rows: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.other_document"), 4: bill(10_003)}
        yield Habit(f"newer_document_{number}", content, "a.xlsx", rows)
    content = table(good(1, doc(9)), head=[*HEAD, "CNPJ da transportadora"])
    yield Habit("document_of_a_third", content, "a.xlsx", {2: bill(10_001)})
    head = ["CNPJ", "Cliente", "Abr", "Mai", "Jun", "Total"]
    one, two = [doc(1), "Ana Ltda"], [doc(2), "Bia Ltda"]
    content = table([*one, 10.0, 10.0, 10.0, 30.0], [*two, 20.0, 20.0, 20.0, 60.0], head=head)
    held = ask("held.side_amount")
    yield Habit("total_of_other_months", content, "a.xlsx", {2: held, 3: held})
    content = table([*one, None, None, 10.0, 10.0], [*two, None, None, 20.0, 20.0], head=head)
    yield Habit("total_of_one_month", content, "a.xlsx", {2: bill(1_000), 3: bill(2_000)})
    others = {"Cancelados": [["CNPJ", "Motivo"], [doc(2), "mudou"]], "Clientes": [["CNPJ"], [doc(3)]]}
    content = table(good(1), good(2), good(3), others=others)
    rows = {2: bill(10_001), 3: ask("held.listed"), 4: bill(10_003)}
    yield Habit("listed_as_cancelled", content, "a.xlsx", rows, remarks=("sheet.chosen",))
    content = table(
        good(1), good(2), others={"Suspensos": [["Cliente"], ["TOMADOR 2 LTDA."]], "Notas emitidas": [[doc(1)]]}
    )
    yield Habit("listed_by_name", content, "a.xlsx", {2: bill(10_001), 3: ask("held.listed")})


def _headers() -> Iterator[Habit]:
    one: dict[int, Expectation] = {2: bill(10_001)}
    for number, header in enumerate(("Valor do Casamento", "Soma de Valor", "Valor por Aluno Matriculado")):
        content = xlsx([*HEAD[:3], header], good(1))
        yield Habit(f"only_amount_{number}", content, "a.xlsx", one, remarks=("column.only_amount",))
    for number, header in enumerate(("Valor do Desconto Comercial", "Valor da Causa", "Valor Pago")):
        content = xlsx([*HEAD[:3], header], good(1))
        yield Habit(f"no_amount_at_all_{number}", content, "a.xlsx", {}, stops="column.missing")
    pivot: list[list[object]] = [["Ana Ltda", doc(1), 100.01], ["(vazio)"], ["Total Geral", None, 100.01]]
    yield Habit("pivot_table", xlsx(["Rótulos de Linha", "CNPJ", "Soma de Valor"], *pivot), "a.xlsx", one)
    content = xlsx(["Qual o CNPJ da sua empresa?", "Informe a razão social", "Valor (R$)", "Descreva o serviço"],
                   [doc(1), "Ana Ltda", 100.01, "Palestra"])  # fmt: skip
    yield Habit("headers_of_a_form", content, "a.xlsx", {2: bill(10_001, description="Palestra", name="Ana Ltda")})
    content = xlsx([*HEAD, "Mês", "Ano"], good(1, 11.0, 2026.0), good(2, "out", "2026"), good(3, "09/2026", 2026.0))
    rows = {2: bill(10_001, competence=date(2026, 11, 1)), 3: bill(10_002, competence=date(2026, 10, 1)),
            4: bill(10_003, competence=date(2026, 9, 1))}  # fmt: skip
    yield Habit("month_and_year", content, "a.xlsx", rows, defaults=Defaults(emitter_cnpj=RIO))
    content = xlsx([*HEAD, "Filial"], good(1, "Matriz"), good(2, "0001"))
    yield Habit("head_office", content, "a.xlsx", {2: bill(10_001, emitter_name=None), 3: bill(10_002)})
    content = xlsx(["Empresa Prestadora", "CNPJ Prestadora", *HEAD], ["Mar Ltda", RIO, *good(2)])
    rows = {2: bill(10_002, emitter_cnpj=RIO, emitter_name="Mar Ltda")}
    yield Habit("emitter_by_name_and_number", content, "a.xlsx", rows, defaults=Defaults(competence=NOVEMBER))
