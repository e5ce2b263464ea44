"""Remarks about unused and hidden columns."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.headers.layouts import OUR_OWN, UNSEEN, Header, Layout, similar_columns
from connectors.spreadsheets.headers.two_documents import OneDocumentSheet
from connectors.spreadsheets.holds.side_amounts import side_columns
from domain.problems import Problem, Where

COLUMNS_BEYOND: Final = 20
"""Number of columns right of the header to search for remarks."""
_NUMBERS: Final = ("reference", "contract")
"""Fields of a customer's own document numbers; a person may write there that the document is awaited."""


def columns_beside(header: Header) -> tuple[int, ...]:
    """Return the indexes of columns in which a person may write anything: those without a field, and other numbers.

    They may have no header. A corrections workbook that comes back has no such column.
    """
    if OUR_OWN & set(map(normalised, header.texts.values())):
        return ()
    end = max(header.texts, default=-1) + 1 + COLUMNS_BEYOND
    read = {index for name, index in header.columns.items() if name not in _NUMBERS}
    read |= {index for _, index in header.signs}
    return tuple(index for index in range(end) if index not in read)


def unused_columns(header: Header, layout: Layout, *, apart: Collection[int] = ()) -> list[Problem]:
    """Return remarks about columns with unknown headers, except `apart`; headers that resemble a known one come first.

    A header such as `Desconto (%)` resembles those of rates, but means a change of the amount: suggest nothing for it.
    """
    where = Where(sheet=header.sheet.name, row=header.row)
    beside = {index for index, _ in side_columns(header.unused, "")}
    unused = {index: text for index, text in header.unused.items() if index not in apart}
    resembling = {index: text for index, text in unused.items() if index not in beside}
    similar = similar_columns(resembling, layout, where)
    reported = {each.where.column for each in similar}
    return similar + [
        Problem("column.unused", None, replace(where, column=letter), {"header": text, "samples": UNSEEN})
        for index, text in unused.items()
        if (letter := column_letter(index)) not in reported
    ]


def ignored_columns(header: Header, layout: Layout) -> list[Problem]:
    """Return one remark about all columns that the layout ignores, except our own."""
    names = [text for text in header.texts.values() if normalised(text) in layout.ignored - OUR_OWN]
    where = Where(sheet=header.sheet.name, row=header.row)
    return [Problem("column.ignored", None, where, {"headers": ", ".join(names)})] if names else []


def joined_columns(header: Header) -> list[Problem]:
    """Return a remark if CPF and CNPJ are in two columns, or name and document in one."""
    sheet = header.sheet
    if (place := header.columns.get("document")) is not None and place == header.columns.get("name"):
        at = Where(sheet=sheet.name, row=header.row, column=column_letter(place))
        return [Problem("column.names_with_documents", "document", at, {"header": header.texts[place]})]
    if not isinstance(sheet, OneDocumentSheet):
        return []
    where = Where(sheet=sheet.name, row=header.row, column=column_letter(sheet.place))
    headers = {"first": header.texts[sheet.other], "second": header.texts[sheet.place]}
    return [Problem("column.either_document", "document", where, headers)]


def hidden_columns(header: Header) -> list[Problem]:
    """Return remarks about columns that are read although they are hidden."""
    where = Where(sheet=header.sheet.name, row=header.row)
    return [
        Problem("column.hidden", name, replace(where, column=column_letter(index)))
        for name, index in header.columns.items()
        if index in header.sheet.hidden_columns
    ]
