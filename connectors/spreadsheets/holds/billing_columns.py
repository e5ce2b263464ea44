"""Find columns whose words may be a reason not to bill a row, although their headers name no billing field."""

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Final, TypedDict

from connectors.spreadsheets.formats.header_texts import normalised, stem
from connectors.spreadsheets.headers.billing_headers import sign_of
from connectors.spreadsheets.headers.final_amounts import (
    AMOUNT,
    COUNTED,
    SAMPLED,
    AmountParts,
    amount_parts,
    unused_amount_columns,
)
from connectors.spreadsheets.headers.header_pairs import counts_of, is_of_all
from connectors.spreadsheets.headers.layouts import Header, Layout
from connectors.spreadsheets.headers.portions import portions_of
from connectors.spreadsheets.holds import billing_markers, goods_columns, goods_words, status_columns
from connectors.spreadsheets.holds.amount_relations import Relation, relations
from connectors.spreadsheets.holds.billing_documents import names_payer
from connectors.spreadsheets.holds.column_warnings import columns_beside
from connectors.spreadsheets.holds.pauses import Pause, pauses
from connectors.spreadsheets.holds.side_amounts import Effect, side_columns
from connectors.spreadsheets.holds.unusual_cells import UnusualCells, mixed_columns, unit_columns, unusual_cells
from connectors.spreadsheets.holds.worded_amounts import worded_amounts
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.rows import titles
from connectors.spreadsheets.rows.row_facts import first_rows, rows_below

_OF_A_MONTH: Final = frozenset({"invoice_number", "billed"})
_KINDS: Final = frozenset(
    {"categoria", "categoria 1", "conta", "conta contabil", "conta plano", "categoria financeira", "documento fiscal"}
)
"""Stems of headers of an entry's account, which may mean that the company itself has to pay."""
_OCCURRENCE: Final = "ocorrencia"
"""The stem of a header of a bank's codes, which may also say what a technician did."""
_PAYMENTS: Final = frozenset({"forma pagamento", "meio pagamento", "condicao pagamento", "metodo pagamento"})
"""Stems of headers of the way of payment, which may be a barter."""
_FREE: Final = frozenset(
    {"garantia", "retorno", "visita retorno", "permuta", "bonificacao", "gratuidade", "gratuito", "bolsista"}
)
"""Stems of headers that ask whether work is free; another answer than yes may be a term: `90 dias`."""
_PART_OF_MONTH: Final = re.compile(r"\bpro[ -]?rata\b|\bproporcional\b")
"""Words of an amount that is charged for part of the days."""
_WHO_BILLS: Final = re.compile(
    r"(?:quem (?:fatura|emite|cobra|vai (?:faturar|emitir))|"
    r"(?:faturad[oa]|emitid[oa]|faturamento|emissao) (?:por|pel[oa])|"
    r"billed by|invoiced by)(?: (?:a )?(?:nota|nf))?"
)
_INSTALMENTS: Final = frozenset({"parcela", "numero parcela", "prestacao", "parcela referencia"})
"""Stems of headers of an instalment, which may name its month."""
_PAUSES: Final = ("stopped", "since")
"""Billing fields of columns that may have an end of a pause."""
_GOODS: Final = "products"
_CODES: Final = ("order_key", "code", "own_key", "reference")
"""Fields of numbers that identify something."""
_FIRST: Final = (["tipo"], ["tp"], ["especie"], ["natureza"])
"""First words of normalised headers of an entry's kind."""
_ENTRIES: Final = frozenset(
    {"lancamento", "rubrica", "evento", "item", "titulo", "objeto", "assunto", "detalhe", "movimentacao", "verba"}
)
"""Stems of headers of the subject of an entry. Their cells are judged as descriptions."""
_OF_CREDITS: Final = frozenset({"tipo", "lancamento tipo", "lancamento"})
"""Stems of headers under which a credit is the customer's; in a bank's statement (`D/C`) it is what we received."""


def judged_columns(header: Header, layout: Layout, competence: date | None) -> Iterator[tuple[str, int]]:
    """Yield (sign, index) for each of these columns. Its cells are read like those of the billing field `sign`.

    A column of invoice numbers with the requested month in its header shows who was billed in that month (`NF Nov/26`).
    A column with another month is history.
    """
    used = {*header.columns.values(), *(index for _, index in header.signs)}
    if layout.name == _GOODS:
        yield from goods_columns.answers(header.unused)
    elif layout.signs:
        yield from mixed_columns(header.unused, first_rows(header))
    for index, text in header.texts.items():
        if layout.signs and stem(text) in _OF_CREDITS:
            yield "credit", index
        if index in used:
            continue
        if "status" in layout.signs and stem(text) == _OCCURRENCE:
            yield "occurrence", index
        if layout.signs and (judged := _judged_as(text)) is not None:
            yield judged, index
        elif competence is not None and titles.months_of(text) and not titles.names_other_month(text, competence):
            bare = titles.without_months(normalised(text))
            sign = layout.aliases.get(bare) or layout.weaker.get(stem(bare)) or (sign_of(bare) if bare else None)
            if sign in _OF_A_MONTH:
                yield sign, index


def _judged_as(header: str) -> str | None:
    """Return the billing field for a column about an entry, about free work or about a way of payment, or None."""
    if stem(header) in _KINDS or normalised(header).split()[:1] in _FIRST:
        return "charge_kind"
    if stem(header) in _FREE:
        return "free"
    if _WHO_BILLS.fullmatch(normalised(header)):
        return "issuer"
    if stem(header) in _ENTRIES:
        return "described"
    return "notes" if stem(header) in _PAYMENTS else None


class AmountRules(TypedDict):
    """The facts about the other columns than the amount's, by the names of the fields of `HoldRules`."""

    side: tuple[tuple[int, Effect], ...]
    days: tuple[tuple[int, float], ...]
    units: tuple[tuple[int, float], ...]
    parts: AmountParts
    relations: tuple[Relation, ...]
    roles: Mapping[int, frozenset[str]]
    payers: tuple[int, ...]
    instalments: tuple[int, ...]
    pauses: tuple[Pause, ...]
    required: tuple[int, ...]
    name: int | None
    of_goods: bool
    goods: goods_columns.GoodsColumns
    worded_goods: tuple[tuple[str, int], ...]
    coded: tuple[int, ...]
    described: int | None
    judges: Mapping[tuple[str, int], str]
    unknown: Mapping[int, frozenset[str]]
    spelled: tuple[tuple[int, int], ...]


def rules_beside(
    header: Header,
    layout: Layout,
    statuses: Mapping[int, Collection[str]],
    *,
    amount: str,
    competence: date | None,
    of_goods: bool,
) -> AmountRules:
    """Return the facts that the headers, the first rows and the `statuses` show. `statuses` are by column.

    `amount` is the header of the amount. Other facts count for sheets of goods (`of_goods`).
    """
    parts, found = _parts_of(header, layout, of_goods=of_goods), _relations_of(header, of_goods=of_goods)
    unusual = _unusual_of(header, of_goods=of_goods)
    exceptions: list[tuple[int, Effect]] = [(each, "adds") for each in unusual.figures]
    exceptions += [(each, "counts") for each in (() if of_goods else _counts(header))]
    exceptions += [(each, "replaces") for each in (() if of_goods else _portions(header))]
    if not (parts.is_needed or found):
        # with such rules, other columns explain a row whose amount differs from its usual copy
        exceptions += [(each, "replaces") for each in unusual.copies]
        exceptions += [(each, "limits") for each in unusual.limits]
    bases = [header.texts[index] for index in parts.bases if parts.is_needed]
    payers = {index for index in header.unused if names_payer(header, index)}
    roles = dict(_roles(header, layout, payers))
    is_priced = COUNTED[1] in header.columns
    side = side_columns(header.unused, amount, of_goods=of_goods, competence=competence, is_priced=is_priced)
    judges = _judges_of_goods(header) if of_goods else status_columns.judges_of(header, statuses)
    judges |= {("charge_kind", index): "category" for index, text in header.texts.items() if stem(text) in _KINDS}
    return AmountRules(
        side=tuple(dict([*exceptions, *side]).items()),
        days=() if _PART_OF_MONTH.search(cells.plain(amount)) else unusual.days,
        units=()
        if of_goods
        else tuple(unit_columns(_units_of(header), first_rows(header), " ".join((amount, *bases)))),
        parts=parts,
        relations=found,
        roles=roles,
        payers=tuple(payers),
        name=header.columns.get("name"),
        pauses=pauses(header.unused, {index: header.texts[index] for sign, index in header.signs if sign in _PAUSES}),
        required=tuple(_required(header)),
        instalments=tuple(
            index
            for index, text in header.texts.items()
            if stem(text) in _INSTALMENTS and index not in header.columns.values()
        ),
        of_goods=of_goods,
        goods=_goods_of(header) if of_goods else goods_columns.GoodsColumns(),
        worded_goods=tuple(_words_of_goods(header)) if of_goods else (),
        coded=tuple(header.columns[name] for name in _CODES if name in header.columns),
        judges=judges,
        unknown=status_columns.unknown_statuses(header, statuses, judges),
        described=None if of_goods else header.columns.get("description"),
        spelled=() if of_goods else worded_amounts(header.unused, header.texts, header.columns.get("service_cents")),
    )


def _counts(header: Header) -> Iterator[int]:
    """Yield the columns of counts that may multiply the amount, or that the price may already include."""
    amount, count, price = (header.columns.get(name) for name in (AMOUNT, *COUNTED))
    texts = {index: normalised(text) for index, text in header.texts.items()}
    if amount is not None:
        yield from counts_of(texts.get(amount, ""), texts)
    elif count is not None and price is not None and is_of_all(texts.get(price, "")):
        yield count


def _portions(header: Header) -> Iterator[int]:
    """Yield the columns that may be the billed part of the amount."""
    found = portions_of(header, list(islice(rows_below(header), SAMPLED)))
    yield from (*found.billed, *found.doubtful)


def _unusual_of(header: Header, *, of_goods: bool) -> UnusualCells:
    if of_goods:
        return UnusualCells()
    return unusual_cells(header.unused, first_rows(header), header.columns.get(AMOUNT))


def _units_of(header: Header) -> dict[int, str]:
    """Return the headers of the columns that may count delivered units: the unused ones, and that of quantities."""
    counted = header.columns.get("quantity")
    return {**header.unused, **({} if counted is None else {counted: header.texts.get(counted, "")})}


def _required(header: Header) -> Iterator[int]:
    """Yield the columns of approvals in which one of the first rows says yes."""
    approvals = [index for sign, index in header.signs if sign == "active"]
    if approvals:
        sample = first_rows(header)
        for index in approvals:
            if any(index < len(row) and cells.parse_yes_no(row[index]) is True for row in sample):
                yield index


def _goods_of(header: Header) -> goods_columns.GoodsColumns:
    """Return the roles of the unread columns of goods, except the columns that other rules check."""
    apart = {index for _, index in goods_columns.answers(header.unused)}
    apart |= {index for index, _ in side_columns(header.unused, "", of_goods=True)}
    unused = {index: text for index, text in header.unused.items() if index not in apart}
    return goods_columns.goods_columns(unused, header.columns)


def _words_of_goods(header: Header) -> Iterator[tuple[str, int]]:
    """Yield kind (`products`, `orders` or `notes`) and index of each column whose words may deny a sale."""
    for kind, field in (("products", "description"), ("orders", "order_key")):
        if field in header.columns:
            yield kind, header.columns[field]
    yield from (("notes", index) for index in columns_beside(header))


def _judges_of_goods(header: Header) -> dict[tuple[str, int], str]:
    """Return the rule for goods (a key for `billing_markers.stops_of`) by sign and column.

    A status of payment or delivery has another rule than an order's.
    """
    found: dict[tuple[str, int], str] = {}
    for sign, index in header.signs:
        if sign in billing_markers.OF_GOODS:
            about = goods_words.subject_of(normalised(header.texts.get(index, ""))) if sign == "status" else None
            found[sign, index] = about or billing_markers.OF_GOODS[sign]
    return found


def _roles(header: Header, layout: Layout, payers: Collection[int]) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield each unused column of customers, with the other headers of the sheet as normalized texts.

    The cell `Remetente` of a column `Tomador` names another column's customer as the one who pays.
    """
    others = {cells.plain(text) for index, text in header.texts.items() if index != header.columns.get("name")}
    for index, text in header.unused.items():
        if index in payers or "name" in (layout.aliases.get(normalised(text)), layout.weaker.get(normalised(text))):
            yield index, frozenset(others - {cells.plain(text)})


def _relations_of(header: Header, *, of_goods: bool) -> tuple[Relation, ...]:
    used = {**header.columns, **{f"{field} {index}": index for field, index in header.signs}}
    return () if of_goods else relations(header.texts, used, rows_below(header))


def _parts_of(header: Header, layout: Layout, *, of_goods: bool) -> AmountParts:
    if of_goods:
        return AmountParts()
    sure, weak = unused_amount_columns(header.unused, layout.aliases, layout.weaker)
    return amount_parts(header.unused, header.columns, rows_below(header), sure=sure, weak=weak)
