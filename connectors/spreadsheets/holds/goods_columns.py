"""Find unread columns of a list of goods that contradict its quantities, its prices or its items.

An order's export has columns about what was ordered, shipped, returned and paid back. Its invoice has one quantity and
one price a line. So a person decides about a line whose other columns have another quantity or price.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers import cells, number_parser

Role: TypeAlias = Literal[
    "quantity", "less", "price", "box_price", "adds", "coupon", "discount", "filled", "base", "boxes", "pack", "weight"
]
"""The meaning of a column: another quantity, an unsold part of the quantity, another price (of a piece or a box), an
addition to the amount, a discount with or without a code, another item, the number of pieces that a price is for, the
number of boxes, the pieces in a box, the weight.
"""

_NUMBER: Final = r"(?:quantidades?|qtdes?|qtds?|qtes?|quant|qnt|itens|pecas|pcs|unidades|un)"
_BOX: Final = r"(?:caixas?|cxs?|embalage(?:m|ns)|emb|pacotes?|pct|fardos?|fd|volumes?)"
_PRICE: Final = r"(?:precos?|pr|price|unitario|(?:valor|vlr|vl) (?:unitario|unit|un|do item|item|por item))"
_LESS: Final = (
    r"(?:devolv|devoluc|cancelad|pendent|falt|restant|em aberto|bonific|brinde|avariad|perdid|recusad|cortad|corte|"
    r"estornad|trocad|backorder|nao |a entregar|a enviar|reembols|saldo|refunded|returned|cancel|missing)"
)
_ROLES: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    ("boxes", re.compile(rf"^(?:{_NUMBER} (?:de )?)?(?:caixas|cxs|pacotes|fardos)$|^{_NUMBER} (?:de )?cx$")),
    ("pack", re.compile(rf"^{_NUMBER} (?:(?:por|p|na|da|de|x) )?{_BOX}$|^{_BOX} (?:com|c|de)$")),
    ("less", re.compile(
        rf"^{_NUMBER}(?: \w{{1,12}})? {_LESS}|^saldo (?:pendente|a (?:entregar|enviar|atender))|"
        rf"^(?:backorder|pendencia|corte|quebras?|perdas?)(?: |$)|^{_LESS}\w* {_NUMBER}$"
    )),
    ("quantity", re.compile(
        rf"^{_NUMBER} (?:\w{{1,12}} )?(?:atendid|enviad|entreg|faturad|faturar|separad|conferid|expedid|embarcad|"
        r"real\b|final|vendid|confirmad|aprovad|despachad|recebid|liberad|pedid[oa]\b|solicitad|encomendad|comprad|"
        r"shipped|fulfilled|ordered|invoiced|ped\b|nf\b|nota\b|boas?\b|liquid|nova?\b|corret|corrigid|ajustad)"
    )),
    ("box_price", re.compile(rf"^(?:preco|valor|vlr|vl)(?: (?:unitario|por|p|da|de|do|a))* {_BOX}$")),
    ("price", re.compile(
        rf"^{_PRICE} (?:(?:com|c|s|sem) (?:st|ipi|impostos?|icms|frete|juros)|(?:com|c) desc|liquid|final|promo|"
        r"negociad|praticad|cobrad|(?:no |em |com |do )?pix|(?:a )?vista|vendid|(?:de |da )?venda|(?:de |da |"
        r"em )?oferta|combinad|acordad|fechad|d[eo] cliente|pag[oa]\b|real\b|nov[oa]\b|corrigid|reajustad|atualizad|"
        r"ajustad|revisad|renegociad|correto)|^nov[oa]s? (?:preco|valor)|"
        r"^(?:valor|vlr|vl) (?:(?:com|c) (?:st|ipi|impostos?|icms|desc)|promo|negociad|combinad|acordad|cobrad)"
    )),
    ("price", re.compile(
        r"^(?:valor|vlr|total)(?: total)?(?: d[oa] (?:item|produto|linha|pedido|venda|compra))? "
        r"(?:(?:com|c|apos|pos) desc|a (?:pagar|faturar|cobrar)\b|final\b|liquido d[oa] (?:item|produto|linha))|"
        r"^(?:(?:valor )?total (?:d[ao] )?linha|line (?:total|amount)|item total|extended price)$"
    )),
    ("adds", re.compile(
        r"\b(?:personalizac|customizac|gravac|bordado|estampa|embrulho|montagem|instalac|garantia estendida|diferenca)|"
        r"^(?:valor )?(?:d[ae] )?embalage(?:m|ns) (?:para |p )?(?:presente|reais)|^(?:caixa|papel) (?:de |"
        r"para )?presente|^(?:(?:valor|vlr|receitas?|taxas?|preco|total|acrescimo) )?(?:(?:d[eo]s?|por|com|pelo|pago|"
        r"cobrado) )*(?:fretes?|envios?|entrega|sedex|motoboy|delivery|shipping)"
        r"(?: (?:e seguro|d[eo] item|do produto|por item|item|rateado|proporcional|pago|cobrado|d[eo] cliente|"
        r"pelo cliente|brl|"
        r"reais|total|comprador|pago pelo comprador|cobrado do cliente))*$|"
        r"\b(?:reembolsos?|reembolsad|estornos?|estornad|devolvid[oa]|devolucao|devolucoes|refunds?|refunded|"
        r"vale trocas?|vales?|pontos (?:usad|utilizad|resgatad)|gift card)"
    )),
    ("coupon", re.compile(r"\b(?:cupo[mn]s?|coupons?|vouchers?)\b")),
    ("discount", re.compile(
        r"\b(?:rebates?|descontos?|discounts?)\b|^desc\b"
    )),
    ("base", re.compile(
        r"^(?:base|fator|divisor|unidade|qtde?|quantidade|multiplo)(?: d[eo])? preco$|^divisor$|"
        r"^preco (?:base )?por$|^preco (?:vale|valido) (?:para|por)$"
    )),
    ("filled", re.compile(
        r"^(?:produtos?|itens|item|mercadoria)(?: (?:adiciona(?:l|is)|extras?)| ?0?[2-9])$|"
        r"^(?:quantidade|qtde?|quant) ?0?[2-9]$|^(?:(?:forma|meio|valor) )?(?:(?:de|do) )?(?:pagamento|pagto|pgto|"
        r"pago) ?[2-9]$|^(?:2a|segunda) forma|\b(?:refunded|cancelled|canceled) (?:at|on)$|"
        r"^(?:produto|item) (?:substitut|trocad|enviado no lugar)"
    )),
    ("weight",
    re.compile(r"^pesos?(?: (?:liquido|total|real|vendido|pesado|conferido|balanca|final))?(?: (?:kg|kgs|quilos))?$")),
)  # fmt: skip
_NOT: Final = re.compile(
    r"\b(?:custo|custos|data|dt|prazo|forma|tipo|modalidade|peso (?:bruto|cubado)|codigo|cod|status|situacao|"
    r"transportadora|rastreio|tabela|cheio|original|lista|endereco|bairro|cidade|cep|uf|percentual d[eo] comissao|"
    r"comissao|aliquota|base d[eo] icms|estoque|minim[oa]|maxim[oa]|servico|fiscal|numero|email|hora|aproximad[oa]|"
    r"nome|medio|anterior)\b"
)
_SURELY_FILLED: Final = re.compile(
    r"^(?:data|dt) (?:d[aeo]s? )?(?:cancel|devol|estorn|reembols|troca)|\b(?:em|no) nome d[aeo]$|"
    r"\b(?:faturar|emitir|nota|nf) (?:para|p)(?: (?:o|a))?(?: (?:nome|empresa|terceiro|outro))?$"
)
_UNSOLD: Final = (
    r"(?:devolucao|devolvid[oa]|trocas?|estornad[oa]|estorno|reembolsad[oa]|reembolso|arrependimento|chargeback|"
    r"rma|bonificacao|bonificad[oa]|brindes?|amostras?|consignad[oa]|consignacao|cortesia|refunded|"
    r"removid[oa]|excluid[oa]|ruptura|em falta|faltou|falta|avaria|avariad[oa]|extraviad[oa]|sem estoque|"
    r"indisponivel|reserva|reservad[oa])"
)
_ANSWERS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("billed", re.compile(
        r"^(?:nfe?|nf e|nfce|nfc e|notas?|cupom|danfe|xml)(?: fiscal)? (?:ja )?(?:foi )?(?:emitid|gerad|enviad|"
        r"impress|faturad|autorizad)")),
    ("active",
    re.compile(r"^(?:disponivel|(?:em|tem|ha) estoque|disponibilidade|com (?:nota|nf))$|^cpf (?:na|no) (?:nota|cupom|"
               r"nf)\b|^(?:quer|"
               r"deseja) (?:cpf|nota)\b")),
    ("stopped", re.compile(
        rf"^{_UNSOLD}(?: (?:(?:ou|e|por) )?{_UNSOLD})?$|"
        r"^motivo d[aeo] (?:devol|cancel|troca|estorn|reembols|recus)|"
        r"^(?:item|produto|pedido|venda) (?:cancelad|devolvid|estornad|trocad|refunded|retirad|removid|"
        r"exclu|cortad|perdid|avariad|recusad|extraviad)|"
        r"^(?:nf|nfe|nf e|nota)(?: fiscal)? (?:d[aeo] )?(?:remessa|retorno|devolucao|venda|saida|conserto)$|"
        r"^e? ?(?:brinde|troca|devolucao|amostra|bonificacao|cortesia)$|"
        r"^(?:(?:chave|numero|n|no|nr|doc|documento) (?:d[aeo] )?)?(?:nf|nfe|nf e|nota|cupom|documento|doc|chave|"
        r"pedido|venda)(?: fiscal)? (?:d[aeo] )?(?:referenciad[oa]|referencia|ref|origem|original|devolvid[oa]|"
        r"devolucao|troca)(?: (?:numero|no|n))?$|^(?:(?:numero|n|no|nr|chave) (?:d[eo] )?)?(?:cupom fiscal|coo|cf e|"
        r"cfe|sat)$")),
)  # fmt: skip
_ROUNDED: Final = re.compile(r"-?\d(?:[.,]\d{1,15})?[eE]\+\d{1,3}")
_EXPONENTS: Final = ("e+", "E+")
_DIGITS_LOST_FROM: Final = 1e15
"""The smallest number cell with more digits than a spreadsheet keeps."""
_PARENT: Final = re.compile(
    r"^(?:(?:sku|codigo|cod|item|produto|id|pertence|componente)(?: a?o?)? (?:d[aeo] )?)?(?:kit|pai|combo|conjunto|"
    r"composicao)$"
)
_BOX_UNIT: Final = re.compile(rf"{_BOX}(?: ?(?:c|com|de)?/? ?\d{{1,5}})?(?: un)?")
_WEIGHT_UNIT: Final = frozenset({"kg", "kgs", "kilo", "quilo", "k"})
_COMPARED: Final = frozenset({"quantity", "price", "box_price"})
_WITH_UNIT: Final = re.compile(r"([\d.,]{1,20}) ?[a-zç]{1,8}\.?", re.IGNORECASE)
_NEAR: Final = 1e-6
_QUOTED: Final = 30


def answers(unused: Mapping[int, str]) -> Iterator[tuple[str, int]]:
    """Yield (sign, index) for each unread column whose yes or no decides whether an item was sold.

    Its cells are read like those of the billing field `sign`.
    """
    for index, text in unused.items():
        bare = normalised(text)
        yield from ((sign, index) for sign, pattern in _ANSWERS if pattern.search(bare))


def rounded_numbers(column: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield (index, text) for each cell of a column of codes that lost digits (`7,89E+12`, a number of 16 digits)."""
    texts = {cell for cell in column if type(cell) is str}
    if any(map("\n".join(texts).__contains__, _EXPONENTS)):
        found = {text for text in texts if _ROUNDED.fullmatch(text.strip())}
        yield from ((place, cell.strip()) for place, cell in enumerate(column) if type(cell) is str and cell in found)
    for place, cell in enumerate(column):
        if type(cell) is float and cell >= _DIGITS_LOST_FROM:
            yield place, f"{cell:.0f}"


def parents(unused: Mapping[int, str]) -> list[int]:
    """Return the unread columns that name the set (kit) of which an item is a part."""
    return [index for index, text in unused.items() if _PARENT.search(normalised(text))]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodsColumns:
    """The roles of unread columns of a list of goods, and the columns of quantity, price, unit and totals."""

    roles: tuple[tuple[int, Role], ...] = ()
    quantity: int | None = None
    price: int | None = None
    totals: tuple[int, ...] = ()
    unit: int | None = None

    def contradictions(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, str, int]]:
        """Yield (index of the row in the block, text, index of the column) for each cell that contradicts its row."""
        boxes = [index for index, role in self.roles if role == "boxes"]
        for index, role in self.roles:
            column = columns[index] if index < len(columns) and role != "boxes" else ()
            for place, cell in enumerate(column):
                if cell is None or cells.is_blank(cell) or cells.says_nothing(cells.as_text(cell)):
                    continue
                row = _Line(columns, place, self)
                if role == "pack":
                    is_wrong = bool(boxes) and row.is_other_count(_figures(cell), row.figures_at(boxes[0]))
                else:
                    is_wrong = row.is_contradicted(cell, role)
                if is_wrong:
                    yield place, cells.as_text(cell)[:_QUOTED], index


def is_compared(header: str) -> bool:
    """Return whether a column with this header has a quantity or a price to compare with the row's."""
    return _role(header) in _COMPARED


def goods_columns(unused: Mapping[int, str], columns: Mapping[str, int]) -> GoodsColumns:
    """Return the roles of unread columns by their headers; `columns` are the read columns by field."""
    has_discount = not columns.keys().isdisjoint(("discount_cents", "order_discount_cents"))
    roles = [(index, role) for index, text in unused.items() if (role := _role(text)) is not None]
    if has_discount:
        # beside a discount in reais, a coupon or a percentage only explains it
        roles = [(index, "discount" if role == "coupon" else role) for index, role in roles]
        roles = [each for each in roles if each[1] != "discount" or "%" not in unused[each[0]]]
    quantity, price, unit = (columns.get(name) for name in ("quantity", "unit_price", "unit"))
    totals = tuple(columns[name] for name in ("line_cents", "order_total_cents") if name in columns)
    return GoodsColumns(roles=tuple(roles), quantity=quantity, price=price, totals=totals, unit=unit)


def _role(header: str) -> Role | None:
    bare = normalised(header)
    if _SURELY_FILLED.search(bare):
        return "filled"
    if _NOT.search(bare):
        return None
    return next((role for role, pattern in _ROLES if pattern.search(bare)), None)


@dataclass(frozen=True, slots=True)
class _Line:
    """One row of a block, by columns."""

    columns: Sequence[Sequence[Cell]]
    place: int
    own: GoodsColumns

    def cell(self, index: int | None) -> Cell:
        column = self.columns[index] if index is not None and index < len(self.columns) else ()
        return column[self.place] if self.place < len(column) else None

    def figures_at(self, index: int | None) -> set[float]:
        return _figures(self.cell(index))

    @property
    def unit(self) -> str:
        return cells.plain(cells.as_text(self.cell(self.own.unit)))

    def is_contradicted(self, cell: Cell, role: Role) -> bool:
        """Return whether the cell of such a column contradicts the row."""
        found = _figures(cell)
        if role == "filled":
            return found != {0.0}
        if role in ("adds", "less", "discount", "coupon"):
            return any(found) or (role == "coupon" and not found and isinstance(cell, str))
        if role == "base":
            return found != {1.0} if found else cells.plain(cells.as_text(cell)) != self.unit
        if role == "quantity":
            return bool(found) and not _agree(found, self.figures_at(self.own.quantity))
        if role == "weight":
            return self.unit in _WEIGHT_UNIT and any(found) and not _agree(found, self.figures_at(self.own.quantity))
        return any(found) and self._is_other_price(found, is_of_box=role == "box_price")

    def _is_other_price(self, found: set[float], *, is_of_box: bool) -> bool:
        if is_of_box and not _BOX_UNIT.fullmatch(self.unit):
            return False
        price, quantity = self.figures_at(self.own.price), self.figures_at(self.own.quantity)
        whole = {round(one * many, 2) for one in price for many in quantity}
        return not _agree(found, price.union(whole, *map(self.figures_at, self.own.totals)))

    def is_other_count(self, pack: set[float], boxes: set[float]) -> bool:
        """Return whether `boxes` of `pack` pieces differ from the quantity. With a box as unit, it may count boxes."""
        quantity = self.figures_at(self.own.quantity)
        if not any(pack) or not any(boxes) or not quantity:
            return False
        whole = {one * many for one in pack for many in boxes}
        is_of_boxes = _BOX_UNIT.fullmatch(self.unit) is not None
        return not _agree(quantity, whole | (boxes if is_of_boxes else set()))


def _agree(found: set[float], expected: set[float]) -> bool:
    return any(abs(one - other) < _NEAR for one in found for other in expected)


def _figures(cell: Cell) -> set[float]:
    """Return the numbers that a cell may mean; an empty set for a text without one."""
    if isinstance(cell, float):
        return {float(cell)}
    if not isinstance(cell, str):
        return set()
    bare = cells.as_text(cell).removeprefix("R$").strip().removesuffix("%").strip()
    if counted := _WITH_UNIT.fullmatch(bare):
        bare = counted[1]
    return set(map(float, number_parser.readings(bare).values()))
