"""Give rows the options that their request lacks: those of their first reading, or the month of a title.

A correction workbook has the columns of the file that it corrects. Where columns were missing, options or folders of
the first request gave the values; the sender of a correction need not repeat them. A row that corrects no other row
inherits nothing. A sheet that corrects nothing may say its month in a title.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Final

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import NewRow, RowRecord
from connectors.ledger.sheets.tag_secrets import TAGS, secret_of
from connectors.spreadsheets.corrections.columns import TAGS_HEADER
from connectors.spreadsheets.corrections.hidden_data import HiddenData
from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.headers.layouts import Header
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows.row_facts import rows_below
from connectors.spreadsheets.rows.title_months import TitledMonth, titled_month
from domain.competence import format_competence, parse_competence
from domain.corrections.row_tags import is_tag, tagged_row
from domain.problems import Problem
from tasks.runtime import Context
from tasks.sheets.mapping_choice import sender_of, template_of_sender

_MISSING: Final = {
    "emitter_cnpj": "emitter.missing",
    "competence": "competence.missing",
    "template": "template.missing",
}
_COLUMNS: Final = {"emitter_cnpj": "emitter_cnpj", "competence": "competence", "template": "template_name"}
"""The column whose value precedes an option, by option."""


@dataclass(frozen=True, slots=True)
class Given:
    """Options of a request, for rows without a value of their own. None: the request lacks the option."""

    emitter_cnpj: str | None = None
    competence: date | None = None
    template: str | None = None

    def texts(self) -> dict[str, str]:
        """Return the text of each option that has a value."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        shown = {name: format_competence(value) if isinstance(value, date) else value for name, value in found.items()}
        return {name: str(value) for name, value in shown.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Inheritance:
    """Options of a request (`asked`), and what the file gives beside them.

    Rows inherit options from their first reading (`inherited`). `titled` is the month of a title above the header.
    """

    asked: Given
    inherited: Given = Given()
    titled: TitledMonth | None = None

    @property
    def filled(self) -> Given:
        """Return every option that the file gives."""
        return self.inherited if self.titled is None else replace(self.inherited, competence=self.titled.month)

    @property
    def remarks(self) -> list[Problem]:
        """Return the remarks that rows inherit options, and that a title gives the month."""
        found = [] if self.titled is None else [self.titled.remark]
        if texts := self.inherited.texts():
            params = {"fields": ", ".join(_COLUMNS[name] for name in texts), "values": ", ".join(texts.values())}
            found.append(Problem("row.inherited", params=params))
        return found

    def problems(
        self,
        context: Context,
        understood: Mapping[str, Any],
        news: Sequence[NewRow],
        followed: Mapping[int, RowRecord],
        orders: Sequence[str | None],
    ) -> Iterator[tuple[int, Problem]]:
        """Yield the index and the problem of each row that must not use the options of this reading.

        Either the row's first reading had another value, or the row corrects no row that had the inherited value.
        Skip an option if the row, or a row of the same order, has its own value in the column.

        Args:
            context: The open profile.
            understood: The reading's column mapping.
            news: The rows of the reading.
            followed: The corrected rows, by index in `news`.
            orders: The order of each row of `news`; None for a row without an order.
        """
        letters = {
            option: [each["letter"] for each in understood["columns"] if each["field"] == field]
            for option, field in _COLUMNS.items()
        }
        groups = [order or place for place, order in enumerate(orders)]
        own = {
            (group, option)
            for group, new in zip(groups, news, strict=True)
            for option, places in letters.items()
            if not all(cells.is_blank(new.cells.get(letter)) for letter in places)
        }
        readings = {row.reading_id for row in followed.values()}
        known = {each: given_by(context, each) for each in sorted(readings)}
        for place, group in enumerate(groups):
            first = known[followed[place].reading_id] if place in followed else Given()
            found = (self._problem(option, first) for option in letters if (group, option) not in own)
            problem = next(filter(None, found), None)
            if problem is not None:
                yield place, problem

    def _problem(self, option: str, first: Given) -> Problem | None:
        asked, before = getattr(self.asked, option), getattr(first, option)
        if asked is not None:
            params = {"before": first.texts().get(option, ""), "now": self.asked.texts()[option]}
            return None if before in (None, asked) else Problem("row.other_option", _COLUMNS[option], params=params)
        inherited = getattr(self.inherited, option)
        return None if inherited in (None, before) else Problem(_MISSING[option], _COLUMNS[option])


def is_correction(found: HiddenData, *, has_tags: bool) -> bool:
    """Return whether a file carries our tags, in its cells (`has_tags`) or in its hidden data (`found`)."""
    return has_tags or bool(found.tags) or found.file_sha256 is not None


def inherit(context: Context, beside: HiddenData, header: Header, asked: Given) -> Inheritance:
    """Return the options that the rows of a file inherit, or the month of its titles. `beside` is its hidden data.

    If the corrected rows came by several requests, inherit only values that do not differ. The titles of a correction
    give no month: its rows had one already.
    """
    first = [given_by(context, each) for each in _first_readings(context, beside, header)]
    found: dict[str, Any] = {}
    for option in _COLUMNS:
        values = {getattr(each, option) for each in first} - {None}
        if getattr(asked, option) is None and len(values) == 1:
            found[option] = values.pop()
    has_month = bool(first) or asked.competence is not None or "competence" in header.columns
    return Inheritance(asked, Given(**found), None if has_month else titled_month(header))


def sender_of_source(context: Context, beside: HiddenData) -> str | None:
    """Return the sender of the file that a workbook corrects, or None: the workbook has that sender's headers."""
    last = _last_of_source(context, beside)
    return None if last is None else sender_of(last.understood or {}, last.options.get("sender"))


def given_by(context: Context, reading_id: int) -> Given:
    """Return the options that the request of a reading had for its rows."""
    options = context.ledger.read(ledger_files.reading_of, reading_id).options
    return Given(
        emitter_cnpj=options.get("emitter_cnpj"),
        competence=parse_competence(str(options.get("competence") or "")),
        template=options.get("template") or template_of_sender(context, options.get("sender")),
    )


def _first_readings(context: Context, beside: HiddenData, header: Header) -> list[int]:
    """Return the ids of the readings whose rows the tags name; without tags, of the source file's newest reading."""
    tags = {*beside.tags.values(), *_tags_below(header)}
    if tags:
        secret = context.ledger.write(secret_of, TAGS)
        ids = {row for tag in tags if (row := tagged_row(tag, secret=secret)) is not None}
        return sorted({row.reading_id for row in context.ledger.read(ledger_rows.rows_by_ids, sorted(ids))})
    last = _last_of_source(context, beside)
    return [] if last is None else [last.id]


def _last_of_source(context: Context, beside: HiddenData) -> ReadingRecord | None:
    source = beside.file_sha256 and context.ledger.read(ledger_files.find_file, sha256=beside.file_sha256)
    return context.ledger.read(ledger_files.last_reading, source.id) if source else None


def _tags_below(header: Header) -> Iterator[str]:
    index = next((index for index, text in header.texts.items() if normalised(text) == normalised(TAGS_HEADER)), None)
    for row in rows_below(header) if index is not None else ():
        cell = row.cells[index] if index is not None and index < len(row.cells) else None
        if isinstance(cell, str) and is_tag(cell):
            yield cell.strip()
