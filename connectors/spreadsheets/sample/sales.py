"""The sample sales as a sheet: forty product lines of fifteen orders, NF-e and NFC-e, of two shops."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

import xlsxwriter

from connectors.spreadsheets.sample.goods import GOODS, Good
from connectors.spreadsheets.sample.people import Person, company, person
from connectors.spreadsheets.sample.sample_sheet import MONTHS, SampleSheet
from domain.products.arithmetic import line_cents

_SHOPS: Final = (
    ("99.000.051/0001-80", "RJ", "Subtotal Rio de Janeiro"),
    ("99.000.052/0001-25", "SP", "Subtotal São Paulo"),
)
"""CNPJ, state, and the label below the shop's lines."""
_FIRST_OF_SECOND_SHOP: Final = 8
_LINES_OF_ORDER: Final = (3, 2, 4, 1, 3, 2, 3, 2, 4, 1, 3, 2, 4, 3, 3)
_SHEET: Final = "Vendas"
_HEADERS: Final = (
    ("CNPJ Emitente", 19), ("Pedido", 11), ("Data da Venda", 12), ("Tipo de Nota", 9), ("CPF/CNPJ", 20),
    ("Cliente", 34), ("Inscrição Estadual", 15), ("E-mail", 30), ("Endereço", 24), ("Nº", 7), ("Bairro", 18),
    ("CEP", 11), ("Cidade/UF", 22), ("Forma de Pagamento", 19), ("Vencimento", 12), ("Desconto do Pedido", 12),
    ("Modalidade do Frete", 14), ("Frete", 11), ("Código", 11), ("Produto", 36), ("NCM", 11), ("CEST", 10),
    ("CFOP", 7), ("Unidade", 9), ("Quantidade", 11), ("Preço Unitário", 13), ("Valor Total", 14), ("Desconto", 11),
    ("CSOSN", 8), ("CST PIS", 8), ("PIS (%)", 8), ("CST COFINS", 9), ("COFINS (%)", 10), ("Alíquota ST (%)", 10),
    ("ICMS do Substituto", 12),
)  # fmt: skip
_COLUMN: Final = {header: index for index, (header, _) in enumerate(_HEADERS)}
_A3: Final = 8
_COUNTER_PAYMENTS: Final = ("Dinheiro", "Cartão de Débito", "Cartão de Crédito")

_Value = str | int | Decimal | date | None
"""A cell: text, cents (`int`), another number (`Decimal`), a day, or nothing."""


@dataclass(frozen=True, slots=True)
class _Order:
    """An order before it is written: its customer, and the facts on its lines."""

    index: int
    who: Person
    is_counter_sale: bool
    sold_on: date

    @property
    def shop(self) -> tuple[str, str, str]:
        return _SHOPS[self.index >= _FIRST_OF_SECOND_SHOP]

    @property
    def is_local(self) -> bool:
        return self.is_counter_sale or self.who.uf == self.shop[1]

    def facts(self) -> dict[str, _Value]:
        """Return the cells by header that all lines share."""
        who = self.who
        return {
            "Data da Venda": self.sold_on,
            "Tipo de Nota": "NFC-e" if self.is_counter_sale else "NF-e",
            "CPF/CNPJ": who.formatted,
            "Cliente": who.name,
            "Inscrição Estadual": f"{110_042_490 + self.index * 113}" if who.is_company else None,
            "E-mail": who.email,
            "Endereço": who.street,
            "Nº": who.number,
            "Bairro": who.neighborhood,
            "CEP": who.zip_code,
            "Cidade/UF": f"{who.city} - {who.uf}",
            **self._terms(),
        }

    def _terms(self) -> dict[str, _Value]:
        has_freight = not self.is_counter_sale and self.index % 2 == 0
        slip = self.who.is_company
        payment = "Boleto" if slip else _COUNTER_PAYMENTS[self.index // 3 % 3]
        return {
            "Forma de Pagamento": payment,
            "Vencimento": self.sold_on + timedelta(days=28) if slip else None,
            "Desconto do Pedido": 1_000 + self.index * 7 if self.index % 4 == 0 else None,
            "Modalidade do Frete": "Remetente" if has_freight else "Sem frete",
            "Frete": 2_590 + self.index * 110 if has_freight else None,
        }

    def goods(self) -> Iterator[tuple[Good, Decimal]]:
        """Yield the goods and their quantities. Goods with tax substitution go to other states for resale only."""
        may_be_substituted = self.is_local or self.who.is_company
        choice = [good for good in GOODS if may_be_substituted or not good.is_substituted]
        for turn in range(_LINES_OF_ORDER[self.index]):
            good = choice[(self.index * 3 + turn * 4) % len(choice)]
            whole = 1 + (self.index + turn * 5) % 6
            yield good, Decimal(whole) + (Decimal("0.5") if good.unit in ("M", "KG") else 0)

    def line(self, good: Good, quantity: Decimal, turn: int) -> dict[str, _Value]:
        """Return the cells of one product by header."""
        cents = line_cents(quantity, good.price)
        return {
            "CNPJ Emitente": self.shop[0],
            "Pedido": f"V-{3_001 + self.index}",
            "Código": good.code,
            "Produto": good.name,
            "NCM": good.ncm,
            "CEST": good.cest or None,
            "CFOP": self._operation(good),
            "Unidade": good.unit,
            "Quantidade": quantity,
            "Preço Unitário": good.price,
            "Valor Total": cents,
            "Desconto": cents // 20 if (self.index + turn) % 5 == 3 else None,
            "CSOSN": "500" if good.is_substituted else "102",
            "CST PIS": good.pis,
            "PIS (%)": good.pis_rate or None,
            "CST COFINS": good.pis,
            "COFINS (%)": good.cofins_rate or None,
            "Alíquota ST (%)": "18%" if good.is_substituted else None,
            "ICMS do Substituto": cents // 10 if good.is_substituted else None,
        }

    def _operation(self, good: Good) -> str:
        if good.is_substituted:
            return "5405" if self.is_local else "6404"
        if self.is_local:
            return "5102"
        return "6102" if self.who.is_company else "6108"


def write_sample_sales(path: Path, competence: date) -> None:
    """Write the lines of 15 orders in Brazilian formats, with subtotals and a total.

    Equal months give equal bytes. `competence` is the month's first day. The shops are the sandbox's own; documents are
    fictional. The second shop has an order's facts on its first line only, as people write them.
    """
    book = xlsxwriter.Workbook(
        path, {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    )
    book.set_properties({"title": "Vendas", "created": datetime(competence.year, competence.month, 1)})  # noqa: DTZ001 - a property without a zone
    page = _Page(book, competence)
    orders = [_order(index, competence) for index in range(len(_LINES_OF_ORDER))]
    total = 0
    for section, label in enumerate(label for _, _, label in _SHOPS):
        mine = [order for order in orders if (order.index >= _FIRST_OF_SECOND_SHOP) == bool(section)]
        cents = page.add_orders(mine, is_terse=bool(section))
        page.add_total(label, cents)
        total += cents
    page.add_total("TOTAL", total)
    book.close()


def _order(index: int, competence: date) -> _Order:
    is_counter_sale = index % 3 == 1
    is_private = is_counter_sale or index % 5 == 2
    who = person(index * 3 + 1) if is_private else company(index * 2 + 1, is_lettered=index % 6 == 0)
    return _Order(index, who, is_counter_sale, competence + timedelta(days=1 + index))


class _Page(SampleSheet):
    def __init__(self, book: xlsxwriter.Workbook, competence: date) -> None:
        super().__init__(book, _SHEET)
        self._figures = {
            "Quantidade": book.add_format({"num_format": "#,##0.0##"}),
            "Preço Unitário": book.add_format({"num_format": '"R$" #,##0.00#'}),
        }
        self._open(
            f"Vendas de produtos – {MONTHS[competence.month - 1]} de {competence.year}",
            "Planilha de demonstração: nomes e documentos inventados",
            _HEADERS,
            span=8,
            frozen=2,
        )
        self._sheet.set_landscape()
        self._sheet.set_paper(_A3)
        self._sheet.fit_to_pages(1, 0)

    def add_orders(self, orders: Sequence[_Order], *, is_terse: bool) -> int:
        """Write the orders' lines. Return their sum in cents."""
        total = 0
        for order in orders:
            for turn, (good, quantity) in enumerate(order.goods()):
                facts = order.facts() if turn == 0 or not is_terse else {}
                self._add_row({**facts, **order.line(good, quantity, turn)})
                total += line_cents(quantity, good.price)
        return total

    def add_total(self, label: str, cents: int) -> None:
        self._close(label, cents, label_column=_COLUMN["Cliente"], amount_column=_COLUMN["Valor Total"])

    def _add_row(self, values: dict[str, _Value]) -> None:
        for header, value in values.items():
            column = _COLUMN[header]
            if isinstance(value, date):
                self._sheet.write_datetime(self._next, column, datetime(value.year, value.month, value.day), self._day)  # noqa: DTZ001
            elif isinstance(value, int):
                self._sheet.write_number(self._next, column, value / 100, self._money)
            elif isinstance(value, Decimal):
                self._sheet.write_number(self._next, column, float(value), self._figures[header])
            elif value:
                self._sheet.write_string(self._next, column, value, self._text)
        self._next += 1
