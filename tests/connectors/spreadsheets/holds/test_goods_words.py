"""Words about goods that speak against a sale, and harmless ones that resemble them."""

import pytest

from connectors.spreadsheets.holds import billing_markers, goods_words
from connectors.spreadsheets.parsers.cells import plain

TEXTS = {
    "products": (
        ("Frete Sedex", "(-) Desconto", "Taxa entrega", "Necessaire (brinde)", "Caneca - devolvida 10/11", "Instalação",
         "Amostra grátis batom", "Pires - sem estoque", "Parafuso (preço por milheiro)", "Gift card R$ 50"),
        ("Filtro de óleo para troca", "Refil reposição", "Notebook - garantia 12 meses", "Caixa de brindes kraft",
         "Serviço de jantar", "Taxímetro", "Fio de instalação"),
    ),
    "orders": (("1001 CANC", "1003-troca", "1005 (orçamento)", "TESTE-1"), ("PED-1001", "TROIA-22", "ORD-17", "2E5")),
    "notes": (
        ("cliente desistiu", "extraviado, reenvio", "leve 3 pague 2", "2ª unidade 50%", "trocar por M", "garantia",
         "mandar 2 em vez de 3", "cobrar frete à parte", "faltou 1 peça", "cliente não quis mais",
         "só tem 2 em estoque", "apenas 4 disponíveis", "estoque insuficiente"),
        ("enviar ticket de troca", "cartão de garantia na caixa", "é presente", "entregar após as 18h",
         "cliente tem 2 lojas"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_is_found_alone_and_in_its_column(kind: str) -> None:
    stems, judge = goods_words.JUDGES[kind]
    against, harmless = TEXTS[kind]
    assert [text for text in against if not judge(plain(text))] == []
    assert [text for text in harmless if judge(plain(text))] == []
    assert [text for text in against if not any(stem in plain(text) for stem in stems)] == []
    column = (*harmless, None, 12.0, *against)
    assert [text for _, text in billing_markers.goods_stops(column, of=kind)] == list(against)


@pytest.mark.parametrize(
    ("judge", "held", "billed"),
    [
        (
            "order_status",
            ("Reserva", "partially_refunded", "Pagamento pendente", "Sem estoque"),
            ("Pago", "Enviado", "Pendente"),
        ),
        ("payment_status", ("Pendente", "Em análise", "Não pago"), ("Pago", "Aprovado")),
        ("delivery_status", ("Devolvido", "Extraviado", "Parcial"), ("Não enviado", "Aguardando envio", "Entregue")),
        ("order_notes", ("devolução do cliente", "não faturar"), ("presente",)),
    ],
)
def test_a_status_is_judged_by_what_it_is_about(judge: str, held: tuple[str, ...], billed: tuple[str, ...]) -> None:
    assert [text for text in (*held, *billed) if billing_markers.stop_of(judge, text)] == list(held)


@pytest.mark.parametrize(
    ("header", "judge"),
    [("status do pagamento", "payment_status"), ("status de envio", "delivery_status"), ("situacao do pedido", None)],
)
def test_a_header_tells_what_a_status_is_about(header: str, judge: str | None) -> None:
    assert goods_words.subject_of(header) == judge


@pytest.mark.parametrize(
    ("title", "is_not_sale"),
    [
        ("DEVOLUÇÕES", True), ("Relatório de devoluções - novembro/2026", True), ("Lista de brindes", True),
        ("Trocas", True), ("Remessa para conserto", True), ("Casa dos Brindes", False), ("Brindes Sul Ltda", False),
        ("Vendas sem devoluções", False), ("Pedidos de novembro", False),
    ],
)  # fmt: skip
def test_a_title_names_what_is_no_sale(title: str, is_not_sale: bool) -> None:
    assert goods_words.stops_by_title(plain(title)) is is_not_sale


@pytest.mark.parametrize("title", ["Preços por milheiro", "Preço em R$ por cento", "Valores unitários p/ dúzia"])
def test_a_title_names_prices_of_more_than_one_piece(title: str) -> None:
    assert goods_words.has_other_unit(plain(title))


def test_a_comment_may_tell_a_return() -> None:
    assert billing_markers.order_stop("devolveu 1") == "devolveu 1"
    assert billing_markers.order_stop("não faturar") == "não faturar"
    assert billing_markers.order_stop("conferido") is None
