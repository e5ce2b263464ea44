"""Find the header row of a sheet below any titles, and map its columns to fields by a layout."""

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Self

from connectors.spreadsheets.formats.header_texts import normalised, stem_of
from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.formats.sheets import Cell, Row, Sheet, Workbook
from connectors.spreadsheets.headers.billing_headers import asked_sign, sign_of
from connectors.spreadsheets.headers.double_headers import has_groups, is_figure, names_as_many, with_groups
from connectors.spreadsheets.headers.final_amounts import AMOUNT, is_final, is_sum, with_one_amount
from connectors.spreadsheets.headers.header_claims import claimed_twice, is_only_document, with_the_first
from connectors.spreadsheets.headers.header_pairs import counted, paired
from connectors.spreadsheets.headers.header_spellings import known_as
from connectors.spreadsheets.headers.stated_taxes import WITH_A_RATE, without_rate
from connectors.spreadsheets.headers.two_documents import OneDocumentSheet, columns_of_both
from connectors.spreadsheets.parsers.named_documents import place_of_both
from domain.problems import InputError, Problem, Where

HEADER_WITHIN_ROWS: Final = 60
HEADER_LENGTH_AT_MOST: Final = 80
FEWEST_FIELDS: Final = 2
SUGGEST_FROM: Final = 75
SURE_FROM: Final = 80
"""Likeness in percent for a suggestion. Below it, down to `SUGGEST_FROM`, the first letter must be equal, too."""
NAMED_HEADERS: Final = 4
NEAREST: Final = 3
_NAMED_WEIGHT: Final = 3
_KEYS: Final = frozenset({"name", "required", "instead", "aside", "ignored", "fields", "signs", "weaker", "beside"})
_TAGS: Final = "ref linha"
OUR_OWN: Final = frozenset({"linha devolvida", "returned row", "o que corrigir", "what to correct", _TAGS})
"""Normalised headers of the columns that we add to a sheet."""
_DESCRIPTION: Final = "description"
UNSEEN: Final = "–"
"""The sample value of a column before its rows are read."""
_BY: Final = " por"
"""The end of a header of people's names: `Enviado por`."""
_GAPS: Final = re.compile(r"[\s\u00a0\u200b-\u200d\u2060\ufeff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The known headers of one kind of sheet. `aliases` are fields by normalised header.

    `headers` are a field's headers as written, the usual one first. `weaker` are fields by normalised header or by
    stem: the column is used if no other column claims the field. `instead` are the fields that together replace a
    required one. `aside` are names of sheets without data. `remarks` are reported for every file with this layout,
    accepted or refused. `beside` are fields by normalised header, for sheets in which another column has the header's
    usual field. `signs` are fields about billing, each of which may have several columns. `ranks` order normalised
    headers, the usual ones of a field first.
    """

    name: str
    aliases: Mapping[str, str]
    headers: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...]
    ignored: frozenset[str]
    aside: frozenset[str]
    weaker: Mapping[str, str] = dataclasses.field(default_factory=dict)
    instead: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    signs: frozenset[str] = frozenset()
    ranks: Mapping[str, int] = dataclasses.field(default_factory=dict)
    remarks: tuple[Problem, ...] = ()
    beside: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return a layout from its file's content.

        Raises `ValueError` for unknown keys, and for a header with two meanings.
        """
        if unknown := set(data) - _KEYS:
            raise ValueError(f"unknown keys in a layout: {', '.join(sorted(unknown))}")
        signs: Mapping[str, Sequence[str]] = data.get("signs", {})
        fields: Mapping[str, Sequence[str]] = {**data["fields"], **signs}
        aliases: dict[str, str] = {}
        for field, headers in fields.items():
            for header in headers:
                if aliases.setdefault(normalised(header), field) != field:
                    raise ValueError(f"the header {header!r} names both {aliases[normalised(header)]} and {field}")
        ignored = frozenset(map(normalised, data["ignored"]))
        if both := ignored & set(aliases):
            raise ValueError(f"headers both used and ignored: {', '.join(sorted(both))}")
        weaker = {normalised(header): field for field, more in data.get("weaker", {}).items() for header in more}
        if double := weaker.keys() & (ignored | aliases.keys()):
            raise ValueError(f"headers both weak and not: {', '.join(sorted(double))}")
        return cls(
            name=data["name"],
            aliases=aliases,
            weaker=_stems(aliases | weaker) | weaker,
            instead={field: tuple(others) for field, others in data.get("instead", {}).items()},
            headers={field: tuple(headers) for field, headers in fields.items()},
            required=tuple(data["required"]),
            signs=frozenset(signs),
            ranks={header: place for place, header in enumerate(aliases | weaker)},
            ignored=ignored,
            beside={normalised(header): field for field, more in data.get("beside", {}).items() for header in more},
            aside=frozenset(map(normalised, data["aside"])),
        )

    def rank(self, header: str) -> int:
        """Return the rank of a normalised header among those of its field: smaller is more usual."""
        return self.ranks.get(header, len(self.ranks))

    def lacks(self, fields: Collection[str | None]) -> list[str]:
        """Return the required fields that are neither among these nor replaced by others."""
        return [
            field
            for field in self.required
            if field not in fields and not (field in self.instead and set(self.instead[field]) <= set(fields))
        ]

    def with_mapping(self, columns: Mapping[str, str | None]) -> Self:
        """Return the layout that reads each header of `columns` as its field; it ignores a header with None."""
        mapped = {normalised(header): field for header, field in columns.items()}
        known = {header: field for header, field in self.aliases.items() if header not in mapped}
        unused = {header for header, field in mapped.items() if field is None}
        return replace(
            self,
            aliases=known | {header: field for header, field in mapped.items() if field is not None},
            ignored=(self.ignored - mapped.keys()) | unused,
        )


def _stems(aliases: Mapping[str, str]) -> dict[str, str]:
    """Return the field of each stem of a normalised header, without stems that several fields share."""
    found: dict[str, set[str]] = {}
    for header, field in aliases.items():
        # a word alone is a count only as a plural: "Entregas", not "Entrega"
        if field != "quantity" or " " in header or stem_of(header) == header:
            found.setdefault(stem_of(header), set()).add(field)
    return {header: fields.pop() for header, fields in found.items() if len(fields) == 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A header row: column index by field, header texts by column, and the unused columns.

    Of two header rows, `row` is the lower one, `texts` are both combined, and `own_texts` are its own. `passed_over`
    are hidden columns that must not be used. `signs` are the columns about billing, with their fields.
    """

    sheet: Sheet
    row: int
    columns: Mapping[str, int]
    texts: Mapping[int, str]
    own_texts: Mapping[int, str]
    unused: Mapping[int, str]
    passed_over: Mapping[int, str]
    signs: tuple[tuple[str, int], ...] = ()


def find_header(workbook: Workbook, layout: Layout, *, sheet: str | None = None, uses_hidden: bool = True) -> Header:
    """Return the header of the one sheet to read. `uses_hidden`: hidden columns count like any other.

    The header is the row with the most different fields among a sheet's first rows, alone or combined with the row of
    groups above it, whichever names more fields. Raises `InputError` when no sheet has one (`sheet.no_header`) or is
    named `sheet` (`sheet.unknown`), several have all required columns (`sheet.several`), a required column is missing
    (`column.missing`) or two columns claim one field (`column.twice`).
    """
    sheets = [each for each in workbook.sheets if sheet is None or each.name == sheet]
    if sheet is not None and not sheets:
        raise InputError(Problem("sheet.unknown", params={"sheet": sheet, "sheets": _names(workbook.sheets)}))
    found = [each for each in (_best_row(one, layout, uses_hidden=uses_hidden) for one in sheets) if each is not None]
    if not found:
        problem = Problem("sheet.no_header", params={"sheets": _names(sheets), "rows": HEADER_WITHIN_ROWS})
        raise InputError(problem, *layout.remarks)
    whole = [each for each in found if not layout.lacks(each.fields)]
    if len(whole) > 1:
        whole = [each for each in whole if not is_aside(each.sheet.name, layout)] or whole
    if len(whole) > 1:
        raise InputError(Problem("sheet.several", params={"sheets": _names([each.sheet for each in whole])}))
    chosen = whole[0] if whole else max(found, key=lambda each: len(set(each.fields)))
    return _checked(chosen, layout, uses_hidden=uses_hidden)


def fitting(workbook: Workbook, layouts: Sequence[Layout], *, sheet: str | None = None) -> Layout:
    """Return the layout that knows most of a workbook's columns.

    The required columns alone cannot decide: a sheet of products that lacks one may have all that services require.
    """
    sheets = [each for each in workbook.sheets if sheet is None or each.name == sheet]

    def fit(layout: Layout) -> tuple[int, bool]:
        found = [each for each in (_best_row(one, layout) for one in sheets) if each is not None]
        return max(
            ((_NAMED_WEIGHT * each.score - len(lacking := layout.lacks(each.fields)), not lacking) for each in found),
            default=(-len(layout.required), False),
        )

    return max(layouts, key=fit)


def headers_by_sheet(workbook: Workbook, layout: Layout, *, sheet: str | None = None) -> dict[str, dict[int, str]]:
    """Return the header texts by column of each sheet with a header row, complete or not."""
    return {found.name: texts for found, _, texts in header_rows(workbook, layout, sheet=sheet)}


def header_rows(
    workbook: Workbook, layout: Layout, *, sheet: str | None = None
) -> list[tuple[Sheet, int, dict[int, str]]]:
    """Return each sheet with a header row, complete or not, the number of that row and its texts by column."""
    sheets = [each for each in workbook.sheets if sheet is None or each.name == sheet]
    found = [each for each in (_best_row(one, layout) for one in sheets) if each is not None]
    return [(each.sheet, each.row.number, _shown(each.cells)) for each in found]


@dataclass(frozen=True, slots=True)
class _Candidate:
    sheet: Sheet
    row: Row
    cells: tuple[Cell, ...]
    """The header texts: the row's own, or combined with the groups above."""
    fields: tuple[str | None, ...]
    """The field of each cell, by column."""
    score: int
    """The number of different fields, without those about billing, which any kind of sheet may have."""


def _best_row(sheet: Sheet, layout: Layout, *, uses_hidden: bool = True) -> _Candidate | None:
    best: _Candidate | None = None
    above: Row | None = None
    lone: _Candidate | None = None
    for row in islice(sheet.rows(), HEADER_WITHIN_ROWS):
        if best is None and lone is not None and is_only_document(lone.fields, lone.cells, row.cells):
            best = lone
        readings = [row.cells]
        # a row with numbers is data, not the lower half of a header
        if above is not None and above.number == row.number - 1 and not any(map(is_figure, row.cells)):
            readings.append(with_groups(above.cells, row.cells, lambda text: _field_of(text, layout) is not None))
        grouped = above is not None and has_groups(above.cells)
        for texts in readings:
            hidden = frozenset() if uses_hidden else sheet.hidden_columns
            visible = [None if index in hidden else cell for index, cell in enumerate(texts)]
            fields = fields_named(visible, layout)
            score = len({field for field in fields if field and field not in layout.signs})
            found = _Candidate(sheet, row, texts, fields, score)
            is_fuller = grouped and best is not None and best.row is row and names_as_many(fields, best.fields)
            if score >= FEWEST_FIELDS and (best is None or score > best.score or is_fuller):
                best = found
            lone = found
        above = row
    return best


def fields_named(texts: Sequence[Cell], layout: Layout) -> tuple[str | None, ...]:
    """Return the field of each header cell. A column with a weaker header loses the field to one with a sure header."""
    headers = [_header_text(cell) for cell in texts]
    sure = {layout.aliases.get(text) for text in headers if text}
    fields = [_field_of(cell, layout) for cell in texts]
    found = [
        each if each not in sure or layout.aliases.get(text) == each or (each == AMOUNT and is_final(text)) else None
        for each, text in zip(fields, headers, strict=True)
    ]
    found = with_the_first(found, headers, layout.rank, sure)
    for index in columns_of_both(headers, fields) or ():
        found[index] = "document"
    mapped = layout.aliases.keys() - layout.ranks.keys()
    found = with_one_amount(headers, found, mapped)
    found = paired(headers, found, mapped=mapped)
    found = counted(headers, found, mapped) if "quantity" in layout.headers else found
    return _with_beside(headers, found, layout)


def _with_beside(headers: Sequence[str], fields: Sequence[str | None], layout: Layout) -> tuple[str | None, ...]:
    """Give a column without a field the one that `layout.beside` has for its header, if no column has that field."""
    found = list(fields)
    for index, text in enumerate(headers):
        other = layout.beside.get(text)
        if found[index] is None and other is not None and other not in found and text not in layout.ignored:
            found[index] = other
    return tuple(found)


def _field_of(cell: Cell, layout: Layout) -> str | None:
    text = _header_text(cell)
    if not text or text in layout.ignored:
        return None
    found = known_as(text, layout.aliases, layout.weaker)
    if found is None and (bare := without_rate(text)) is not None:
        tax = layout.aliases.get(bare) or layout.weaker.get(bare)
        return tax if tax in WITH_A_RATE else None
    if found is None and layout.signs:
        found = sign if (sign := sign_of(text)) in layout.signs else None
    if found in (None, _DESCRIPTION) and AMOUNT in layout.required:
        found = asked_sign(str(cell)) or found
    if found is None and AMOUNT in layout.required and (is_final(text) or is_sum(text)):
        found = AMOUNT
    return None if found == "billed" and text.endswith(_BY) else found


def _header_text(cell: Cell) -> str:
    """Return the normalised text of a cell; empty for a text that is too long, and for no text."""
    return normalised(cell) if isinstance(cell, str) and len(cell) <= HEADER_LENGTH_AT_MOST else ""


def _checked(found: _Candidate, layout: Layout, *, uses_hidden: bool) -> Header:
    texts = _shown(found.cells)
    hidden = frozenset() if uses_hidden else found.sheet.hidden_columns
    unused = {
        index: text
        for index, text in texts.items()
        if found.fields[index] is None and normalised(text) not in layout.ignored and index not in hidden
    }
    sheet = found.sheet
    where = Where(sheet=sheet.name, row=found.row.number)
    both = columns_of_both([_header_text(cell) for cell in found.cells], found.fields)
    if both is not None:
        # `columns` must name the later column, so the earlier one loses its field.
        other, place = both
        sheet = OneDocumentSheet(sheet, place, other)
        found = replace(
            found, fields=tuple(None if index == other else each for index, each in enumerate(found.fields))
        )
    both_in = place_of_both(found.fields, sheet, found.row.number) if "document" in layout.required else None
    lacking = [each for each in _missing(found, layout, texts, where) if both_in is None or each.field != "document"]
    named = [(field, index) for index, field in enumerate(found.fields) if field and field not in layout.signs]
    problems = [*claimed_twice(named, texts, where), *lacking]
    if problems:
        raise InputError(problems[0], *problems[1:], *layout.remarks)
    signs = tuple((field, index) for index, field in enumerate(found.fields) if field in layout.signs)
    columns = {field: index for index, field in enumerate(found.fields) if field and field not in layout.signs}
    columns |= {"document": both_in} if both_in is not None else {}
    return Header(
        sheet=sheet,
        row=found.row.number,
        columns=columns,
        texts=texts,
        own_texts=_shown(found.row.cells),
        unused=unused,
        passed_over={index: text for index, text in texts.items() if index in hidden},
        signs=signs,
    )


def _shown(cells: Sequence[Cell]) -> dict[int, str]:
    return {
        index: _GAPS.sub(" ", cell).strip()[:HEADER_LENGTH_AT_MOST]
        for index, cell in enumerate(cells)
        if isinstance(cell, str) and cell.strip()
    }


def _missing(found: _Candidate, layout: Layout, texts: Mapping[int, str], where: Where) -> list[Problem]:
    missing = layout.lacks(found.fields)
    if not missing:
        return []
    named = {field: " · ".join(layout.headers[field][:NAMED_HEADERS]) for field in missing}
    params = {field: {"headers": headers, "found": ", ".join(texts.values())} for field, headers in named.items()}
    problems = [Problem("column.missing", field, where, params[field]) for field in missing]
    unused = {index: text for index, text in texts.items() if found.fields[index] is None}
    return problems + [each for each in similar_columns(unused, layout, where) if each.field in missing]


def similar_columns(unused: Mapping[int, str], layout: Layout, where: Where) -> list[Problem]:
    """Return a suggestion for each unused header that resembles a known one; only a person may accept it."""
    problems = []
    for index, text in unused.items():
        for best in _resembling(text, layout, most=1, score_from=SUGGEST_FROM):
            field = layout.aliases[best]
            alias = next((each for each in layout.headers[field] if normalised(each) == best), best)
            at = Where(sheet=where.sheet, row=where.row, column=column_letter(index))
            problems.append(Problem("column.similar", field, at, {"header": text, "alias": alias, "samples": UNSEEN}))
    return problems


def nearest_headers(text: str, layout: Layout) -> list[str]:
    """Return the usual headers of the fields that a text resembles most, for a person to choose from."""
    found = _resembling(text, layout, most=2 * NEAREST)
    return list(dict.fromkeys(layout.headers[layout.aliases[alias]][0] for alias in found))[:NEAREST]


def _resembling(text: str, layout: Layout, *, most: int, score_from: int = 0) -> list[str]:
    """Return at most `most` normalised headers of the layout that resemble a text, the nearest first.

    With `score_from`, leave out lower scores (0 to 100), and those below `SURE_FROM` whose first letter differs.
    """
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - slow to load, and most sheets have no unknown header

    bare, aliases = normalised(text), [alias for alias in layout.aliases if alias in layout.ranks]
    found = process.extract(bare, aliases, scorer=fuzz.ratio, limit=most, score_cutoff=score_from)
    return [alias for alias, score, _ in found if not score_from or score >= SURE_FROM or alias[0] == bare[0]]


def is_aside(name: str, layout: Layout) -> bool:
    """Return whether a sheet's name means that it has no data: instructions, examples, legends."""
    return bool(layout.aside & set(normalised(name).split())) or normalised(name) in layout.aside


def _names(sheets: Sequence[Sheet]) -> str:
    return ", ".join(each.name for each in sheets)
