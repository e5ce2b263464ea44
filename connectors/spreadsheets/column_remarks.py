"""What is told about columns that are not used, or that nobody sees."""

from dataclasses import replace

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.marks import column_letter
from connectors.spreadsheets.layouts import OUR_OWN, UNSEEN, Header, Layout, similar_columns
from domain.problems import Problem, Where


def unused_columns(header: Header, layout: Layout) -> list[Problem]:
    """Columns whose header nobody knows, first those that look like one of ours."""
    where = Where(sheet=header.sheet.name, row=header.row)
    similar = similar_columns(header.unused, layout, where)
    told = {each.where.column for each in similar}
    return similar + [
        Problem("column.unused", None, replace(where, column=letter), {"header": text, "samples": UNSEEN})
        for index, text in header.unused.items()
        if (letter := column_letter(index)) not in told
    ]


def ignored_columns(header: Header, layout: Layout) -> list[Problem]:
    """Columns that are known and have no use, together; our own columns need no word."""
    names = [text for text in header.texts.values() if normalised(text) in layout.ignored - OUR_OWN]
    where = Where(sheet=header.sheet.name, row=header.row)
    return [Problem("column.ignored", None, where, {"headers": ", ".join(names)})] if names else []


def hidden_columns(header: Header) -> list[Problem]:
    """Columns that are read although the person does not see them."""
    where = Where(sheet=header.sheet.name, row=header.row)
    return [
        Problem("column.hidden", name, replace(where, column=column_letter(index)))
        for name, index in header.columns.items()
        if index in header.sheet.hidden_columns
    ]
