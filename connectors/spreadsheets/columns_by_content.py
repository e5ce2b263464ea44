"""Find the column of amounts or documents by its cells, if no header names the field and only one column fits."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell, Percent, Row, Sheet, Workbook
from connectors.spreadsheets.headers.final_amounts import AMOUNT, SAMPLED, computed_amount, numbers_in_cell
from connectors.spreadsheets.headers.layouts import Header, Layout, fields_named, header_rows
from connectors.spreadsheets.headers.portions import portions_of
from connectors.spreadsheets.holds.billing_documents import is_other_party
from connectors.spreadsheets.holds.status_columns import are_statuses
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.named_documents import is_document
from connectors.spreadsheets.rows import titles
from domain.competence import MONTH_NUMBERS
from domain.problems import Problem

_DOCUMENT: Final = "document"
_NAME: Final = "name"
_NAME_OF: Final = re.compile(
    r"(?:nome|razao social)(?: (?:d[oa] )?(?:cliente|tomador|contratante|sacado|pagador|fantasia))?$"
)
"""A header of the customer's name."""
_WANTED: Final = "is_wanted"
"""The field of `Faturar`, whose column may have amounts in place of yes and no."""
_COMPETENCE: Final = "competence"
_STATE: Final = "state"
_SHIFT: Final = re.compile(
    r"(?:(?:manha|tarde|noite|integral|matutino|vespertino|noturno|diurno|morning|afternoon|evening|night)"
    r"(?: ?(?:/|e|-|,) ?)?)+"
)
"""A time of the day in place of a month: `Período: Manhã`."""
_NAMES: Final = {AMOUNT: "amount", _DOCUMENT: "document"}
_REAIS: Final = "reais"
_CENTS: Final = re.compile(r"cent(?:avo)?s?\b")
"""A header of a column of cents. A column `R$` or `Reais` beside it has only a part of the amount."""
_FEWEST_FILLED: Final = 2
_CENT: Final = 0.011
_REFERENCE: Final = "reference"
_PRICE: Final = "unit_price"
"""A unit price is the amount if the sheet has no other column of figures."""
_UNIT: Final = re.compile(r"(?:r\$|valor|vlr|preco|taxa|tarifa)\.? ?(?:/|por\b|p/)|\bunit")
"""A header of a unit price: `R$/vida`, `Valor por aluno`."""
_AMOUNT_OF: Final = re.compile(r"(?:soma de )?(?:valor(?:es)?|vlr|vl|preco)\b")
_CHARGE: Final = re.compile(
    r"\b(?:reais|honorarios?|fees?|mensal(?:idade)?s?|anuidades?|partido|quanto|cache|faturar|cobrar|emitir|total|"
    r"receita|importe|amount|price|taxa|investimento|faturas?|mao de obra|retainer)\b"
)
_TOTAL: Final = re.compile(r"(?:valor |vlr |preco )?total(?: geral)? d[ao] \w+")
"""A header of the total of a row: `Total da OS`, `Valor total do boletim`."""
_OF_INVOICE: Final = re.compile(r"\b(?:nfs?-?e?|notas?)\b(?! de (?:debito|credito))")
"""A header of the amount on an invoice (`Honorários (NF)`), as against another paper (`Total do boleto`)."""
_SHARE: Final = re.compile(r"%|\bpercentual\b")
"""A header of a rate: the product of an amount and a rate is a share of the amount."""
_WITH_TAXES: Final = re.compile(r"\bc(?:om)? (?:os )?(?:impostos?|tributos?)\b")
"""Words of an amount with its taxes, as on an invoice; `_NO_CHARGE` must not find `impostos` in them."""
_NO_CHARGE: Final = re.compile(
    r"\b(?:contrato|unitario|unidade|horas?\b|hr?s?\b|diaria|sessao|minuto|km\b|descontos?|iss\b|issqn|impostos?|tributos?|"
    r"retenc|retid|pis\b|cofins|csll|irrf?\b|inss|multa|juros|pag[oa]s?\b|recebid|saldo|liquid|custos?|meta|deduc|"
    r"comiss|repass|premio|chei[oa]\b|"
    r"base\b|aliquota|estimad|previst|anual|ano\b|parcela(?! do mes)|entrada|sinal|causa|acao\b|bem\b|imovel|"
    r"estoque|tabela|mercado|venal|material|materiais|compras?\b|nota anterior|mercadorias?|carga|segurado|veiculo|"
    r"divida|credito|anterior|antig|salari|renda\b|limite|dias?\b|numero|codigo|percentual|qtde?\b|quantidade|orcament|"
    r"patrimonio|capital|lance|apolice|cifrao|nov[oa]s?\b)"
)
"""Words in headers of figures that are not the charge of a row."""
_BASE: Final = re.compile(
    r"\b(?:condenac|acordo\b|indenizac|precatorio|recuperad|economi[az]|financiad|emprestimo|captad|sinistro|beneficio)"
)
"""Words of money of others: only a fee for it is the charge of a row (`Honorários de sinistro`)."""
_FEE: Final = re.compile(r"\b(?:honorarios?|fees?|taxas?|mensal(?:idade)?s?|retainer)\b")


def with_columns_by_content(workbook: Workbook, layout: Layout, *, sheet: str | None = None) -> Layout:
    """Return the layout with the columns of amount and document that their cells reveal, and a remark for each.

    Skip a field that a header names, and one for which several columns fit. The amount is the product of two other
    columns; without one, a column of the invoice (`Honorários (NF)`), then one with the header of an amount (`Valor do
    Evento`), then one with that of a charge (`Honorário Contábil`). A unit price fits only without other columns of
    figures. Beside a quantity and its price, the amount is a total of the row (`Total da OS`).
    """
    for found, number, texts in header_rows(workbook, layout, sheet=sheet):
        fields = fields_named(list(texts.values()), layout)
        lacking, sample = layout.lacks(fields), _sample(found, number)
        named = dict(zip(texts, fields, strict=True))
        is_product = AMOUNT in layout.required and AMOUNT not in (*fields, *lacking)
        columns = [_Column(text, [row[at] for row in sample if at < len(row)], named[at]) for at, text in texts.items()]
        free = [each for each in columns if each.is_free and normalised(each.header) not in layout.ignored]
        amounts = [each for each in free if each.is_total] if is_product else _amounts(columns, free)
        for field, fitting in ((AMOUNT, amounts), (_DOCUMENT, [c for c in free if c.has_documents()])):
            if (field in lacking or (is_product and field == AMOUNT)) and len(fitting) == 1:
                header = fitting[0].header
                remark = Problem(f"column.only_{_NAMES[field]}", field, params={"header": header})
                layout = replace(layout.with_mapping({header: field}), remarks=(*layout.remarks, remark))
    return layout


def with_names(header: Header, layout: Layout) -> Layout:
    """Return the layout that takes the customer's name from the only column of names, if the usual one has codes.

    Programs write the customer's code below `Cliente`, and the name below `Nome Cliente`.
    """
    index = header.columns.get(_NAME)
    if index is None or header.texts.get(index) is None:
        return layout
    sample = _sample(header.sheet, header.row)
    columns = {
        at: _Column(text, [row[at] for row in sample if at < len(row)], None) for at, text in header.texts.items()
    }
    used = set(header.columns.values())
    named = [
        each
        for at, each in columns.items()
        if at not in used and _NAME_OF.match(normalised(each.header)) and each.has_names()
    ]
    if len(named) != 1 or not columns[index].has_codes():
        return layout
    return layout.with_mapping({header.texts[index]: None, named[0].header: _NAME})


def with_other_meanings(header: Header, layout: Layout) -> Layout:
    """Return the layout that gives a column its other meaning if none of its texts has the usual one.

    No months are read from times of the day (`Período: Manhã`), and no states from statuses (`Estado: Activo`).
    """
    others = {}
    for field, have_other_meaning in ((_COMPETENCE, _are_shifts), (_STATE, _are_statuses)):
        index = header.columns.get(field)
        text = None if index is None else header.texts.get(index)
        if index is None or text is None:
            continue
        found = (row[index] for row in _sample(header.sheet, header.row) if index < len(row))
        texts = {cells.plain(cells.as_text(cell)) for cell in found if not cells.is_blank(cell)}
        other = layout.beside.get(normalised(text))
        if texts and have_other_meaning(texts) and (field == _COMPETENCE or other is not None):
            others[text] = other
    return layout.with_mapping(others) if others else layout


def _are_shifts(texts: Collection[str]) -> bool:
    return all(map(_SHIFT.fullmatch, texts))


def _are_statuses(texts: Collection[str]) -> bool:
    return all(isinstance(cells.parse_state(text), Problem) for text in texts) and are_statuses(texts)


def with_computed_amount(header: Header, layout: Layout) -> tuple[Header, Layout]:
    """Take as the amount the column that equals the usual amount combined with other columns, or a part of it.

    Return header and layout with this change and a remark about it, or both unchanged.
    """
    known, rows = dict((*header.columns.items(), *header.signs)), _full_rows(header.sheet, header.row)
    texts = {at: text for at, text in header.texts.items() if at not in header.passed_over}
    found = computed_amount(texts, known, rows)
    if found is None:
        found = next(iter(portions_of(header, rows).billed), None)
    if found is None:
        return header, layout
    base, text = header.columns[AMOUNT], header.texts[found]
    unused = {base: header.texts[base], **{at: each for at, each in header.unused.items() if at != found}}
    remark = Problem("column.computed_amount", AMOUNT, params={"header": text, "base": unused[base]})
    others = (each for each in layout.remarks if each.field != AMOUNT)
    columns = {name: at for name, at in header.columns.items() if at != found}
    changed = replace(header, columns={**columns, AMOUNT: found}, unused=dict(sorted(unused.items())))
    return changed, replace(layout, remarks=(*others, remark))


def _amounts(columns: Sequence["_Column"], free: Sequence["_Column"]) -> list["_Column"]:
    """Return the free columns that may be the amount, by the most reliable rule that accepts any."""
    numbers = [each for each in columns if each.has_figures()]
    # the number of an invoice is no product of two columns: below `Fatura` stands its amount
    candidates = [each for each in numbers if each in free or each.field == _REFERENCE]
    if products := [each for each in candidates if each.is_product_of(numbers)]:
        return products
    if any(_CENTS.match(normalised(each.header)) for each in columns):
        free = [each for each in free if normalised(each.header) != _REAIS]
    charges = [each for each in free if not (each.is_unit_price and len(numbers) > 1)]
    amounts = [each for each in charges if each.has_amounts()]
    fitting = amounts + [each for each in charges if each.has_charges() and each not in amounts]
    return [each for each in fitting if each.is_of_invoice] or amounts or fitting


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: its header, its first cells, and the field that the header names, if any."""

    header: str
    cells: Sequence[Cell]
    field: str | None

    @property
    def is_free(self) -> bool:
        return self.field in (None, _WANTED, _PRICE)

    @property
    def is_unit_price(self) -> bool:
        return self.field == _PRICE or _UNIT.search(cells.plain(self.header)) is not None

    @property
    def is_of_invoice(self) -> bool:
        return _OF_INVOICE.search(cells.plain(self.header)) is not None

    @property
    def is_total(self) -> bool:
        return self._is_charge() and _TOTAL.fullmatch(cells.plain(self.header)) is not None

    @property
    def is_share(self) -> bool:
        """Return whether the figures are rates: by the header or a sign in each cell."""
        shown = [cell for cell in self.cells if not cells.is_blank(cell)]
        is_shown = all(isinstance(cell, Percent) or (isinstance(cell, str) and "%" in cell) for cell in shown)
        return is_shown or _SHARE.search(cells.plain(self.header)) is not None

    @property
    def is_percent(self) -> bool:
        """Return whether the figures are rates of 100: a rate that a cell's format shows is one of 1."""
        figures = [figure for cell in self.cells for figure in numbers_in_cell([cell], 0)]
        return self.is_share and any(figure > 1 for figure in figures)

    def has_amounts(self) -> bool:
        return self._is_charge() and _AMOUNT_OF.match(normalised(self.header)) is not None

    def has_charges(self) -> bool:
        return self._is_charge() and _CHARGE.search(normalised(self.header)) is not None

    def has_figures(self) -> bool:
        """Return whether all filled cells are numbers; False for a blank column."""
        return self._have_all(lambda cell: bool(numbers_in_cell([cell], 0)))

    def is_product_of(self, numbers: Sequence["_Column"]) -> bool:
        """Return whether two other columns multiply to this one in every row, in one row without a factor 1.

        One of them may be a percentage: the figure is a share of the other.
        """
        others = [each for each in numbers if each is not self]
        return self._is_charge() and any(
            _is_product(self, one, two)
            for one, two in combinations(others, 2)
            if self.has_charges() or not (one.is_share or two.is_share)
        )

    def has_documents(self) -> bool:
        """Return whether all filled cells are whole documents and the header names no party but the customer."""
        return not is_other_party(normalised(self.header)) and self._have_all(is_document)

    def has_codes(self) -> bool:
        """Return whether all filled cells are numbers or texts without a letter; False for a blank column."""
        return self._have_all(lambda cell: not (isinstance(cell, str) and any(map(str.isalpha, cell))))

    def has_names(self) -> bool:
        """Return whether all filled cells are texts with letters, in other words names; False for a blank column."""
        return self._have_all(lambda cell: isinstance(cell, str) and any(map(str.isalpha, cell)))

    def _is_charge(self) -> bool:
        """Return whether all filled cells are numbers above 1 and the header names no other figure and no month."""
        bare = _WITH_TAXES.sub("", normalised(self.header))
        is_of_month = MONTH_NUMBERS.keys() & set(bare.split()) or titles.months_of(self.header)
        is_base = _BASE.search(bare) is not None and _FEE.search(bare) is None
        if _NO_CHARGE.search(bare) or is_base or is_of_month or titles.has_other_unit(self.header):
            return False
        return self._have_all(_is_figure)

    def _have_all(self, test: Callable[[Cell], bool]) -> bool:
        filled = [cell for cell in self.cells if not cells.is_blank(cell)]
        return bool(filled) and all(map(test, filled))


def _is_product(result: _Column, one: _Column, two: _Column) -> bool:
    rows = zip(result.cells, one.cells, two.cells, strict=False)
    found = ([numbers_in_cell([cell], 0) for cell in row] for row in rows)
    whole = [[figure[0] for figure in figures] for figures in found if all(figures)]
    part = 100 if one.is_percent or two.is_percent else 1
    follow = all(abs(product - count * price / part) < _CENT for product, count, price in whole)
    return follow and any(1 not in (count, price) for _, count, price in whole)


def _sample(sheet: Sheet, header_row: int) -> list[Sequence[Cell]]:
    """Return the first rows below the header with more than two filled cells: totals and notes have fewer."""
    return [row.cells for row in _full_rows(sheet, header_row)]


def _full_rows(sheet: Sheet, header_row: int) -> list[Row]:
    below = (row for row in sheet.rows() if row.number > header_row)
    full = (row for row in below if sum(not cells.is_blank(cell) for cell in row.cells) > _FEWEST_FILLED)
    return list(islice(full, SAMPLED))


def _is_figure(cell: Cell) -> bool:
    figure = numbers_in_cell([cell], 0)
    return bool(figure) and figure[0] > 1 and not isinstance(cell, Percent)
