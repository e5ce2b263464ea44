"""Decide why a row is held until a person releases it: by its cells, its marks and the titles above it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, TypeAlias

from connectors.spreadsheets.formats.sheets import Cell, Covered, Row
from connectors.spreadsheets.headers.billing_headers import judged_as
from connectors.spreadsheets.headers.final_amounts import AmountParts, is_addition, numbers_in_cell
from connectors.spreadsheets.holds import billing_markers, side_amounts, validity, worded_amounts
from connectors.spreadsheets.holds.amount_relations import Relation
from connectors.spreadsheets.holds.billing_documents import is_other_name, names_documents, other_documents
from connectors.spreadsheets.holds.goods_columns import GoodsColumns, rounded_numbers
from connectors.spreadsheets.holds.non_charge_texts import no_services
from connectors.spreadsheets.holds.pauses import Pause
from connectors.spreadsheets.holds.row_colours import RowColours
from connectors.spreadsheets.holds.sections import Sections
from connectors.spreadsheets.holds.text_months import TextMonths
from connectors.spreadsheets.holds.unusual_cells import fewer_days
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows import titles
from domain.competence import format_competence
from domain.problems import Problem

Reason: TypeAlias = tuple[Problem, int | None]
"""Why a row is held, and the index of the column that says so."""
_NOTHING: Final = "–"
_FEWEST_STRUCK: Final = 0.5


@dataclass(frozen=True, slots=True)
class HoldRules:
    """The facts of a whole sheet that decide which rows a person must release before they are billed.

    Args:
        signs: The columns about billing, with their fields.
        judged: Other columns, with the billing field like whose cells theirs are read.
        headers: The header of each column, by index.
        all_paid: Columns in which every row is marked as paid, so that the mark decides nothing.
        merged_amounts: Rows whose amount is in a cell that is merged over several rows.
        sections: The titles that hold all rows below them.
        reads_comments: False in a corrections workbook that comes back, where the comments are our own.
        beside: Unused columns in which a person may write a reason not to bill the row.
        naming: Columns of names and descriptions in which a person may do so, too.
        described: The column of descriptions of services, whose first words tell what is charged.
        side: Unused columns whose figures may contradict the amount in column `amount`.
        days: Unused columns of charged days, each with the number that most rows have.
        units: Columns of delivered units, each with the least number that an amount is for.
        parts: Unused columns from which that amount was computed.
        relations: Rules by which most rows compute that amount from other columns.
        roles: Unused columns of customers, with the texts that name another party of the row.
        payers: Those of them whose customer is the one on the invoice.
        instalments: Columns that may name the month of an instalment, compared with `competence`.
        pauses: The columns with the start and the end of a customer's pause.
        months: The columns whose texts name the month of their row.
        required: Columns of approvals in which other rows have a yes, so that a blank cell means no.
        colours: The rows that a legend holds by their colour.
        billing: Unused columns with the document to bill, compared with that of column `document`. Documents in the
            column `name` are compared, too.
        linked: Why other rows, such as a credit or a footnote, hold a row; by row number.
        of_goods: Whether the rows are of goods. A comment on goods may report a return.
        goods: Unread columns of a list of goods that may contradict its lines.
        worded_goods: Columns whose words may mean that nothing was sold, with the kind of column
            (`billing_markers.goods_stops`).
        coded: Columns of identifying numbers, which may have lost digits.
        judges: Rules for `billing_markers.stops_of` in place of the usual one, by sign and column.
        unknown: Unknown statuses, by column, where other statuses of the column hold rows.
        spelled: Unused columns with an amount in words, each with the column of the same amount in figures.
    """

    signs: tuple[tuple[str, int], ...] = ()
    judged: tuple[tuple[str, int], ...] = ()
    headers: Mapping[int, str] = field(default_factory=dict)
    all_paid: frozenset[int] = frozenset()
    merged_amounts: frozenset[int] = frozenset()
    sections: Sections = field(default_factory=Sections)
    reads_comments: bool = True
    beside: tuple[int, ...] = ()
    naming: tuple[int, ...] = ()
    described: int | None = None
    side: tuple[tuple[int, side_amounts.Effect], ...] = ()
    days: tuple[tuple[int, float], ...] = ()
    units: tuple[tuple[int, float], ...] = ()
    parts: AmountParts = field(default_factory=AmountParts)
    relations: tuple[Relation, ...] = ()
    roles: Mapping[int, frozenset[str]] = field(default_factory=dict)
    payers: tuple[int, ...] = ()
    instalments: tuple[int, ...] = ()
    pauses: tuple[Pause, ...] = ()
    months: TextMonths = field(default_factory=TextMonths)
    required: tuple[int, ...] = ()
    competence: date | None = None
    amount: int | None = None
    colours: RowColours = field(default_factory=RowColours)
    billing: tuple[int, ...] = ()
    document: int | None = None
    name: int | None = None
    linked: Mapping[int, Problem] = field(default_factory=dict)
    of_goods: bool = False
    goods: GoodsColumns = field(default_factory=GoodsColumns)
    worded_goods: tuple[tuple[str, int], ...] = ()
    coded: tuple[int, ...] = ()
    judges: Mapping[tuple[str, int], str] = field(default_factory=dict)
    unknown: Mapping[int, frozenset[str]] = field(default_factory=dict)
    spelled: tuple[tuple[int, int], ...] = ()

    @property
    def is_of_rows(self) -> bool:
        """Return whether titles, colours, merges or other rows can hold a row without a word in its own cells."""
        return bool(self.merged_amounts or self.sections or self.colours.held or self.linked)

    @property
    def worded(self) -> tuple[tuple[str, int], ...]:
        """Return the columns whose words are reported for a billed row: statuses and kinds, then notes."""
        return tuple(each for name in ("status", "charge_kind", "notes") for each in self.signs if each[0] == name)

    @property
    def dated(self) -> tuple[tuple[str, int], ...]:
        """Return the columns with the first or the last month in which a row is billed."""
        return tuple(each for each in self.signs if each[0] in validity.DATED and each[1] not in self.paused)

    @property
    def paused(self) -> frozenset[int]:
        """Return the columns with the days of a pause."""
        found = (index for each in self.pauses if not each.is_range for index in (each.first, each.last))
        return frozenset(index for index in found if index is not None)

    @property
    def compared(self) -> frozenset[int]:
        """Return the columns without a field whose cells are compared with the row's month or amount."""
        return self.paused.union(index for index, _ in self.spelled)

    def explains(self, row: Sequence[Cell]) -> bool:
        """Return whether the row's amount follows a rule of the other rows, even if one column contradicts it."""
        return any(each.explains and each.of_row(row) for each in self.relations)

    def reasons_in_cells(self, columns: Sequence[Sequence[Cell]]) -> dict[int, list[Reason]]:
        """Return the reasons in cells to hold rows of a block, by the row's index in the block.

        `columns` are the cells of the block.
        """
        found: defaultdict[int, list[Reason]] = defaultdict(list)
        judges = [self._of_signs, self._of_approvals, self._of_words, self._of_charges, self._of_figures]
        judges += (self._of_relations, self._of_amounts_in_words, self._of_parties, self._of_goods, self._of_codes)
        for judge in judges:
            for place, problem, index in judge(columns):
                if (problem, index) not in found[place]:
                    found[place].append((problem, index))
        return found

    def _of_signs(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        months = self.months.of_rows(columns) if self.pauses else ()
        for name, index in (*self.signs, *self.judged):
            is_silent = name in validity.SILENT or (name == "paid" and index in self.all_paid)
            if index < len(columns) and not is_silent:
                header = self.headers.get(index, "")
                judge = self.judges.get((name, index)) or judged_as(name, header)
                column = columns[index]
                for pause in self.pauses:
                    column = pause.without_days(index, column, months)
                for place, stop in billing_markers.stops_of(judge, column):
                    params = {**stop.params, "header": header}
                    yield place, Problem(stop.code, name, params=params), index
        for index, unknown in self.unknown.items():
            for place, cell in enumerate(_at(columns, index)):
                if type(cell) is str and cell in unknown:
                    params = {"text": cell[:60], "header": self.headers.get(index, "")}
                    yield place, Problem("held.status_unknown", "status", params=params), index

    def _of_words(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        for indexes, stops in ((self.beside, billing_markers.text_stops), (self.naming, billing_markers.named_stops)):
            for index in indexes:
                for place, text in stops(_at(columns, index)):
                    if text not in self.colours.legends:
                        params = {"text": text, "header": self.headers.get(index, "")}
                        yield place, Problem("held.notes", params=params), index

    def _of_charges(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        """Yield the rows whose description says that they charge no new service."""
        if self.described is not None:
            for place, problem in no_services(_at(columns, self.described)):
                params = {**problem.params, "header": self.headers.get(self.described, "")}
                yield place, replace(problem, params=params), self.described

    def _of_goods(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        """Yield the lines of goods that other columns contradict, and those whose words deny a sale."""
        for place, text, index in self.goods.contradictions(columns):
            params = {"text": text, "header": self.headers.get(index, "")}
            yield place, Problem("held.goods_column", params=params), index
        for kind, index in self.worded_goods:
            for place, text in billing_markers.goods_stops(_at(columns, index), of=kind):
                params = {"text": text, "header": self.headers.get(index, "")}
                yield place, Problem("held.entry", params=params), index

    def _of_codes(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        for index in self.coded:
            for place, text in rounded_numbers(_at(columns, index)):
                params = {"text": text, "header": self.headers.get(index, "")}
                yield place, Problem("held.rounded", params=params), index

    def _of_figures(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        amounts = _at(columns, self.amount)
        for index, effect in self.side:
            for place, text in side_amounts.side_amounts(_at(columns, index), effect, amounts):
                if not self._is_explained(columns, place, index, effect):
                    params = {"text": text, "header": self.headers.get(index, "")}
                    yield place, Problem("held.side_amount", params=params), index
        without_units = fewer_days(columns, self.units)
        unexplained = (each for each in without_units if not self.explains(_row_of(columns, each[0])))
        # a rule about extras does not say that part of the days is charged in part
        for place, text, index in (*fewer_days(columns, self.days), *unexplained):
            params = {"text": text, "header": self.headers.get(index, "")}
            yield place, Problem("held.side_amount", params=params), index
        if self.parts.is_needed and self.amount is not None:
            yield from self._of_parts(columns, self.amount)

    def _of_relations(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        """Yield the rows that break a rule that most rows follow."""
        for relation in self.relations:
            index = relation.reported
            for place, follows in enumerate(relation.verdicts(columns)):
                if follows is False:
                    text = cells.as_text(_at(columns, index)[place])[:30]
                    params = {"text": text, "header": self.headers.get(index, "")}
                    yield place, Problem("held.side_amount", params=params), index

    def _of_amounts_in_words(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        """Yield the rows whose amount in words differs from that in figures."""
        for index, of in self.spelled:
            for place, text, amount in worded_amounts.contradictions(_at(columns, index), _at(columns, of)):
                params = {"text": text, "header": self.headers.get(index, ""), "amount": amount}
                yield place, Problem("held.in_words", params=params), index
        for index in self.headers.keys() - {self.amount}:
            for place, text in worded_amounts.other_amounts(_at(columns, index), _at(columns, self.amount)):
                params = {"text": text, "header": self.headers.get(index, "")}
                yield place, Problem("held.side_amount", params=params), index

    def unread_words(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, str, int]]:
        """Yield (row in the block, text, column) for each amount in words that nobody could read."""
        for index, of in self.spelled:
            for place, text in worded_amounts.unread(_at(columns, index), _at(columns, of)):
                yield place, text, index

    def _is_explained(
        self, columns: Sequence[Sequence[Cell]], place: int, index: int, effect: side_amounts.Effect
    ) -> bool:
        """Return whether the row's amount includes the change in this column, or is the share that it states."""
        found = _row_of(columns, place)
        if effect in side_amounts.COMPARED:
            return any(each.explains and self._is_base(each, index) and each.of_row(found) for each in self.relations)
        if effect == "shares":
            of_amount = (each for each in self.relations if each.columns[0] == self.amount and each.reported == index)
            return any(each.of_row(found) for each in of_amount)
        if any(self.parts.explains(found, index, amount) for amount in numbers_in_cell(found, self.amount)):
            return True
        return any(index in each.columns and each.explains and each.of_row(found) for each in self.relations)

    def _is_base(self, relation: Relation, index: int) -> bool:
        """Return whether a rule adds only additions to this column, such as extra hours, to give the amount."""
        amount, *terms = relation.columns
        others = [each for each in terms if each != index]
        header, asked = self.headers.get(index, ""), self.competence
        if titles.months_of(header) and (asked is None or titles.names_other_month(header, asked)):
            return False
        is_of_amount = amount == self.amount and index in terms
        return is_of_amount and bool(others) and all(is_addition(self.headers.get(each, "")) for each in others)

    def _of_parts(self, columns: Sequence[Sequence[Cell]], amount: int) -> Iterator[tuple[int, Problem, int]]:
        """Yield the rows whose amount differs from the result of its part columns."""
        base = self.parts.bases[0]
        explained = {
            place
            for relation in self.relations
            if relation.explains
            for place, follows in enumerate(relation.verdicts(columns))
            if follows
        }
        for place in range(len(_at(columns, amount))):
            if place in explained:
                continue
            found = _row_of(columns, place)
            for figure in numbers_in_cell(found, amount):
                if self.parts.agrees(found, figure) is False:
                    text = cells.as_text(_at(columns, base)[place])[:30]
                    params = {"text": text, "header": self.headers.get(base, "")}
                    yield place, Problem("held.side_amount", params=params), base

    def _of_parties(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        """Yield the rows that name another customer, or the instalment of another month."""
        yield from self._of_documents(columns)
        for index, others in self.roles.items():
            names = _at(columns, self.name) if index in self.payers else ()
            for place, text in enumerate(_at(columns, index)):
                is_other = place < len(names) and is_other_name(text, names[place])
                if isinstance(text, str) and (is_other or cells.plain(text) in others):
                    params: dict[str, str | int] = {"text": text[:30], "header": self.headers.get(index, "")}
                    yield place, Problem("held.notes", params=params), index
        for index in self.instalments:
            for place, text in validity.instalments_beyond(_at(columns, index)):
                yield place, Problem("held.notes", params={"text": text, "header": self.headers.get(index, "")}), index
        for place, text, month, index in self.months.others(columns):
            params = {"text": text, "header": self.headers.get(index, ""), "competence": format_competence(month)}
            yield place, Problem("held.validity", params=params), index
        for place, text, month, index in self.months.far(columns):
            params = {"text": text, "header": self.headers.get(index, ""), "competence": format_competence(month)}
            yield place, Problem("held.far_date", "competence", params=params), index
        for place, text, month, index in self._of_months(columns):
            params = {"text": text, "header": self.headers.get(index, ""), "competence": format_competence(month)}
            yield place, Problem("held.validity", params=params), index

    def _of_months(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, str, date, int]]:
        """Yield the rows whose instalment is that of another month, and those whose customer pauses in theirs."""
        if (asked := self.competence) is not None:
            for index in self.instalments:
                for place, text in validity.other_months(_at(columns, index), asked):
                    yield place, text, asked, index
        months = self.months.of_rows(columns) if self.pauses else ()
        for pause in self.pauses:
            for place, index in pause.stops(columns, months):
                if (month := months[place]) is not None:
                    yield place, cells.as_text(_at(columns, index)[place])[:30], month, index

    def _of_approvals(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        """Yield the rows with a blank cell in a column of approvals in which other rows have a yes."""
        for index in self.required:
            for place, cell in enumerate(_at(columns, index)):
                if cells.is_blank(cell) and not isinstance(cell, Covered):
                    params = {"text": _NOTHING, "header": self.headers.get(index, "")}
                    yield place, Problem("held.status", "active", params=params), index

    def _of_documents(self, columns: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Problem, int]]:
        documents = _at(columns, self.document)
        has_more = self.name != self.document and names_documents(_at(columns, self.name))
        for index in (*self.billing, *([self.name] if has_more and self.name is not None else [])):
            for place, document in other_documents(_at(columns, index), documents):
                params = {"document": document.masked, "header": self.headers.get(index, "")}
                field_name = "name" if index == self.name else "document"
                yield place, Problem("held.other_document", field_name, params=params), index

    def reasons_of_row(self, row: Row, key_columns: frozenset[int], *, has_month: bool) -> Iterator[Reason]:
        """Yield why this row is held: by a title above it, a merged amount, a comment or a strike-through.

        `key_columns` name customer and amount. `has_month`: the row has its own month.
        """
        section = self.sections.reason(row.number)
        if section is not None and not (has_month and section.code == "held.month"):
            yield section, None
        if (coloured := self.colours.held.get(row.number)) is not None:
            yield coloured, None
        if (linked := self.linked.get(row.number)) is not None:
            yield linked, self.amount if linked.field else None
        if row.number in self.merged_amounts:
            yield Problem("held.merged_amount", "service_cents"), None
        for index, text in row.comments if self.reads_comments else ():
            if (
                stop := billing_markers.order_stop(text) if self.of_goods else billing_markers.text_stop(text)
            ) is not None:
                yield Problem("held.comment", params={"text": stop}), index
        if row.struck and _is_struck(row):
            yield Problem("held.struck", params={"origin": "row"}), min(row.struck)
        elif row.struck & key_columns:
            index = min(row.struck & key_columns)
            yield Problem("held.struck", params={"origin": "cell", "header": self.headers.get(index, "")}), index
        elif row.part_struck & key_columns:
            index = min(row.part_struck & key_columns)
            yield Problem("held.part_struck", params={"header": self.headers.get(index, "")}), index


def _at(columns: Sequence[Sequence[Cell]], index: int | None) -> Sequence[Cell]:
    """Return a column of a block; empty if no row of the block reaches it."""
    return columns[index] if index is not None and index < len(columns) else ()


def _row_of(columns: Sequence[Sequence[Cell]], place: int) -> Sequence[Cell]:
    """Return the cells of one row of a block."""
    return [column[place] if place < len(column) else None for column in columns]


def _is_struck(row: Row) -> bool:
    """Return whether at least half of the filled cells are struck through."""
    filled = sum(not cells.is_blank(cell) for cell in row.cells)
    return len(row.struck) >= _FEWEST_STRUCK * max(filled, 1)
