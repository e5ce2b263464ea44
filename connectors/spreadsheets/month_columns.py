"""Read the amounts from the column of the requested month, if no header names an amount."""

from dataclasses import replace
from datetime import date
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised, stem
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.final_amounts import AMOUNT
from connectors.spreadsheets.headers.layouts import Layout, fields_named, headers_by_sheet
from connectors.spreadsheets.rows import titles
from domain.problems import Problem

_FEWEST: Final = 2
"""The fewest columns of months in a sheet where a header with only a month may mean an amount."""


def with_month_column(workbook: Workbook, layout: Layout, competence: date, *, sheet: str | None = None) -> Layout:
    """Return the layout in which the column of this month has the amount, if no other column has one.

    Exactly one header must name this month, alone or beside the name of an amount. A month alone counts only in a sheet
    with at least `_FEWEST` columns of months.
    """
    for texts in headers_by_sheet(workbook, layout, sheet=sheet).values():
        headers = list(texts.values())
        months = [text for text in headers if titles.months_of(text) and _is_amount(text, layout)]
        asked = [text for text in months if not titles.names_other_month(text, competence)]
        is_sure = len(months) >= _FEWEST or any(titles.without_months(normalised(text)) for text in asked)
        if is_sure and len(asked) == 1 and AMOUNT in layout.lacks(fields_named(headers, layout)):
            params = {"header": asked[0], "others": ", ".join(text for text in months if text != asked[0])[:120] or "–"}
            remarks = (*layout.remarks, Problem("column.of_month", AMOUNT, params=params))
            return replace(layout.with_mapping({asked[0]: AMOUNT}), remarks=remarks)
    return layout


def _is_amount(header: str, layout: Layout) -> bool:
    """Return whether a header is a month alone, or a month beside the name of an amount."""
    bare = titles.without_months(normalised(header))
    return not bare or AMOUNT in (layout.aliases.get(bare), layout.weaker.get(bare), layout.weaker.get(stem(bare)))
