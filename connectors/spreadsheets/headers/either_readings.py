"""Collect numbers with two readings, such as `1.234`, between which the notation of their column decides."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import number_parser
from domain.problems import Problem, Where

ROWS_NAMED: Final = 5
_FIGURES: Final = ("unit_price",)
_QUANTITY: Final = "quantity"
_DECIMAL_COMMA: Final = number_parser.LOCALES[0]
_PLACES: Final = 2


def shown_rows(rows: Sequence[int]) -> str:
    """Return the first row numbers for a message."""
    return ", ".join(map(str, rows[:ROWS_NAMED])) + (" …" if len(rows) > ROWS_NAMED else "")


class AmbiguousNumbers:
    """Collect each column's first numbers with two readings, those with a comma apart from those with a point."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._found: dict[tuple[int, bool], list[tuple[int, str]]] = {}
        self._fine: set[int] = set()

    def take(self, index: int, row: int, text: str) -> None:
        """Record a number with two readings."""
        found = self._found.setdefault((index, "," in text), [])
        if len(found) <= ROWS_NAMED:
            found.append((row, text))

    def see(self, index: int, readings: Mapping[str, Decimal]) -> None:
        """Note a number with one reading, whose column may have more than two decimal places."""
        if index not in self._fine and any(value != round(value, _PLACES) for value in readings.values()):
            self._fine.add(index)

    def notations(self, locales: Mapping[str, str | None]) -> dict[str, str]:
        """Return the notations of columns that differ from `locales`, the number notations that their cells prove."""
        return self._unsure_prices(locales) | self._quantity_like_others(locales)

    def _quantity_like_others(self, locales: Mapping[str, str | None]) -> dict[str, str]:
        """Return the notation of the sheet's other figures for quantities such as `3,000`, decimals in that notation.

        Programs write three decimals in each quantity: `3,000` beside `12,50` is three, and no thousands.
        """
        index, proved = self._header.columns.get(_QUANTITY), set(locales.values()) - {None}
        if index is None or locales.get(_QUANTITY) is not None or len(proved) != 1:
            return {}
        (locale,) = proved
        signs = {has_comma for column, has_comma in self._found if column == index}
        return {_QUANTITY: locale} if signs == {locale == _DECIMAL_COMMA} and locale in number_parser.LOCALES else {}

    def _unsure_prices(self, locales: Mapping[str, str | None]) -> dict[str, str]:
        """Return `MIXED` for the unit price if its `1.250` would be read as a fraction and may be a thousand.

        A column that has another number with thousandths is not returned.
        """
        fields = {index: field for field, index in self._header.columns.items()}
        found: dict[str, str] = {}
        for (index, _), numbers in self._found.items():
            read = number_parser.readings(numbers[0][1].strip()).get(locales.get(name := fields[index]) or "")
            if name in _FIGURES and index not in self._fine and read is not None and read != round(read):
                found[name] = number_parser.MIXED
        return found

    def remarks(self, locales: Mapping[str, str | None]) -> Iterator[Problem]:
        """Yield a remark for each column whose notation decided. `locales` are number notations by field."""
        fields = {index: field for field, index in self._header.columns.items()}
        for (index, _), found in self._found.items():
            row, text = found[0]
            name = fields[index]
            value = number_parser.readings(text.strip().removesuffix("%").strip()).get(locales.get(name) or "")
            # a fraction of a cent is refused with its row
            if value is not None and (value == value.to_integral_value() or not name.endswith("_cents")):
                where = Where(sheet=self._header.sheet.name, row=row, column=column_letter(index))
                rows = shown_rows([number for number, _ in found])
                params: dict[str, str | int] = {
                    "text": number_parser.shown(text),
                    "read": number_parser.plain(value),
                    "rows": rows,
                }
                yield Problem("column.notation", name, where, params)
