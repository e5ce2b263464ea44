"""Write charges as a services sheet, as a person would type it, so that the usual stations read it."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from domain.competence import format_competence
from domain.contracts.charges import ContractCharge
from domain.contracts.contract import Contract
from domain.documents import Document

FIELDS: Final = (
    "own_key",
    "contract",
    "emitter_cnpj",
    "document",
    "name",
    "template_name",
    "competence",
    "service_cents",
    "description",
)


def charges_sheet(
    charges: Sequence[tuple[Contract, ContractCharge]], headers: Mapping[str, str], *, competence: date
) -> bytes:
    """Return a CSV with one line for each charge. The same charges give the same bytes.

    Args:
        charges: Contracts with their charges. A charge of another month is late.
        headers: Header of each column, by field.
        competence: First day of the month in which all are billed.
    """
    has_late = any(charge.competence != competence for _, charge in charges)
    fields = ("charge_month", *FIELDS) if has_late else FIELDS
    return sheet_of((_line(contract, charge, competence) for contract, charge in charges), fields, headers)


def sheet_of(lines: Iterable[Mapping[str, str]], fields: Sequence[str], headers: Mapping[str, str]) -> bytes:
    """Return lines as a CSV with these columns. A field that a line lacks is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=";", lineterminator="\r\n")
    writer.writerow([headers[field] for field in fields])
    for line in lines:
        writer.writerow([line.get(field, "") for field in fields])
    return text.getvalue().encode("utf-8-sig")


def amount_text(cents: int) -> str:
    """Return an amount of cents with a decimal comma: `1234,56`."""
    whole, part = divmod(cents, 100)
    return f"{whole},{part:02d}"


def _line(contract: Contract, charge: ContractCharge, competence: date) -> dict[str, str]:
    is_late = charge.competence != competence
    return {
        "charge_month": format_competence(charge.competence) if is_late else "",
        "own_key": "" if is_late else contract.key,
        "contract": contract.key,
        "emitter_cnpj": Document("cnpj", contract.emitter_cnpj).formatted,
        "document": contract.customer.formatted,
        "name": contract.customer_name,
        "template_name": contract.template_name,
        "competence": format_competence(competence),
        "service_cents": amount_text(charge.cents),
        "description": charge.description,
    }
