"""Exports of online shops and order sheets of distributors: columns, names and statuses beside the usual line."""

from collections.abc import Iterator
from typing import Any, Final

from tests.corpus.habits import Expectation, Habit, ask, bill
from tests.corpus.shops import order_habit

_COLUMNS: Final[tuple[tuple[str, object], ...]] = (
    ("Qtd Devolvida", 1.0), ("Qtd Atendida", 1.0), ("Qtd Enviada", 0.0), ("Qtd Pendente", 1.0), ("Qtd Cancelada", 1.0),
    ("Qtde Solicitada", "3 un"), ("Unidades devolvidas", 1.0), ("Preço c/ ST", 14.2), ("Preço Promocional", 11.0),
    ("Preço à Vista", 12.0), ("Preço Negociado", 12.0), ("Desc. %", 10.0), ("Desconto Unitário", 1.0),
    ("Cupom do vendedor", 5.0), ("Cupom", "BEMVINDO10"), ("Valor Reembolsado", 5.0), ("Vale-troca usado (R$)", 5.0),
    ("Receita por envio (BRL)", 15.9), ("Frete do Item", 7.5), ("Base do Preço", 1000.0), ("Produto 2", "Pires"),
    ("Qtd 2", 2.0), ("Item Adicional", "+ 1 pires"), ("Pagamento 2", "Dinheiro"), ("Valor Final do Item", 20.0),
    ("Personalização (R$)", 5.0), ("Garantia Estendida", 50.0), ("Diferença", 3.0), ("Data da devolução", "12/11/2026"),
    ("Qtd NF", 1.0), ("Quebra", 1.0), ("Unitário líquido", 11.0), ("Vlr Unit c/ IPI", 14.0), ("Frete e seguro", 12.0),
    ("Produto Substituto", "Caneca verde"), ("Emitir NF em nome de", "Rosa Lima"),
)  # fmt: skip
"""Unread columns that contradict the line: two mugs at R$ 12,50."""
_ANSWERS: Final[tuple[tuple[str, object, str], ...]] = (
    ("Troca", "Sim", "held.status"), ("Brinde", "1 chaveiro", "held.status"), ("Item Cancelado", "S", "held.status"),
    ("Ruptura", "Sim", "held.status"), ("Disponível", "Não", "held.status"), ("CPF na Nota?", "Não", "held.status"),
    ("Liberado", "Não", "held.status"), ("Com nota?", "Não", "held.status"), ("Emitir nota?", "Não", "row.not_wanted"),
    ("Bloqueio", "Crédito", "held.status"), ("Reserva", "Sim", "held.status"),
    ("Pedido de troca nº", "1001", "held.status"),
    ("Motivo da devolução", "tamanho errado", "held.status"), ("Tipo de Pedido", "Garantia", "held.entry"),
    ("Tipo de Pedido", "Mostruário", "held.entry"), ("Ocorrência", "Avaria no transporte", "held.entry"),
    ("NF Referenciada", "NF 4512", "held.status"), ("NF de Remessa", 4512.0, "held.status"),
    ("Cupom Fiscal", 881.0, "held.status"), ("NFe emitida?", "Sim", "held.billed"),
    ("Moeda da venda", "USD", "held.currency"),
)  # fmt: skip
_NO_GOODS: Final = (
    "Frete Sedex", "Taxa de entrega motoboy", "(-) Desconto", "Crédito de troca", "Embalagem para presente (serviço)",
    "Necessaire (brinde)", "Amostra grátis batom", "Perfume - bonificação", "Caneca (sem estoque)", "Gift card R$ 100",
    "Caneca - devolvida 10/11", "Parafuso (preço por milheiro)", "Instalação",
)  # fmt: skip
_NO_ORDERS: Final = ("1001 CANC", "1003-troca", "1005 (orçamento)", "TESTE-1")
_NOTES: Final = (
    "garantia - reposição de peça quebrada", "cliente desistiu da compra", "reenvio - extraviado nos correios",
    "mercadoria devolvida", "leve 3 pague 2", "2ª unidade 50%", "comprador pediu cancelamento", "mandar 2 em vez de 3",
    "trocar por M", "faltou 1 peça", "cobrar frete à parte", "cliente não quis mais",
)  # fmt: skip
_STATUSES: Final = (
    "Aguardando pagamento", "Pagamento pendente", "Em mediação", "Reclamação aberta", "Malsucedido", "Reserva",
    "partially_refunded", "authorized", "Arrependimento",
)  # fmt: skip
_HARMLESS: Final[tuple[tuple[str, object], ...]] = (
    ("SKU Pai", "CAN"), ("Garantia", "12 meses"), ("Custo do Produto", 7.0), ("Custo de Envio", 14.9),
    ("Estoque", 33.0),
    ("Preço de Tabela", 15.0), ("Peso (kg)", 0.8), ("Prazo de Entrega", 5.0), ("Descrição 2", "linha premium"),
    ("Tarifa de Venda", -6.4), ("Status de Envio", "Não enviado"), ("Status Financeiro", "Pago"),
    ("Ticket de troca", "Sim"),
    ("Pontos ganhos", 40.0), ("Quantidade de Pedidos", 3.0), ("Qtd Atendida", 2.0), ("Preço de Venda", 12.5),
    ("Vlr Unit c/ IPI", 12.5), ("Liberado", "Sim"), ("Preço antigo", 15.0), ("Avaliação", 5.0),
    ("Valor Final do Item", 25.0), ("Troca", "Não"), ("Qtd Devolvida", 0.0), ("Frete", "-"), ("Cupom", None),
    ("Situação do Pedido", "Pagamento aprovado"), ("Obs", "enviar ticket de troca, é presente"),
)  # fmt: skip
_NAMES: Final = (
    "Filtro de óleo para troca", "Refil reposição 500ml", "Notebook - garantia 12 meses", "Caixa de brindes kraft",
    "Serviço de jantar 42 peças", "Taxímetro", "Descontaminante 1L",
)  # fmt: skip


def habits() -> Iterator[Habit]:
    for number, (header, value) in enumerate(_COLUMNS):
        # a discount in percent is judged where services have it
        yield _one(f"column_{number}", header, value, ask("held.goods_column", "held.side_amount"))
    for header, value, code in _ANSWERS:
        yield _one(f"answer_{header}_{value}", header, value, ask(code))
    for kind, header, texts, code in (
        ("no_goods", "Produto", _NO_GOODS, "held.entry"),
        ("no_order", "Pedido", _NO_ORDERS, "held.entry"),
        ("note", "Obs", _NOTES, "held.notes"),
        ("note_beside", "Promoção", ("leve 3 pague 2",), "held.entry"),
        ("status", "Situação do Pedido", _STATUSES, "held.status"),
        ("payment", "Status do Pagamento", ("Pendente", "Expirado", "Em análise"), "held.status"),
        ("delivery", "Status da Entrega", ("Devolvido ao remetente", "Extraviado"), "held.status"),
        ("rounded_code", "Código", ("7,89123E+12", "7.89123e+12"), "held.rounded"),
        ("rounded_order", "Pedido", ("2,00001E+15", 2_000_008_123_456_780.0), "held.rounded"),
    ):
        for number, text in enumerate(texts):
            yield _one(f"{kind}_{number}", header, text, ask(code))
    for number, (header, value) in enumerate(_HARMLESS):
        yield _one(f"harmless_{number}", header, value, bill(2_500))
    for number, name in enumerate(_NAMES):
        yield _one(f"name_{number}", "Produto", name, bill(2_500))
    for key in ("PED-1001", "#1002", "2E5", "TROIA-22"):
        yield _one(f"key_{key}", "Pedido", key, bill(2_500))
    yield from _several_columns()
    yield from _sets()
    yield from _titles()
    yield from _in_other_places()


def _one(name: str, header: str, value: object, expected: Expectation) -> Habit:
    return order_habit(f"order_{name}", {header: value}, rows={2: expected})


def _several_columns() -> Iterator[Habit]:
    boxes: tuple[tuple[float, float, float, str, Expectation], ...] = (
        (10, 12, 120, "UN", bill(150_000)), (10, 12, 100, "UN", ask("held.goods_column")),
        (2, 12, 2, "CX", bill(2_500)),
        (2, 12, 2, "UN", ask("held.goods_column")),
    )  # fmt: skip
    for number, (count, pack, quantity, unit, expected) in enumerate(boxes):
        cells: dict[str, object] = {"Caixas": count, "Un/Caixa": pack, "Quantidade": quantity, "Unidade": unit}
        yield order_habit(f"order_boxes_{number}", {**cells, "Valor Total": None}, rows={2: expected})
    box = {"Preço da Caixa": 24.0, "Unidade": "CX"}
    yield order_habit("order_price_of_a_box", box, rows={2: ask("held.goods_column")})
    yield order_habit("order_price_of_a_box_beside_pieces", {**box, "Unidade": "UN"}, rows={2: bill(2_500)})
    for weight, expected in ((3.45, ask("held.goods_column")), (2.0, bill(2_500))):
        sold = {"Unidade": "KG", "Peso (kg)": weight}
        yield order_habit(f"order_sold_by_weight_{weight}", sold, rows={2: expected})
    explained = {"Desconto": 5.0, "Desc. %": "20%"}
    yield order_habit("order_discount_with_its_share", explained, rows={2: bill(2_000)})


def _sets() -> Iterator[Habit]:
    whole: dict[str, object] = {"Código": "KIT-1", "Produto": "Kit café"}
    part: dict[str, object] = {"Código": "CAN-1", "SKU do Kit": "KIT-1"}
    held: dict[int, Any] = {2: ask("product.order_blocked"), 3: ask("held.set")}
    yield order_habit("order_set_and_its_part", whole, part, rows=held)
    apart = {2: bill(2_500), 3: bill(2_500)}
    yield order_habit("order_part_in_another_order", whole, {**part, "Pedido": "1002"}, rows=apart)


def _titles() -> Iterator[Habit]:
    def line(number: int) -> dict[str, object]:
        return {"Pedido": str(number), "Marca": None}

    def title(column: str, text: str) -> dict[str, object]:
        return dict.fromkeys(_HEADERS, None) | {column: text}

    held = {2: ask("held.section"), 4: bill(2_500)}
    for number, text in enumerate(("--- até aqui já emitido ---", "Pedidos acima já faturados")):
        yield order_habit(f"order_closed_above_{number}", line(1), title("Marca", text), line(2), rows=held)
    cancelled = title("Pedido", "Pedido 1 - Ana (CANCELADO)")
    rows = {3: ask("held.section"), 5: bill(2_500)}
    more = (cancelled, line(1), title("Pedido", "Pedido 2 - Ana"), line(2))
    yield order_habit("order_titles_above_orders", *more, rows=rows)

    for number, text in enumerate(("DEVOLUÇÕES", "TROCAS", "Lista de brindes", "REMESSA PARA CONSERTO", "Consignação")):
        rows = {2: bill(2_500), 4: ask("held.section"), 6: bill(2_500)}
        above, below = title("Produto", text), title("Pedido", "VENDAS")
        yield order_habit(f"order_section_{number}", line(1), above, line(2), below, line(3), rows=rows)


def _in_other_places() -> Iterator[Habit]:
    """Yield orders with words in comments and names, in an operation, and totals after the discount."""
    comments = ("cliente desistiu", "preço errado, o certo é 35", "devolveu 1")
    for number, text in enumerate(comments):

        def dress(sheet: Any, _book: Any, text: str = text) -> None:
            sheet.write_comment("M2", text)

        yield order_habit(f"order_comment_{number}", {}, rows={2: ask("held.comment")}, dress=dress)
    for number, name in enumerate(("Ana Souza - CANCELOU", "Ana Souza *devolveu*")):
        yield _one(f"name_says_no_{number}", "Cliente", name, ask("held.notes"))
    yield _one("operation_shortened", "Operação", "Dev", ask("held.entry"))
    net = {"Desconto": 5.0, "Valor Total": 20.0}
    yield order_habit("order_total_after_the_discount", net, rows={2: bill(2_000)})
    yield order_habit("order_total_of_neither", {**net, "Valor Total": 21.0}, rows={2: ask("product.total_differs")})


_HEADERS: Final = (
    "Pedido", "Tipo de Nota", "Data da Venda", "CPF/CNPJ", "Cliente", "Logradouro", "Número", "Bairro", "Cidade", "UF",
    "CEP", "Código", "Produto", "NCM", "CFOP", "Unidade", "Quantidade", "Preço Unitário", "Valor Total", "CSOSN",
    "CST PIS",
    "CST COFINS", "Forma de Pagamento",
)  # fmt: skip
