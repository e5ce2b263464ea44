"""Take a required column by its cells where no header names its field: the only amounts, the only documents."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from connectors.spreadsheets import cells, titles
from connectors.spreadsheets.billing_documents import is_other_party
from connectors.spreadsheets.final_amounts import AMOUNT, SAMPLED, figure_at
from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell, Percent, Sheet, Workbook
from connectors.spreadsheets.layouts import Layout, fields_named, header_rows
from domain.competence import MONTH_NUMBERS
from domain.documents import ParsedDocument, parse_document
from domain.problems import Problem

_DOCUMENT: Final = "document"
_WANTED: Final = "is_wanted"
"""The field of `Faturar`, whose column may have amounts in place of yes and no."""
_NAMES: Final = {AMOUNT: "amount", _DOCUMENT: "document"}
_REAIS: Final = "reais"
_CENTS: Final = re.compile(r"cent(?:avo)?s?\b")
"""Beside a column of cents, `R$` or `Reais` is only a part of the amount."""
_FEWEST_FILLED: Final = 2
_AMOUNT_OF: Final = re.compile(r"(?:soma de )?(?:valor(?:es)?|vlr|vl|preco)\b")
_CHARGE: Final = re.compile(
    r"\b(?:reais|honorarios?|fees?|mensal(?:idade)?s?|anuidades?|partido|quanto|cache|faturar|cobrar|emitir|total|"
    r"receita|importe|amount|price|taxa|investimento)\b"
)
_NO_CHARGE: Final = re.compile(
    r"\b(?:contrato|unitario|unidade|horas?\b|hr?s?\b|diaria|sessao|minuto|km\b|descontos?|iss\b|issqn|impostos?|tributos?|"
    r"retenc|retid|pis\b|cofins|csll|irrf?\b|inss|multa|juros|pag[oa]s?\b|recebid|saldo|liquid|custos?|meta|deduc|"
    r"comiss|base\b|aliquota|estimad|previst|anual|ano\b|parcela|entrada|sinal|causa|acao\b|bem\b|imovel|estoque|"
    r"tabela|mercado|venal|material|materiais|compras?\b|nota anterior|mercadorias?|carga|segurado|veiculo|divida|"
    r"credito|anterior|antig|salari|renda\b|limite|dias?\b|numero|codigo|percentual|qtde?\b|quantidade|orcament|"
    r"patrimonio|capital|lance|apolice|usd\b|us\b|dolar|euro|libra|cifrao|mil\b|milhar|milh[ao]|centavo|nov[oa]s?\b)"
)
"""Words of figures that are not the charge of a row."""


def with_columns_by_content(workbook: Workbook, layout: Layout, *, sheet: str | None = None) -> Layout:
    """Return the layout that reads amount and document from the only columns that can have them, and a remark of each.

    A field that a header names is left alone, and so is one that several columns may have. Of the columns of figures,
    one with the header of an amount (`Valor do Evento`) comes before one with that of a charge (`Honorário Contábil`).
    """
    for found, number, texts in header_rows(workbook, layout, sheet=sheet):
        fields = fields_named(list(texts.values()), layout)
        lacking = layout.lacks(fields)
        columns = [
            _Column(text, [row[index] for row in _sample(found, number) if index < len(row)])
            for (index, text), field in zip(texts.items(), fields, strict=True)
            if field in (None, _WANTED) and normalised(text) not in layout.ignored
        ]
        if any(_CENTS.match(normalised(text)) for text in texts.values()):
            columns = [each for each in columns if normalised(each.header) != _REAIS]
        kinds = {AMOUNT: (_Column.has_amounts, _Column.has_charges), _DOCUMENT: (_Column.has_documents,)}
        for field, tests in kinds.items():
            fitting = next(filter(None, ([each for each in columns if test(each)] for test in tests)), [])
            if field in lacking and len(fitting) == 1:
                header = fitting[0].header
                remark = Problem(f"column.only_{_NAMES[field]}", field, params={"header": header})
                layout = replace(layout.taught({header: field}), remarks=(*layout.remarks, remark))
    return layout


@dataclass(frozen=True, slots=True)
class _Column:
    """A column without a known field: its header, and its first cells."""

    header: str
    cells: Sequence[Cell]

    def has_amounts(self) -> bool:
        return self._has_figures() and _AMOUNT_OF.match(normalised(self.header)) is not None

    def has_charges(self) -> bool:
        return self._has_figures() and _CHARGE.search(normalised(self.header)) is not None

    def has_documents(self) -> bool:
        """Return whether the cells are whole documents, of nobody else than the customer as far as the header says."""
        return not is_other_party(normalised(self.header)) and self._have_all(_is_document)

    def _has_figures(self) -> bool:
        bare = normalised(self.header)
        is_of_month = MONTH_NUMBERS.keys() & set(bare.split()) or titles.months_of(self.header)
        return _NO_CHARGE.search(bare) is None and not is_of_month and self._have_all(_is_figure)

    def _have_all(self, test: Callable[[Cell], bool]) -> bool:
        filled = [cell for cell in self.cells if not cells.is_blank(cell)]
        return bool(filled) and all(map(test, filled))


def _sample(sheet: Sheet, header_row: int) -> list[Sequence[Cell]]:
    """Return the cells of the first rows with a value in more than one column: totals and notes have few."""
    rows = (row.cells for row in sheet.rows() if row.number > header_row)
    full = (row for row in rows if sum(not cells.is_blank(cell) for cell in row) > _FEWEST_FILLED)
    return list(islice(full, SAMPLED))


def _is_figure(cell: Cell) -> bool:
    figure = figure_at([cell], 0)
    return bool(figure) and figure[0] > 1 and not isinstance(cell, Percent)


def _is_document(cell: Cell) -> bool:
    return isinstance(cell, str) and isinstance(parse_document(cell), ParsedDocument)
