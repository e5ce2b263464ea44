"""Read CPF and CNPJ from two columns of one sheet: the filled one names the customer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from connectors.spreadsheets.formats.header_texts import stem
from connectors.spreadsheets.formats.sheets import Cell, ChangedSheet, Covered, Row
from connectors.spreadsheets.headers.header_pairs import of_somebody_else
from connectors.spreadsheets.parsers import cells
from domain.documents import ParsedDocument, parse_document

_KINDS: Final = ({"cpf"}, {"cnpj"})


def columns_of_both(headers: Sequence[str], fields: Sequence[str | None]) -> tuple[int, int] | None:
    """Return the two columns with the CPF and the CNPJ of one party, or None. `headers` are normalised."""
    places = [index for index, field in enumerate(fields) if field == "document"]
    if len(places) != len(_KINDS) or of_somebody_else(headers, places[0]) != of_somebody_else(headers, places[1]):
        return None
    words = [set(stem(headers[index]).split()) for index in places]
    kinds = [each & {"cpf", "cnpj"} for each in words]
    is_pair = words[0] - kinds[0] == words[1] - kinds[1] and kinds[0] in _KINDS and kinds[1] in _KINDS
    return (places[0], places[1]) if is_pair and kinds[0] != kinds[1] else None


@dataclass(frozen=True, slots=True)
class OneDocumentSheet(ChangedSheet):
    """A sheet whose column `place` has the customer's document, from itself or from the column `other`."""

    place: int
    other: int

    def rows(self) -> Iterator[Row]:
        for row in self.sheet.rows():
            found = [*row.cells, *[None] * (self.place + 1 - len(row.cells))]
            decided = _decided(found[self.place], found[self.other] if self.other < len(found) else None)
            if decided is found[self.place]:
                yield row
            else:
                found[self.place] = decided
                yield row._replace(cells=tuple(found))


def _decided(first: Cell, second: Cell) -> Cell:
    """Return the cell that names the customer; a text with both if they have different documents."""
    if isinstance(first, Covered) or cells.is_blank(second):
        return first
    if cells.is_blank(first):
        return second
    texts = cells.as_text(first), cells.as_text(second)
    found = [parse_document(text) for text in texts]
    if isinstance(found[0], ParsedDocument) and isinstance(found[1], ParsedDocument):
        return first if found[0].document == found[1].document else " / ".join(texts)
    if isinstance(found[0], ParsedDocument) or isinstance(found[1], ParsedDocument):
        return first if isinstance(found[0], ParsedDocument) else second
    # prefer a wrong number to words without any digit
    return second if any(map(str.isdigit, texts[1])) and not any(map(str.isdigit, texts[0])) else first
