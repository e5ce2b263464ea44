"""A first pass over all rows below the header: number notation, totals, and warnings."""

import sys
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.formats.sheets import Cell, Covered, Row, Sheet
from connectors.spreadsheets.headers import stated_taxes
from connectors.spreadsheets.headers.either_readings import AmbiguousNumbers, shown_rows
from connectors.spreadsheets.headers.layouts import FEWEST_FIELDS, OUR_OWN, Header, Layout, fields_named
from connectors.spreadsheets.holds import billing_markers, column_warnings, linked_rows
from connectors.spreadsheets.holds.billing_columns import judged_columns, rules_beside
from connectors.spreadsheets.holds.billing_documents import billing_columns
from connectors.spreadsheets.holds.held_rows import HoldRules
from connectors.spreadsheets.holds.identical_lines import IdenticalLines
from connectors.spreadsheets.holds.row_colours import row_colours
from connectors.spreadsheets.holds.sections import Sections
from connectors.spreadsheets.holds.text_months import text_months
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.column_parser import ROWS_A_BLOCK
from connectors.spreadsheets.rows import titles
from connectors.spreadsheets.rows.customer_sums import CustomerSums
from connectors.spreadsheets.rows.row_facts import has_any, has_tag, is_sparse, is_whole_document, rows_below
from connectors.spreadsheets.rows.totals import compared, customer_rows
from connectors.spreadsheets.service_row_parser import AMOUNTS, FIGURES, RATES
from domain.competence import writes_month_first
from domain.problems import Problem, Where

_DATES: Final = ("competence", "emission_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The columns to survey in a kind of sheet, by field.

    `figures` are the columns whose number notation is needed; `control` is the one that a total row sums. A row of
    numbers alone is no total if it has one of `identifying`; a row without any of `essential` and `identifying` may be
    a note. `judged` are pairs (sign, field): the rule of that sign decides whether a cell of the field stops billing.
    """

    figures: tuple[str, ...]
    control: str
    identifying: tuple[str, ...]
    essential: tuple[str, ...]
    is_of_goods: bool = False
    judged: tuple[tuple[str, str], ...] = ()


SERVICES: Final = Plan(
    figures=(*AMOUNTS, *RATES, *FIGURES, *stated_taxes.FIELDS),
    control="service_cents",
    identifying=("document", "template_name"),
    essential=("document", "service_cents", "unit_price"),
)


class Survey:
    """The findings of one pass over the rows. `repeated_keys` maps a repeated `own_key` to its first row.

    `has_tags`: a cell looks like the tag of a corrections workbook.
    """

    def __init__(
        self,
        header: Header,
        plan: Plan = SERVICES,
        *,
        layout: Layout,
        competence: date | None = None,
        emitter_cnpj: str | None = None,
        takes_hidden_rows: bool = False,
        sheets: Iterable[Sheet] = (),
    ) -> None:
        self._takes_hidden_rows, self._layout, self._competence = takes_hidden_rows, layout, competence
        self._sheets, self._header, self._plan, self._columns = sheets, header, plan, header.columns
        self._sections = Sections(competence, emitter_cnpj, of_goods=plan.is_of_goods)
        self._statuses: dict[int, set[str]] = {index: set() for field, index in header.signs if field == "status"}
        self._paid = {index: [0, 0] for field, index in header.signs if field == "paid"}
        self._sums: list[tuple[int, int]] = []
        self._merged: set[int] = set()
        self._credits: list[int] = []
        self.titles: list[int] = []
        self._last_line = self.row_count = 0
        self.hidden_rows: list[int] = []
        self.ignored_rows: list[int] = []
        self.notes: list[int] = []
        self.repeated_keys: dict[str, int] = {}
        self.has_tags = self._has_texts = self._is_below_total = False
        self._untold: list[tuple[Cell, ...]] = []
        self._control = header.columns.get(plan.control, sys.maxsize)
        self._headers_again: set[int] = set()
        self._texts_aside: dict[int, str] = {}
        self._keys: dict[str, int] = {}
        self._proofs: dict[str, set[str]] = {name: set() for name in plan.figures if name in header.columns}
        self._unproved = [(header.columns[name], proved) for name, proved in self._proofs.items()]
        self._days: list[tuple[str, int, set[str]]] = [
            (name, header.columns[name], set()) for name in _DATES if name in header.columns
        ]
        self._seen = [*((index, texts) for _, index, texts in self._days), *self._statuses.items()]
        # may have a million amounts
        self._cents = array("q")
        self._total_cells: list[tuple[int, Cell, int]] = []
        self._labels: dict[int, str] = {}
        self._either = AmbiguousNumbers(header)
        self._among = IdenticalLines(header) if plan.is_of_goods else CustomerSums(header)
        self._look()
        self.locales: dict[str, str | None] = {
            name: number_parser.MIXED if len(proved) > 1 else next(iter(proved), None)
            for name, proved in self._proofs.items()
        }
        self.locales |= {
            name: number_parser.MONTH_FIRST for name, _, texts in self._days if any(map(writes_month_first, texts))
        } | self._either.notations(self.locales)
        self._read_texts()
        owned = customer_rows(header, self._labels, self._labels.keys() | self._headers_again)
        self._take_bare_sums()
        self._colours = row_colours(header, {*self.ignored_rows, *(number for number, _, _ in self._total_cells)})
        named = ((sign, self._columns[name]) for sign, name in self._plan.judged if name in self._columns)
        self._judged = (*named, *judged_columns(header, layout, competence))
        self.holding = self._held()
        self.computed_cents = sum(self._cents)
        self.totals = tuple(compared(self._total_cells, self._cents, self._cents_of, owned))

    def _held(self) -> HoldRules:
        header, goods = self._header, self._plan.is_of_goods
        amount = header.texts.get(self._control, "")
        return HoldRules(
            signs=header.signs,
            headers=header.texts,
            all_paid=frozenset(index for index, (paid, unpaid) in self._paid.items() if not unpaid),
            merged_amounts=frozenset(self._merged),
            sections=self._sections,
            beside=column_warnings.columns_beside(header),
            competence=self._competence,
            months=text_months(header, self._competence, of_goods=goods),
            **rules_beside(
                header, self._layout, self._statuses, amount=amount, competence=self._competence, of_goods=goods
            ),
            judged=self._judged,
            amount=header.columns.get(self._plan.control),
            naming=tuple(self._columns[name] for name in ("name", "description") if name in self._columns),
            colours=self._colours,
            billing=billing_columns(header),
            document=header.columns.get("document"),
            linked=self._linked(),
            reads_comments=not OUR_OWN & set(map(normalised, header.texts.values())),
        )

    def _linked(self) -> dict[int, Problem]:
        """Return why rows are held because of other rows, by row number."""
        aside = {*self.ignored_rows, *(number for number, _, _ in self._total_cells)}
        found = linked_rows.footnoted_rows(self._header, self._texts_aside, aside)
        found |= linked_rows.named_rows(self._header, self._texts_aside, aside) | linked_rows.listed_rows(
            self._header, self._sheets, aside
        )
        found |= self._among.problems(self._cents, self._control, self._labels.keys() | self._headers_again)
        if self._plan.is_of_goods:
            return found | linked_rows.parts_of_sets(self._header, aside)
        return found | (
            linked_rows.credited_rows(self._header, self._control, self._credits, aside) if self._credits else {}
        )

    def warnings(self, layout: Layout) -> list[Problem]:
        """Return the warnings that matter for approval but do not refuse the file; the gravest first."""
        control = self._plan.control if self._plan.control in self._columns else None
        differing = [each for each in self.totals if not each.agrees]
        found = [each.problem(self._plan.control, self._at(each.row, control)) for each in differing]
        if self.hidden_rows:
            place = self._at(self.hidden_rows[0])
            code = "sheet.hidden_rows_taken" if self._takes_hidden_rows else "sheet.hidden_rows"
            found.append(Problem(code, None, place, {"count": len(self.hidden_rows)}))
        for name, locale in self.locales.items():
            if locale == number_parser.MIXED:
                found.append(Problem("column.mixed", name, self._at(self._header.row, name)))
        found += [
            *self._either.remarks(self.locales),
            *column_warnings.joined_columns(self._header),
            *column_warnings.hidden_columns(self._header),
        ]
        found += self._colours.remarks(self._header.sheet.name)
        if self.titles:
            found.append(self._remark_aside("sheet.titles", self.titles))
        for index, text in self._header.passed_over.items():
            place = Where(sheet=self._header.sheet.name, row=self._header.row, column=column_letter(index))
            found.append(Problem("column.passed_over", None, place, {"header": text}))
        noted = [self._remark_aside("sheet.notes_below", self.notes)] if self.notes else []
        judged = {index for _, index in self._judged} | self.holding.compared
        unused = column_warnings.unused_columns(self._header, layout, apart=judged)
        return [*found, *unused, *column_warnings.ignored_columns(self._header, layout), *noted]

    def _look(self) -> None:
        bare: list[int] = []
        self._sections.read_titles_above(self._header)
        indexes = self._columns
        identifying = [indexes[name] for name in self._plan.identifying if name in indexes]
        essential = [indexes[name] for name in self._plan.essential if name in indexes]
        sign = self._sign_of_a_line(identifying, essential)
        for row in rows_below(self._header):
            label = self._among.label_of(row.cells)
            is_customer = sign is not None and is_whole_document(row.cells[sign] if sign < len(row.cells) else None)
            if is_customer and label is None:
                # Skip the check digits here: the parser checks them.
                self._take(row)
                self._is_below_total = False
            elif self._is_below_total and titles.is_summary_row(row.cells):
                self.notes.append(row.number)
                self._tell_aside(row)
            elif label is not None or self._is_total(row, identifying):
                self._is_below_total = True
                self._labels[row.number] = label or titles.text_of(row.cells)
                self._total_cells.append((row.number, self._cell(row, self._plan.control), len(self._cents)))
            elif titles.is_header_again(row.cells, self._header.own_texts):
                self.ignored_rows.append(row.number)
                self._headers_again.add(row.number)
            elif self._is_title(row):
                self.titles.append(row.number)
                self._tell_aside(row)
            else:
                if is_sparse(row) or not (has_any(row, essential) or has_any(row, identifying)):
                    bare.append(row.number)
                    self._texts_aside[row.number] = titles.text_of(row.cells)
                self._take(row)
                self._is_below_total = False
        self._look_for_tags()
        # A row without key values is a note or a signature below the last total, but an incomplete line above it.
        last = self._total_cells[-1][0] if self._total_cells else None
        below = {number for number in bare if last is not None and number > last}
        opening = titles.opened_by({number: self._texts_aside[number] for number in bare}, self._labels) - below
        self.row_count -= len(below | opening)
        below_titles = {number for number in self.titles if last is not None and number > last}
        self.notes = sorted(below | below_titles | set(self.notes))
        self.titles = sorted({*self.titles, *opening} - set(self.notes))
        self.ignored_rows += [*self.notes, *self.titles]
        self.hidden_rows = [number for number in self.hidden_rows if number not in set(self.notes)]

    def _tell_aside(self, row: Row) -> None:
        self._headers_again.add(row.number)
        self._texts_aside[row.number] = titles.text_of(row.cells)

    def _sign_of_a_line(self, identifying: list[int], essential: list[int]) -> int | None:
        """Return the column in which a whole document proves that a row is a line, or None."""
        index = self._columns.get("document", -1)
        is_numbered = self._header.own_texts.get(index, "")[-2:].isdecimal()
        return index if index in identifying and index in essential and not is_numbered else None

    def _take(self, row: Row) -> None:
        self.row_count += 1
        if row.is_hidden:
            self.hidden_rows.append(row.number)
        found, width = row.cells, len(row.cells)
        for index, proved in self._unproved:
            if index < width and type(cell := found[index]) is str:
                readings = number_parser.readings(cell.strip().removesuffix("%").strip())
                if len(readings) == 1:
                    self._prove(proved, readings)
                    self._either.see(index, readings)
                elif readings and len(set(readings.values())) > 1:
                    self._either.take(index, row.number, cell)
        amount = found[self._control] if self._control < width else None
        if amount.__class__ is Covered:
            # one amount for several rows: the sheet does not say which row owns it
            self._merged.update((self._last_line, row.number))
        self._last_line = row.number
        self._among.take(found, row.number)
        self._take_amount(amount, row.number)
        if self._seen or self._paid:
            self._take_beside(found, width)
        if "own_key" in self._columns:
            self._take_key(row)
        self._untold.append(found)
        if len(self._untold) == ROWS_A_BLOCK:
            self._look_for_tags()

    def _take_beside(self, found: tuple[Cell, ...], width: int) -> None:
        """Collect the texts of dates and statuses, and count paid cells: they show what the columns mean."""
        for index, texts in self._seen:
            if index < width and type(cell := found[index]) is str:
                texts.add(cell)
        for index, counts in self._paid.items():
            counts[0 if index < width and billing_markers.is_paid(found[index]) else 1] += 1

    def _look_for_tags(self) -> None:
        self.has_tags = self.has_tags or has_tag(self._untold)
        self._untold.clear()

    def _prove(self, proved: set[str], readings: Iterable[str]) -> None:
        proved.update(readings)
        if len(proved) == len(number_parser.LOCALES):
            self._unproved = [each for each in self._unproved if each[1] is not proved]

    def _take_amount(self, cell: Cell, number: int) -> None:
        if type(cell) is float and -number_parser.LARGEST_CENTS <= (exact := cell * 100) <= number_parser.LARGEST_CENTS:
            whole = round(exact)
            cents = whole if abs(exact - whole) <= number_parser.NOISE else self._cents_of(cell)
        else:
            self._has_texts = self._has_texts or isinstance(cell, str)
            cents = None if cell is None or isinstance(cell, str) else self._cents_of(cell)
        self._cents.append(cents or 0)
        if cents and cents < 0:
            self._credits.append(number)

    def _read_texts(self) -> None:
        """Parse the amounts that are texts, now that the whole column has shown its notation."""
        if not self._has_texts:
            return
        aside = self._labels.keys() | self._headers_again
        lines = (row for row in rows_below(self._header) if row.number not in aside)
        for place, row in enumerate(lines):
            cell = self._cell(row, self._plan.control)
            if isinstance(cell, str):
                self._cents[place] = self._cents_of(cell) or 0
                if self._cents[place] < 0:
                    self._credits.append(row.number)

    def _take_key(self, row: Row) -> None:
        key = cells.as_text(self._cell(row, "own_key"))
        if key:
            first = self._keys.setdefault(key, row.number)
            if first != row.number:
                self.repeated_keys[key] = first

    def _is_total(self, row: Row, identifying: list[int]) -> bool:
        """Return whether the row's texts label a total. Note a row of numbers alone, which may be a total."""
        texts = [(index, cells.as_text(cell)) for index, cell in enumerate(row.cells) if isinstance(cell, str)]
        texts = [each for each in texts if each[1] and each[0] != self._control and not number_parser.readings(each[1])]
        if titles.is_total_label(cells.as_text(self._cell(row, self._plan.control))):
            return not texts
        if not texts:
            if not has_any(row, identifying) and not cells.is_blank(self._cell(row, self._plan.control)):
                # `_take_bare_sums` compares it with the sum of the rows above
                self._sums.append((row.number, len(self._cents)))
            return False
        labels = [index for index, text in texts if titles.is_total_label(text)]
        # "Total Energia Ltda" is a customer, with a template or a text beside the name
        return bool(labels) and all(index in labels or titles.is_count(text) for index, text in texts)

    def _take_bare_sums(self) -> None:
        """Treat rows of numbers alone as totals, if they equal the sum of the rows above."""
        for row, place in self._sums:
            if place and self._cents[place] and self._cents[place] == sum(self._cents[:place]):
                self._total_cells.append((row, self._cents[place] / 100, place))
                self._cents[place] = 0
                self.row_count -= 1
        self._total_cells.sort(key=lambda total: total[0])

    def _is_title(self, row: Row) -> bool:
        """Return whether the row is a title or another header between lines; begin the section that it opens."""
        texts = [(index, cells.as_text(cell)) for index, cell in enumerate(row.cells) if not cells.is_blank(cell)]
        if len(texts) == 1 and isinstance(row.cells[index := texts[0][0]], str):
            return self._is_section(row, index, texts[0][1])
        named = fields_named(row.cells, self._layout)
        known = {field: index for index, field in enumerate(named) if field and field not in self._layout.signs}
        if len(known) <= FEWEST_FIELDS or len(known) < len(texts) / 2:
            return False
        if any(self._columns.get(field, index) != index for field, index in known.items()):
            self._sections.begin(row.number, Problem("row.other_table", params={"header": row.number}))
        return True

    def _is_section(self, row: Row, index: int, text: str) -> bool:
        if len(text) > titles.LONGEST or number_parser.readings(text):
            return False
        reason = self._sections.held_below(text, row.number)
        field = next((name for name, place in self._columns.items() if place == index), None)
        # "CC 100 - Vendas" is a title, a document with too few digits is not
        has_digits = sum(map(str.isdigit, text)) > (titles.DIGITS_AT_MOST if text[0].isalpha() else 0)
        is_alone = field is None or (field in ("document", self._plan.control) and not has_digits)
        is_alone = is_alone or (field == "order_key" and titles.is_of_order(self._header.texts[index], text))
        if reason is None and not is_alone and not titles.is_heading(text):
            return titles.is_footer(text)
        self._sections.take_title(row.number, reason)
        return True

    def _cents_of(self, cell: Cell) -> int | None:
        if cells.is_blank(cell) or cells.unusable(cell):
            return None
        # a numeric cell has no notation, and the column's notation is known only after the last row
        locale = self.locales.get(self._plan.control) if isinstance(cell, str) else None
        found = number_parser.parse_amount(cell, locale)
        return None if isinstance(found, Problem) else found

    def _remark_aside(self, code: str, rows: list[int]) -> Problem:
        """Return a remark that quotes rows which are not billable lines; texts that forbid billing come first."""
        texts = {number: text for number in rows if (text := self._texts_aside.get(number))}
        obeyed = {number for number in rows if self._sections.holds_below(number, self._headers_again, self._last_line)}
        stops = [text for number, text in texts.items() if number not in obeyed and billing_markers.text_stop(text)]
        params = {"rows": shown_rows(rows), "texts": titles.shown_texts([*stops, *texts.values()])}
        return Problem(f"{code}_say_no" if stops else code, None, self._at(rows[0]), params)

    def _at(self, row: int, name: str | None = None) -> Where:
        letter = None if name is None else column_letter(self._header.columns[name])
        return Where(sheet=self._header.sheet.name, row=row, column=letter)

    def _cell(self, row: Row, name: str) -> Cell:
        index = self._header.columns.get(name)
        return None if index is None or index >= len(row.cells) else row.cells[index]
