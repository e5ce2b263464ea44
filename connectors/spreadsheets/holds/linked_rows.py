"""Hold rows because of another row: a credit for the same customer, a footnote, a note, another sheet's list."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell, Row, Sheet
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.holds import billing_markers, goods_columns
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.rows.row_facts import rows_below
from domain.names import without_form
from domain.problems import Problem

_CODES: Final = re.compile(r"(?<!\w)(\w{1,3}) ?[=:] ?([^=:;|]{3,60}?)(?=\s*(?:$|[;|,)]|\w{1,3} ?[=:]))")
"""A code and its words in a legend."""
_FEWEST_CODES: Final = 2
_MARKS: Final = ("***", "**", "*", "##", "#", "†", "‡", "¹", "²", "³", "⁴", "⁵")
_BRACKETED: Final = ("(1)", "(2)", "(3)", "(4)", "(5)", "[1]", "[2]", "[3]")
_WORD: Final = re.compile(r"[a-z0-9]+")
_SHORTEST_NAME: Final = 4
_NUMBERS: Final = ("order_key", "reference", "contract")
_AROUND: Final = " ()[]"
_BETWEEN: Final = " :=-–—)]"
_QUOTED: Final = 40
_LISTED_AT_MOST: Final = 5_000


def credited_rows(
    header: Header, control: int, credits_at: Collection[int], aside: Collection[int]
) -> dict[int, Problem]:
    """Return why the other rows of a customer with a credit (negative amount) are held, by row number.

    A credit without a document belongs to the charge above it.

    Args:
        header: The header of the sheet, which gives the rows below it.
        control: Index of the column of amounts.
        credits_at: Numbers of the rows with a negative amount.
        aside: Numbers of rows that are not billable lines: totals, titles and notes.
    """
    document = header.columns.get("document", -1)
    by_customer: dict[str, Problem] = {}
    held: dict[int, Problem] = {}
    above: int | None = None
    for row in _lines(header, aside):
        customer = _customer(row, document)
        if row.number in credits_at:
            params: dict[str, str | int] = {"row": row.number, "text": number_parser.shown(row.cells[control])}
            problem = Problem("held.credit", params=params)
            if customer:
                by_customer.setdefault(customer, problem)
                above = None
            elif above is not None:
                held.setdefault(above, problem)
        elif customer:
            above = row.number
    if by_customer:
        for row in _lines(header, aside):
            found = by_customer.get(_customer(row, document))
            if found is not None and row.number not in credits_at:
                held[row.number] = found
    return held


def footnoted_rows(header: Header, texts_aside: Mapping[int, str], aside: Collection[int]) -> dict[int, Problem]:
    """Return why rows with the mark of a footnote are held: the footnote forbids billing (`(*) aguardar contrato`).

    The mark may also be a code that a legend explains (`F = faturar  X = não faturar`) and that is a cell of its own.

    Args:
        header: The header of the sheet, which gives the rows below it.
        texts_aside: Texts of rows that may be footnotes, by row number.
        aside: Numbers of rows that are not billable lines: totals, titles and notes.
    """
    texts_of_notes = [texts_aside.get(number, "") for number in sorted(aside)]
    footnotes = dict(found for text in texts_of_notes if (found := _footnote(text)) is not None)
    codes = {code: stop for text in texts_of_notes for code, stop in _forbidding_codes(text)}
    if not footnotes and not codes:
        return {}
    held: dict[int, Problem] = {}
    for row in _lines(header, aside):
        texts = [cell for cell in row.cells if isinstance(cell, str)]
        mark = next((mark for mark in footnotes if any(_has_mark(text, mark) for text in texts)), None)
        if mark is not None:
            held[row.number] = Problem("held.footnote", params={"mark": mark, "text": footnotes[mark]})
        elif (code := next((bare for bare in map(cells.plain, texts) if bare in codes), None)) is not None:
            held[row.number] = Problem("held.footnote", params={"mark": code.upper(), "text": codes[code]})
    return held


def _forbidding_codes(text: str) -> Iterator[tuple[str, str]]:
    """Yield (normalized code, its words) for each code of a legend whose words forbid billing."""
    found = _CODES.findall(text)
    for code, words in found if len(found) >= _FEWEST_CODES else ():
        stop = billing_markers.title_stop(words) or billing_markers.text_stop(words)
        if stop is not None:
            yield cells.plain(code), stop


def named_rows(header: Header, texts_aside: Mapping[int, str], aside: Collection[int]) -> dict[int, Problem]:
    """Return why rows are held whose customer or number a note beside the lines names: `Não emitir para a Beta`.

    Args:
        header: The header of the sheet, which gives the rows below it.
        texts_aside: Texts of rows that may be notes, by row number.
        aside: Numbers of rows that are not billable lines: totals, titles and notes.
    """
    texts = (texts_aside.get(number, "") for number in aside)
    judge = billing_markers.order_stop if "order_key" in header.columns else billing_markers.text_stop
    notes = {f" {_words(text)} ": stop for text in texts if text and (stop := judge(text)) is not None}
    places = {header.columns[name]: name for name in ("name", *_NUMBERS) if name in header.columns}
    held: dict[int, Problem] = {}
    for row in _lines(header, aside) if notes else ():
        written = {index: cells.as_text(row.cells[index]) for index in places if index < len(row.cells)}
        names = [without_form(text) if places[index] == "name" else _words(text) for index, text in written.items()]
        named = [name for name in names if len(name) >= _SHORTEST_NAME]
        stop = next((stop for text, stop in notes.items() if any(f" {name} " in text for name in named)), None)
        if stop is not None:
            held[row.number] = Problem("held.named", params={"text": stop})
    return held


def listed_rows(header: Header, sheets: Iterable[Sheet], aside: Collection[int]) -> dict[int, Problem]:
    """Return why rows are held whose customer another sheet of the workbook lists, such as `Cancelados`.

    `aside` are numbers of rows that are not billable lines.
    """
    listed: dict[str, str] = {}
    for sheet in sheets:
        if sheet.name != header.sheet.name and (stop := billing_markers.list_stop(sheet.name)) is not None:
            for row in islice(sheet.rows(), _LISTED_AT_MOST):
                names = (_key(cell) for cell in row.cells if isinstance(cell, str))
                listed |= dict.fromkeys((name for name in names if len(name) >= _SHORTEST_NAME), stop)
    held: dict[int, Problem] = {}
    places = [header.columns[name] for name in ("document", "name") if name in header.columns]
    for row in _lines(header, aside) if listed else ():
        keys = (_key(row.cells[place]) for place in places if place < len(row.cells))
        stop = next((listed[key] for key in keys if key in listed), None)
        if stop is not None:
            held[row.number] = Problem("held.listed", params={"sheet": stop})
    return held


def _key(cell: Cell) -> str:
    """Return the letters and digits of a name or a document, for comparison."""
    return "".join(filter(str.isalnum, cells.plain(cells.as_text(cell))))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(cells.plain(text)))


def _lines(header: Header, aside: Collection[int]) -> Iterator[Row]:
    return (row for row in rows_below(header) if row.number not in aside)


def _customer(row: Row, document: int) -> str:
    """Return the letters and digits of the row's document, without punctuation."""
    text = cells.as_text(row.cells[document]) if 0 <= document < len(row.cells) else ""
    return "".join(filter(str.isalnum, text)).upper()


def _footnote(text: str) -> tuple[str, str] | None:
    """Return the mark and the words of a footnote that forbids billing, or None."""
    bare = text.strip()
    mark = next((each for each in _BRACKETED if bare.startswith(each)), None)
    if mark is None:
        bare = bare.lstrip(_AROUND)
        mark = next((each for each in _MARKS if bare.startswith(each)), None)
    if mark is None:
        return None
    note = bare.removeprefix(mark).lstrip(_BETWEEN)
    found = billing_markers.text_stop(note) or billing_markers.title_stop(note)
    return None if found is None else (mark, found)


def _has_mark(text: str, mark: str) -> bool:
    """Return whether a text begins or ends with exactly this mark: `*` is not `**`."""
    if mark in _BRACKETED:
        return text.rstrip().endswith(mark) or text.lstrip().startswith(mark)
    bare = text.strip(_AROUND)
    sign = mark[0]
    return len(mark) in (len(bare) - len(bare.rstrip(sign)), len(bare) - len(bare.lstrip(sign)))


def parts_of_sets(header: Header, aside: Collection[int]) -> dict[int, Problem]:
    """Return why the parts of a set are held, by row number: their order also contains the set itself.

    `aside` are numbers of rows that are not billable lines.
    """
    parents = goods_columns.parents(header.unused)
    order, code = (header.columns.get(name, -1) for name in ("order_key", "code"))
    lines = list(_lines(header, aside)) if parents and order >= 0 and code >= 0 else []
    sold = {(_text_at(row, order), _text_at(row, code)) for row in lines}
    held: dict[int, Problem] = {}
    for row in lines:
        for index in parents:
            text = _text_at(row, index)
            if text and text != _text_at(row, code) and (_text_at(row, order), text) in sold:
                params: dict[str, str | int] = {"text": text[:_QUOTED], "header": header.texts.get(index, "")}
                held[row.number] = Problem("held.set", params=params)
    return held


def _text_at(row: Row, index: int) -> str:
    return cells.plain(cells.as_text(row.cells[index])) if index < len(row.cells) else ""
