"""A column mapping that a person saved: the field of each header, and the sheets to which it applies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from slugify import slugify

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.layouts import Layout, headers_by_sheet
from domain.problems import Problem

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMapping:
    """A saved mapping. `columns` maps headers as written to fields, or to None for an unused column.

    `headers` are the normalised headers that identify the sheet. `name` is the sender's. `saved_at` is an ISO instant.
    """

    name: str
    kind: str
    columns: Mapping[str, str | None]
    headers: frozenset[str]
    saved_by: str
    saved_at: str

    def is_named(self, name: str) -> bool:
        """Return whether the mapping belongs to the sender with this name."""
        return is_same_sender(self.name, name)

    def shown(self, layout: Layout) -> str:
        """Return the mapping in the words of the sheet and the layout: `"Vlr Tot" = Valor; "Ref" = –`."""
        pairs = [
            f'"{header}" = {"–" if field is None else layout.headers[field][0]}'
            for header, field in self.columns.items()
        ]
        return "; ".join(pairs)

    def apply_to(self, layout: Layout) -> Layout:
        """Return the layout with this mapping's columns and a remark that it was used."""
        used = Problem("mapping.used", params={"name": self.name, "columns": self.shown(layout)})
        return replace(layout.with_mapping(self.columns), remarks=(used,))


def is_same_sender(one: str, other: str) -> bool:
    """Return whether two names are one sender's. Letter case, accents, spaces and dashes do not matter."""
    return slugify(one) == slugify(other)


@dataclass(frozen=True, slots=True)
class Fit:
    """How a sheet's headers differ from a mapping: `missing` mapped ones, `came` new ones, `gone` disappeared ones."""

    missing: tuple[str, ...]
    came: tuple[str, ...]
    gone: tuple[str, ...]

    @property
    def is_usable(self) -> bool:
        return not self.missing

    @property
    def is_same(self) -> bool:
        """Return whether the sheet has exactly the headers of the mapping's sheet."""
        return not (self.missing or self.came or self.gone)


def header_set(texts: Iterable[str], columns: Mapping[str, str | None], layout: Layout) -> frozenset[str]:
    """Return the normalised headers that identify a sheet: not those that the layout ignores, unless mapped."""
    mapped = set(map(normalised, columns))
    return frozenset(text for text in map(normalised, texts) if text in mapped or text not in layout.ignored)


def fit(mapping: SavedMapping, workbook: Workbook, layout: Layout, *, sheet: str | None = None) -> Fit:
    """Return the mapping's fit to the workbook's best sheet. `layout` is that of the kind, without a mapping."""
    seen = headers_by_sheet(workbook, layout.with_mapping(mapping.columns), sheet=sheet)
    fits = [_fit(mapping, texts.values(), layout) for texts in seen.values()] or [_fit(mapping, (), layout)]
    return min(fits, key=lambda each: (len(each.missing), len(each.came) + len(each.gone)))


def _fit(mapping: SavedMapping, texts: Iterable[str], layout: Layout) -> Fit:
    written = {normalised(text): text for text in texts}
    found = header_set(written.values(), mapping.columns, layout)
    return Fit(
        missing=tuple(header for header in mapping.columns if normalised(header) not in written),
        came=tuple(written[header] for header in sorted(found - mapping.headers))[:_SHOWN],
        gone=tuple(sorted(mapping.headers - found))[:_SHOWN],
    )


def fits_layout(workbook: Workbook, layout: Layout, *, sheet: str | None = None) -> bool:
    """Return whether a sheet has all required columns of the layout and no unknown header."""
    known = layout.aliases.keys() | layout.ignored
    return any(
        set(layout.required) <= {layout.aliases.get(text) for text in texts} and texts <= known
        for each in headers_by_sheet(workbook, layout, sheet=sheet).values()
        if (texts := set(map(normalised, each.values())))
    )


def is_near(mapping: SavedMapping, found: Fit) -> bool:
    """Return whether a sheet has at least half of the mapped headers, so that it may be this sender's."""
    return 2 * len(found.missing) <= len(mapping.columns)


def contradicts(mapping: SavedMapping, found: Fit, layout: Layout) -> bool:
    """Return whether the mapping gives a header of the sheet another field than the layout does."""
    known = layout.aliases
    there = ((header, field) for header, field in mapping.columns.items() if header not in found.missing)
    return any(known.get(normalised(header), field) != field for header, field in there)
