"""Read the customer of a row: document, place, and all problems with them."""

from typing import Any, Final

from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.field_parsers import DocumentCell, document_cell
from connectors.spreadsheets.row_parser import QUOTED, RowValues
from domain.documents import Document, parse_document, possible_documents
from domain.names import likely_kind
from domain.parties import TakerData
from domain.problems import Problem
from domain.texts import is_damaged

_GREATER_SAO_PAULO: Final = "SP"
"""The only state with postal codes that begin with a zero, which spreadsheets drop."""
_DOUBTS: Final = frozenset({"document.ambiguous", "document.length"})


def taker_of(row_values: RowValues, *, is_required: bool = True) -> TakerData:
    """Return the customer of the row; `is_required`: a row without a document is a problem."""
    customer = customer_of(row_values, is_required=is_required)
    document = customer.pop("document", None)
    return TakerData(document=None if document is None else Document(*document), **customer)


def customer_of(row_values: RowValues, *, is_required: bool = True) -> dict[str, Any]:
    """Return the row's customer data by field of `TakerData`. `is_required`: a missing document is a problem.

    The document is a pair of kind and number.
    """
    found = row_values.taker_values
    parsed = found.get("document") or _document_by_name(row_values, found.get("name"))
    if parsed is not None:
        kind, number, is_repaired = parsed
        found["document"] = kind, number
        if is_repaired:
            row_values.add_remark("document.repaired", "document", listed=Document(kind, number).checkable)
    elif is_required:
        row_values.require("document", "document.missing")
    locate(row_values, found)
    if (name := found.get("name")) is not None and is_damaged(name):
        row_values.add_problem("text.damaged", "name", text=name[:QUOTED])
    return found


def leave_unclear_document(row_values: RowValues) -> None:
    """Replace the problem of a document that lost zeros, if the row has no other, by the value `unclear_document`.

    The value is the digits without the zeros. A later station looks them up in the customers' registers, and adds the
    problem again if no register has them.
    """
    if len(row_values.problems) != 1 or _doubt(row_values) is None:
        return
    possible = possible_documents(cells.as_text(row_values.cell("document")))
    if possible:
        row_values.problems = ()
        row_values.values["unclear_document"] = possible[0].number.lstrip("0")


def locate(row_values: RowValues, values: dict[str, Any]) -> None:
    """Replace city, state and city code by the reference table's."""
    named = values.pop("city_code", None), values.pop("city", None), values.pop("state", None)
    result = row_values.reader.city_lookup.find(*named)
    for code, params in result.remarks:
        row_values.add_remark(code, "city", **params)
    if isinstance(result.found, Problem):
        row_values.add(result.found, result.found.field)
        return
    values.update(result.found)
    zip_code, state = values.get("zip_code"), result.found.get("state")
    if zip_code and zip_code[0] == "0" and state not in (None, _GREATER_SAO_PAULO):
        row_values.add_remark("row.zip_state", "zip_code", text=zip_code, state=str(state))


def _document_by_name(row_values: RowValues, name: str | None) -> DocumentCell | None:
    """Return the document that a doubtful number means for this name: a company's CNPJ or a person's CPF, or None."""
    doubt = _doubt(row_values)
    likely = None if name is None else likely_kind(name)
    if doubt is None or likely is None:
        return None
    text = cells.as_text(row_values.cell("document"))
    found = parse_document(text, likely=likely)
    if isinstance(found, Problem):
        return None
    row_values.problems = tuple(each for each in row_values.problems if each is not doubt)
    if doubt.code != "document.ambiguous":
        return document_cell(found)
    chosen, digits = found.document, sum(map(str.isdigit, text))
    row_values.add_remark("document.kind_chosen", "document", kind=chosen.kind.upper(), listed=chosen.checkable)
    return chosen.kind, chosen.number, digits < len(chosen.number)


def _doubt(row_values: RowValues) -> Problem | None:
    """Return the problem of a document that may have lost zeros."""
    return next((each for each in row_values.problems if each.field == "document" and each.code in _DOUBTS), None)
