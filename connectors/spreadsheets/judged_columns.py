"""Columns whose words may speak against billing although their headers are not those of a sign."""

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Final, TypedDict

from connectors.spreadsheets import cells, titles
from connectors.spreadsheets.amount_relations import Relation, relations
from connectors.spreadsheets.final_amounts import SAMPLED, AmountParts, amount_parts, lost_amounts
from connectors.spreadsheets.formats.header_texts import normalised, stem
from connectors.spreadsheets.layouts import Header, Layout
from connectors.spreadsheets.pauses import Pause, pauses
from connectors.spreadsheets.row_facts import rows_below

_OF_A_MONTH: Final = frozenset({"invoice_number", "billed"})
_KINDS: Final = frozenset(
    {"categoria", "categoria 1", "conta", "conta contabil", "conta plano", "categoria financeira", "documento fiscal"}
)
"""Stems of headers of an entry's account: a bank, a product, or that the company itself has to pay."""
_OCCURRENCE: Final = "ocorrencia"
"""The stem of a header of a bank's codes, which may also say what a technician did."""
_INSTALMENTS: Final = frozenset({"parcela", "numero parcela", "prestacao", "parcela referencia"})
"""Stems of headers of an instalment, which may name its month."""
_FIRST: Final = (["tipo"], ["tp"], ["especie"], ["natureza"])
"""Normalised first words of headers of an entry's kind."""
_OF_CREDITS: Final = frozenset({"tipo", "lancamento tipo", "lancamento"})
"""Stems of headers under which a credit is the customer's; in a bank's statement (`D/C`) it is what we received."""


def judged_columns(header: Header, layout: Layout, competence: date | None) -> Iterator[tuple[str, int]]:
    """Yield such columns with the sign that they are judged as.

    A column of invoice numbers with the requested month in its header says who was billed in it (`NF Nov/26`); one
    with another month is history.
    """
    used = {*header.columns.values(), *(index for _, index in header.signs)}
    for index, text in header.texts.items():
        if layout.signs and stem(text) in _OF_CREDITS:
            yield "credit", index
        if index in used:
            continue
        if "status" in layout.signs and stem(text) == _OCCURRENCE:
            yield "occurrence", index
        if layout.signs and (stem(text) in _KINDS or normalised(text).split()[:1] in _FIRST):
            yield "charge_kind", index
        elif competence is not None and titles.months_of(text) and not titles.names_other_month(text, competence):
            bare = titles.without_months(normalised(text))
            sign = layout.aliases.get(bare) or layout.weaker.get(stem(bare))
            if sign in _OF_A_MONTH:
                yield sign, index


class AmountRules(TypedDict):
    """What the columns beside the amount say, by the names of `HoldRules`."""

    parts: AmountParts
    relations: tuple[Relation, ...]
    roles: Mapping[int, frozenset[str]]
    instalments: tuple[int, ...]
    pauses: tuple[Pause, ...]
    required: tuple[int, ...]
    name: int | None


def rules_beside(header: Header, layout: Layout, *, of_goods: bool) -> AmountRules:
    """Return the rules that the headers and the first rows show; those of goods have rules of their own."""
    return AmountRules(
        parts=_parts_of(header, layout, of_goods=of_goods),
        relations=_relations_of(header, of_goods=of_goods),
        roles=dict(_roles(header, layout)),
        name=header.columns.get("name"),
        pauses=pauses(header.unused),
        required=tuple(_required(header)),
        instalments=tuple(
            index
            for index, text in header.texts.items()
            if stem(text) in _INSTALMENTS and index not in header.columns.values()
        ),
    )


def _required(header: Header) -> Iterator[int]:
    """Yield the columns of approvals in which one of the first rows says yes."""
    approvals = [index for sign, index in header.signs if sign == "active"]
    if approvals:
        sample = [row.cells for row in islice(rows_below(header), SAMPLED)]
        for index in approvals:
            if any(index < len(row) and cells.parse_yes_no(row[index]) is True for row in sample):
                yield index


def _roles(header: Header, layout: Layout) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield each unused column of customers with the headers of the other parties that its cells may name.

    `Tomador: Remetente` beside the columns `Remetente` and `Destinatário` says who pays.
    """
    others = {cells.plain(text) for index, text in header.texts.items() if index != header.columns.get("name")}
    for index, text in header.unused.items():
        if "name" in (layout.aliases.get(normalised(text)), layout.weaker.get(normalised(text))):
            yield index, frozenset(others - {cells.plain(text)})


def _relations_of(header: Header, *, of_goods: bool) -> tuple[Relation, ...]:
    used = {**header.columns, **{f"{field} {index}": index for field, index in header.signs}}
    return () if of_goods else relations(header.texts, used, rows_below(header))


def _parts_of(header: Header, layout: Layout, *, of_goods: bool) -> AmountParts:
    if of_goods:
        return AmountParts()
    sure, weak = lost_amounts(header.unused, layout.aliases, layout.weaker)
    return amount_parts(header.unused, header.columns, rows_below(header), sure=sure, weak=weak)
