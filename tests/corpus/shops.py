"""Products sheets of shops: one line an item. Each row of a billed order has the order's total."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from connectors.spreadsheets.services import Defaults
from tests.corpus.habits import NOVEMBER, Habit, ask, bill, cpf
from tests.corpus.sheets import xlsx

SHOP: Final = "99000051000180"
_USUAL: Final = Defaults(emitter_cnpj=SHOP, competence=NOVEMBER)
_FIRST: Final[Mapping[str, object]] = {
    "Pedido": "1001", "Tipo de Nota": "NF-e", "Data da Venda": "05/11/2026", "CPF/CNPJ": cpf(1), "Cliente": "Ana Souza",
    "Logradouro": "Rua A", "Número": "10", "Bairro": "Centro", "Cidade": "São Paulo", "UF": "SP", "CEP": "01310-100",
    "Código": "CAN-01", "Produto": "Caneca", "NCM": "6912.00.00", "CFOP": 5102.0, "Unidade": "UN", "Quantidade": 2.0,
    "Preço Unitário": 12.5, "Valor Total": 25.0, "CSOSN": 102.0, "CST PIS": 7.0, "CST COFINS": 7.0,
    "Forma de Pagamento": "Dinheiro",
}  # fmt: skip
_SECOND: Final[Mapping[str, object]] = {
    "Código": "TOA-2", "Produto": "Toalha", "NCM": "63026000", "Quantidade": 1.0, "Preço Unitário": 49.9,
    "Valor Total": 49.9,
}  # fmt: skip
_EXPORTS: Final[Mapping[str, Mapping[str, str]]] = {
    "foreign_shop": {
        "Pedido": "Order number", "Tipo de Nota": "Invoice type", "Data da Venda": "Order date", "Código": "SKU",
        "CPF/CNPJ": "Customer tax ID", "Cliente": "Customer name", "Produto": "Product name", "Quantidade": "Quantity",
        "Preço Unitário": "Unit price", "Forma de Pagamento": "Payment method",
    },
    "mercado_livre": {
        "Pedido": "N.º de venda", "Produto": "Título do anúncio", "Quantidade": "Unidades", "Cliente": "Comprador",
        "Preço Unitário": "Preço unitário de venda do anúncio (BRL)",
    },
    "shopee": {"Pedido": "ID do pedido", "Código": "Número de referência SKU", "Preço Unitário": "Preço acordado"},
    "shopify": {
        "Pedido": "Order", "Código": "Lineitem SKU", "Produto": "Lineitem name", "Quantidade": "Lineitem quantity",
        "Preço Unitário": "Lineitem price", "Cliente": "Billing name", "Logradouro": "Street",
        "Número": "Street number", "Bairro": "District", "CEP": "Zip",
        "Cidade": "City", "UF": "State", "Forma de Pagamento": "Payment",
    },
    "till": {
        "Pedido": "Cupom", "Tipo de Nota": "Modelo", "CPF/CNPJ": "CPF na nota", "Código": "Cód. barras",
        "Unidade": "Emb.", "Forma de Pagamento": "Pagamento",
    },
    "scales": {"Quantidade": "Peso (kg)", "Preço Unitário": "Preço/kg"},
    "square_metres": {"Quantidade": "m²", "Preço Unitário": "Preço por m²", "Valor Total": "Total da linha"},
    "english_erp": {
        "Pedido": "Sale ID", "Tipo de Nota": "Document type", "Código": "Item code", "Produto": "Item description",
        "Unidade": "UoM", "Quantidade": "Qty", "Preço Unitário": "Unit price", "Valor Total": "Line total",
        "Logradouro": "Street", "Número": "Number", "CEP": "Postal code",
    },
    "spanish_shop": {"Produto": "Descripción", "Quantidade": "Cantidad", "Valor Total": "Importe"},
    "price_of_sale": {"Data da Venda": "Emissão", "Preço Unitário": "Preço de Venda"},
}  # fmt: skip
"""Headers of exports, each by our usual one."""
_HELD: Final[tuple[tuple[str, str, object, str], ...]] = (
    ("discount_in_percent", "Desconto (%)", 10.0, "held.side_amount"),
    ("ipi_amount", "Valor IPI", 2.5, "held.side_amount"),
    ("icms_amount", "Valor ICMS", 4.5, "held.side_amount"),
    ("substitution_amount", "Valor ICMS ST", 3.0, "held.side_amount"),
    ("surcharge", "Acréscimo", 3.0, "held.side_amount"),
    ("delivery_charge", "Taxa de Entrega", 8.0, "held.side_amount"),
    ("second_payment", "Valor Cartão", 15.0, "held.side_amount"),
    ("access_key", "Chave de Acesso", "3526" + "1" * 40, "held.invoiced"),
    ("operation_return", "Natureza da Operação", "Devolução de venda", "held.entry"),
    ("operation_bonus", "Natureza da Operação", "Remessa em bonificação", "held.entry"),
    ("operation_transfer", "Natureza da Operação", "Transferência entre filiais", "held.entry"),
    ("type_return", "Tipo", "Devolução", "held.entry"),
    ("type_purchase", "Tipo", "Entrada", "held.entry"),
    ("currency", "Moeda", "USD", "held.currency"),
    ("status_typing", "Situação", "Em digitação", "held.status"),
    ("status_offer", "Situação", "Orçamento", "held.status"),
    ("status_lost", "Situação", "Extraviado", "held.status"),
    ("status_exchange", "Situação", "Troca", "held.status"),
    ("status_return", "Situação", "Devolução parcial", "held.status"),
    ("status_returned", "Situação", "Devolvido", "held.status"),
    ("order_total_differs", "Total do Pedido", 80.0, "product.order_total_differs"),
    ("paid_less", "Valor Pago", 70.0, "product.order_total_differs"),
    ("instalments_in_words", "Condição de Pagamento", "30/60/90", "product.unsupported"),
    ("freight_by_the_customer", "Modalidade do Frete", "FOB", "product.unsupported"),
    ("other_state", "UF", "RJ", "city.state"),
    ("return_cfop", "CFOP", "1202", "product.cfop_inside"),
    ("gift_cfop", "CFOP", "5910", "product.cfop_inside"),
    ("payment_later", "Forma de Pagamento", "Fiado", "product.unsupported"),
    ("other_code_than_pix", "Forma de Pagamento", "16 - PIX", "product.unsupported"),
    ("two_payments_in_words", "Forma de Pagamento", "Dinheiro e Pix", "product.unsupported"),
    ("other_code_than_its_name", "Forma de Pagamento", "03 - Dinheiro", "product.unsupported"),
    ("negative_quantity", "Quantidade", -2.0, "product.figure"),
    ("gift", "Preço Unitário", 0.0, "product.total_differs"),
    ("remark", "Obs", "não faturar, cliente desistiu", "held.notes"),
    ("number_of_an_invoice", "Nº NF", 1234.0, "held.invoiced"),
    ("insurance", "Seguro", 3.0, "product.unsupported"),
)  # fmt: skip
_BILLED: Final[tuple[tuple[str, str, object], ...]] = (
    ("number_as_order", "Pedido", 1001.0), ("code_with_point", "CFOP", "5.102"), ("unit_of_pieces", "Unidade", "PC"),
    ("ncm_with_name", "NCM", "6912.00.00 - Louça"), ("ncm_lost_zero", "NCM", 4069010.0),
    ("price_in_words", "Preço Unitário", "R$ 12,50"), ("zip_lost_zero", "CEP", 1310100.0),
    ("gtin_as_number", "GTIN", 7.89100031555e12), ("no_ipi", "Valor IPI", 0.0),
    ("one_payment", "Valor Dinheiro", 25.0), ("payment_with_code", "Forma de Pagamento", "01 - Dinheiro"),
    ("pix", "Forma de Pagamento", "PIX"), ("pix_with_code", "Forma de Pagamento", "17 - Pagamento Instantâneo (PIX)"),
    ("pix_with_another_code", "Forma de Pagamento", "20 - PIX"),
    ("pix_by_key", "Forma de Pagamento", "Chave Pix"), ("bank_transfer", "Forma de Pagamento", "Transferência"),
    ("paid_at_once", "Condição de Pagamento", "À vista"), ("order_total", "Total do Pedido", 25.0),
    ("sale", "Natureza da Operação", "Venda de mercadorias"), ("type_of_sale", "Tipo", "Venda"),
    ("approximate_taxes", "Valor aprox. dos tributos ICMS", 3.1), ("status_goes", "Situação", "Atendido"),
    ("weight", "Peso Bruto", 1.2),
)  # fmt: skip


def habits() -> Iterator[Habit]:
    for name, header, value, code in _HELD:
        yield order_habit(f"shop_{name}", {header: value}, rows={2: ask(code, "place.unknown", "city.unknown")})
    for name, header, value in _BILLED:
        yield order_habit(f"shop_{name}", {header: value}, rows={2: bill(2_500)})
    both = {2: bill(7_490), 3: bill(7_490)}
    yield order_habit("shop_two_items", {}, _SECOND, rows=both)
    nobody = dict.fromkeys(("CPF/CNPJ", "Cliente", "Logradouro", "Número", "Bairro", "Cidade", "UF", "CEP"))
    yield order_habit("shop_customer_once", {}, {**_SECOND, **nobody}, rows=both)

    def merged(sheet: Any, book: Any) -> None:
        sheet.merge_range("A2:A3", "1001", book.add_format())

    yield order_habit("shop_merged_order", {}, {**_SECOND, "Pedido": None}, rows=both, dress=merged)
    first = {2: ask("product.order_blocked"), 3: ask("row.required")}
    yield order_habit("shop_order_once", {}, {**_SECOND, "Pedido": None}, rows=first)
    freight = {"Modalidade do Frete": "CIF", "Frete": 10.0}
    whole = {2: bill(8_490), 3: bill(8_490)}
    yield order_habit("shop_freight_of_the_order", freight, {**_SECOND, **freight}, rows=whole)
    total = {**freight, "Valor Total": 35.0}
    yield order_habit("shop_total_with_freight", total, rows={2: bill(3_500)})
    discounted = {**total, "Desconto": 5.0, "Valor Total": 30.0}
    yield order_habit("shop_total_with_freight_and_discount", discounted, rows={2: bill(3_000)})
    each = {**_SECOND, **freight, "Valor Total": 59.9}
    held = {2: ask("product.order_blocked"), 3: ask("product.order_conflict")}
    yield order_habit("shop_freight_in_each_total", total, each, rows=held)
    differing = ask("product.order_total_differs")
    yield order_habit("shop_freight_in_one_total", total, {**_SECOND, **freight}, rows={2: differing, 3: differing})
    yield order_habit("shop_line_total_differs", {"Total da linha": 20.0}, rows={2: ask("held.goods_column")})
    item = {"Situação do Item": "Cancelado"}
    apart = {2: ask("product.order_blocked"), 3: ask("held.status")}
    yield order_habit("shop_one_item_cancelled", {}, {**_SECOND, **item}, rows=apart)
    october = {2: bill(2_500, "competence.of_row")}
    yield order_habit("shop_of_another_month", {"Data da Venda": "28/10/2026"}, rows=october)
    dollars = {"S2": (25.0, "[$US$-409] #,##0.00")}
    yield order_habit("shop_in_dollars", {}, rows={2: ask("amount.foreign_currency")}, shaped=dollars)
    dollars = {"R2": (12.5, "[$US$-409] #,##0.00")}
    yield order_habit("shop_price_in_dollars", {}, rows={2: ask("amount.foreign_currency")}, shaped=dollars)
    final = {"Total a faturar": 24.0}
    yield order_habit("shop_final_amount_that_differs", final, rows={2: ask("held.side_amount", "held.goods_column")})
    yield from _by_register()
    for name, headers in _EXPORTS.items():
        content = xlsx([headers.get(usual, usual) for usual in _FIRST], list(_FIRST.values()))
        yield Habit(f"shop_export_of_{name}", content, "a.xlsx", {2: bill(2_500)}, defaults=_USUAL)
    head = ["Número do pedido", "Nome Comprador", "CPF/CNPJ Comprador", "Código (SKU)", "Descrição", "Quantidade",
            "Valor unitário", "Valor total do pedido"]  # fmt: skip
    row = [1001, "Ana Souza", cpf(1), "CAN", "Caneca", 2, 12.5, 25]
    yield Habit("shop_export_read_as_services", xlsx(head, row), "a.xlsx", {2: ask("held.goods")})


def _by_register() -> Iterator[Habit]:
    """Yield orders of a customer whose number may be a CPF or a CNPJ, for the register to tell."""
    unclear = {"CPF/CNPJ": 40_773_000_100.0, "Cliente": "Zyx Norte"}
    second = {**_SECOND, **unclear, "Pedido": "1001"}
    registers: tuple[Mapping[str, str], ...] = (
        {"40773000100": "Zyx Norte"},
        {"00040773000100": "Zyx Norte"},
        {"40773000100": "Padaria do Sol"},
        {},
    )
    for number, register in enumerate(registers):
        expected = bill(7_490, document=next(iter(register))) if number < 2 else ask("document.ambiguous")
        rows = {2: expected, 3: expected}
        yield order_habit(f"shop_register_{number}", unclear, second, rows=rows, register=register)


def order_habit(
    name: str,
    *others: Mapping[str, object],
    rows: Mapping[int, Any],
    dress: Callable[[Any, Any], None] | None = None,
    shaped: Mapping[str, tuple[float, str]] | None = None,
    register: Mapping[str, str] | None = None,
) -> Habit:
    """Return a sheet of usual lines with these changes."""
    head = list(dict.fromkeys([*_FIRST, *(header for row in others for header in row)]))
    lines = [[{**_FIRST, **row}.get(header) for header in head] for row in others]
    content = xlsx(head, *lines, dress=dress, shaped=shaped)
    return Habit(name, content, "a.xlsx", rows, defaults=_USUAL, register=register or {})
