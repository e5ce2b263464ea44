"""Store and delete the meaning of a sender's headers, which a person states once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.column_mapping import SavedMapping, header_set
from connectors.spreadsheets.headers.layouts import (
    Header,
    Layout,
    find_header,
    fitting,
    headers_by_sheet,
    nearest_headers,
)
from connectors.spreadsheets.headers.saved_mappings import remove_mapping, save_mapping
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import FaturistaError, InputError, Problem
from tasks.runtime import Context
from tasks.runtime.file_bytes import limits_of, read_bytes
from tasks.sheets.mapping_choice import plain_layouts, stored_mappings

NOTHING: Final = "-"
"""The meaning that a person gives to a column that is not used."""


@dataclass(frozen=True, slots=True)
class StoredMapping:
    """The stored mapping, and how it reads the sheet that it was stored with. `replaced`: the sender had one before."""

    mapping: SavedMapping
    layout: Layout
    header: Header
    replaced: bool


def store_mapping(
    context: Context, path: Path, pairs: Mapping[str, str], *, sender: str, person: str, sheet: str | None = None
) -> StoredMapping:
    """Store the meaning of headers in the sender's files: `pairs` are fields by header, `-` for an unused column.

    A value is a field's name or any known header of it. Raises `FaturistaError`, and stores nothing, for a header
    that the sheet does not have (`mapping.no_header`), an unknown field (`mapping.no_field`) or an unusable name
    (`mapping.name`); raises `InputError` if the sheet would still be unreadable.
    """
    if not any(map(str.isalnum, sender)):
        raise FaturistaError(Problem("mapping.name", params={"name": sender}))
    workbook = open_workbook(
        read_bytes(path, limit=context.settings.limits.file_bytes), limits_of(context), name=path.name
    )
    plain, columns = _layout_for(workbook, pairs, sheet)
    layout = plain.with_mapping(columns)
    _check_headers(workbook, layout, pairs, sheet)
    header = find_header(workbook, layout, sheet=sheet)
    mapping = SavedMapping(
        name=" ".join(sender.split()),
        kind=plain.name,
        columns=columns,
        headers=header_set(header.texts.values(), columns, plain),
        saved_by=person,
        saved_at=context.clock().isoformat(timespec="seconds"),
    )
    is_known = any(each.is_named(sender) and each.kind == plain.name for each in stored_mappings(context))
    save_mapping(Path(context.settings.paths.mappings), mapping)
    return StoredMapping(mapping, layout, header, is_known)


def delete_mappings(context: Context, sender: str) -> list[SavedMapping]:
    """Delete a sender's mappings, one for each kind of sheet, and return them. Raises `FaturistaError` without any."""
    kept = stored_mappings(context)
    gone = [each for each in kept if each.is_named(sender)]
    if not gone:
        known = ", ".join(sorted({each.name for each in kept})) or "–"
        raise FaturistaError(Problem("mapping.unknown", params={"name": sender, "known": known}))
    for each in gone:
        remove_mapping(Path(context.settings.paths.mappings), each)
    return gone


def _layout_for(
    workbook: Workbook, pairs: Mapping[str, str], sheet: str | None
) -> tuple[Layout, dict[str, str | None]]:
    """Return the layout that has all of these fields, and the field of each header. Raises `FaturistaError`."""
    plain = plain_layouts()
    columns = {kind: _columns(layout, pairs) for kind, layout in plain.items()}
    known = {kind: found for kind, found in columns.items() if len(found) == len(pairs)}
    if not known:
        most = max(columns, key=lambda kind: len(columns[kind]))
        raise FaturistaError(
            *_unknown_fields(plain[most], [pairs[each] for each in pairs if each not in columns[most]])
        )
    kind = fitting(workbook, [plain[kind].with_mapping(found) for kind, found in known.items()], sheet=sheet).name
    return plain[kind], known[kind]


def _columns(layout: Layout, pairs: Mapping[str, str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for header, meaning in pairs.items():
        field = meaning if meaning in layout.headers else layout.aliases.get(normalised(meaning))
        if field is not None or meaning == NOTHING:
            found[header] = field
    return found


def _unknown_fields(layout: Layout, names: Sequence[str]) -> Iterator[Problem]:
    usual = [headers[0] for headers in layout.headers.values()]
    for name in names:
        params = {"name": name, "near": ", ".join(nearest_headers(name, layout)), "all": ", ".join(usual)}
        yield Problem("mapping.no_field", params=params)


def _check_headers(workbook: Workbook, layout: Layout, pairs: Mapping[str, str], sheet: str | None) -> None:
    found = headers_by_sheet(workbook, layout, sheet=sheet)
    texts = [text for each in found.values() for text in each.values()]
    absent = [each for each in pairs if normalised(each) not in set(map(normalised, texts))]
    # Without any header row, report that.
    if absent and texts:
        params = {"names": ", ".join(f'"{each}"' for each in absent), "found": ", ".join(texts)}
        raise InputError(Problem("mapping.no_header", params=params))
