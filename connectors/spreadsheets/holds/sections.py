"""Find the titles, sheet names and headers that hold all rows below them: cancelled charges, another month."""

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from datetime import date
from itertools import takewhile
from typing import Final

from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.holds import billing_markers, goods_words
from connectors.spreadsheets.holds.row_colours import colours_below, named_colours
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows import titles
from domain.competence import format_competence
from domain.documents import is_cnpj
from domain.problems import Problem

_MONTH = "held.month"
TITLE: Final = "title"
"""The usual `origin` of a text against billing; others are `sheet_name`, `comment` (on a header cell), `header`."""
LONGEST: Final = 300
_CNPJ: Final = re.compile(r"(?<![0-9A-Z])[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?[0-9]{2}(?![0-9])")
_GOODS: Final = re.compile(r"\b(?:ncm|cfop|csosn|cest|gtin|ean|sku)\b")
_ABOVE: Final = re.compile(r"\b(?:ate aqui|ate (?:esta|essa) linha|ate este ponto|(?:linhas?|pedidos?|itens|notas?|"
                           r"os|as) acima|acima (?:ja|foram|esta)|up to here)\b")  # fmt: skip
"""Words of a title that is about the rows above it."""
_MARKS: Final = re.compile(r"[./\-]")
_SUPPLIERS: Final = frozenset({"fornecedor", "fornecedores", "supplier", "vendor"})


class Sections:
    """The sections of a sheet, each with its first row and the reason to hold its rows, if any.

    `competence` is the requested month, None if each row has its own. `emitter_cnpj` issues for rows without an
    emitter. `of_goods`: the sheet has sales of goods, not services.
    """

    def __init__(
        self, competence: date | None = None, emitter_cnpj: str | None = None, *, of_goods: bool = False
    ) -> None:
        self._of_goods = of_goods
        self._competence = competence
        self._emitter_cnpj = emitter_cnpj
        self._colours: frozenset[str] = frozenset()
        self._starts: list[int] = []
        self._reasons: list[Problem | None] = []
        self._closing: set[int] = set()

    def __bool__(self) -> bool:
        return any(self._reasons)

    def begin(self, row: int, reason: Problem | None) -> None:
        """Begin a section below this row. Call it in the order of rows."""
        self._starts.append(row)
        self._reasons.append(reason)

    def take_title(self, row: int, reason: Problem | None) -> None:
        """Begin a section below a title that stands between lines; hold its rows if `reason` is given.

        If the title's text is about the rows above it (`_ABOVE`), hold the section above for this reason instead.
        """
        if reason is not None and _ABOVE.search(cells.plain(str(reason.params.get("text", "")))):
            self._closing.add(row)
            if not self._starts:
                self._starts, self._reasons = [0], [None]
            self._reasons[-1] = self._reasons[-1] or reason
            reason = None
        self.begin(row, reason)

    def reason(self, row: int) -> Problem | None:
        """Return why the section of a row is held, or None."""
        place = bisect_right(self._starts, row - 1)
        return self._reasons[place - 1] if place else None

    def holds_below(self, title: int, aside: Container[int], last: int) -> bool:
        """Return whether the lines of a title, usually those below it, are held for the reason in the title.

        `aside` are numbers of rows that are not billable lines, `last` is the number of the last line.
        """
        if title in self._closing:
            return True
        row = title + 1
        while row in aside:
            row += 1
        return row <= last and self.reason(row) is not None

    def held_below(self, text: str, row: int | None = None, *, origin: str = TITLE) -> Problem | None:
        """Return why a title with this text holds the rows below it, or None. `origin`: where the text is (`TITLE`)."""
        if self._colours and self._colours & named_colours(text):
            # a legend holds the rows of its colours
            return None
        where: dict[str, str | int] = {"origin": origin, "at": row or 0}
        if (stop := billing_markers.title_stop(text)) is not None:
            return Problem("held.section", params={**where, "text": stop})
        bare = cells.plain(text) if self._of_goods and len(text) <= titles.LONGEST else ""
        if goods_words.stops_by_title(bare) or titles.are_not_final(text):
            return Problem("held.section", params={**where, "text": text[: titles.SHOWN]})
        if titles.names_other_unit(text) or goods_words.has_other_unit(bare):
            return Problem("held.unit", params={**where, "text": text[: titles.SHOWN]})
        if self._competence is not None and titles.names_other_month(text, self._competence):
            asked = format_competence(self._competence)
            return Problem(_MONTH, params={**where, "text": text[: titles.SHOWN], "competence": asked})
        return None

    def read_titles_above(self, header: Header) -> None:
        """Begin a section below the header, if the sheet's name or a title above it holds all rows.

        If any of them names the requested month, ignore other months, which may be those of the work.
        """
        self._colours = colours_below(header)
        titled = [
            (cells.as_text(cell), row.number)
            for row in takewhile(lambda row: row.number < header.row, header.sheet.rows())
            for cell in row.cells
            if isinstance(cell, str)
        ]
        above = [header.sheet.name, *(text for text, _ in titled)]
        is_asked = any(self._is_of_month(text) for text in above)
        reasons = [
            self.held_below(header.sheet.name, origin="sheet_name"),
            *(self.held_below(text, row) for text, row in titled),
            *(self.held_below(text, header.row, origin="comment") for text in _comments_on_amounts(header)),
            _suppliers(header),
            _goods(header),
            *(self._foreign_cnpj(above) if "emitter_cnpj" not in header.columns else ()),
        ]
        reason = next((each for each in reasons if each is not None and not (is_asked and each.code == _MONTH)), None)
        if reason is not None:
            self.begin(header.row, reason)

    def _foreign_cnpj(self, above: Sequence[str]) -> Iterator[Problem]:
        """Yield a problem if the sheet's name or the lines above the header contain CNPJs, but not the emitter's."""
        found = [
            number
            for text in above
            for each in _CNPJ.findall(text[:LONGEST])
            if is_cnpj(number := _MARKS.sub("", each))
        ]
        if found and self._emitter_cnpj is not None and self._emitter_cnpj not in found:
            yield Problem("held.emitter", params={"text": found[0], "emitter": self._emitter_cnpj})

    def _is_of_month(self, text: str) -> bool:
        asked = self._competence
        return asked is not None and bool(titles.months_of(text)) and not titles.names_other_month(text, asked)


def _comments_on_amounts(header: Header) -> Iterator[str]:
    """Yield the comments on header cells that say that the amounts are in another unit, or not final.

    Other comments only explain a column.
    """
    row = next((row for row in header.sheet.rows() if row.number >= header.row), None)
    if row is not None and row.number == header.row:
        yield from (text for _, text in row.comments if titles.names_other_unit(text) or titles.are_not_final(text))


def _goods(header: Header) -> Problem | None:
    """Return why a list of sold goods is held when it is read as services: product invoices need other data."""
    if "icms" in header.columns:
        return None
    found = (text for text in header.unused.values() if _GOODS.search(cells.plain(text)))
    return next((Problem("held.goods", params={"text": text}) for text in found), None)


def _suppliers(header: Header) -> Problem | None:
    """Return why a list of suppliers is held: a company pays its suppliers and does not bill them."""
    text = header.texts.get(header.columns.get("name", -1), "")
    if cells.plain(text) not in _SUPPLIERS:
        return None
    return Problem("held.section", params={"text": text, "origin": "header", "at": header.row})
