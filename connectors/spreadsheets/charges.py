"""Write contract charges as a services sheet, in the form that a person types and the stations read."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Final

from domain.competence import format_competence
from domain.contracts.charges import Charge
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


def charges_sheet(charges: Iterable[tuple[Contract, Charge]], headers: Mapping[str, str]) -> bytes:
    """Return a CSV with one line for each charge; the same charges give the same bytes. `headers` are by field."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=";", lineterminator="\r\n")
    writer.writerow([headers[field] for field in FIELDS])
    for contract, charge in charges:
        said = _line(contract, charge)
        writer.writerow([said[field] for field in FIELDS])
    return text.getvalue().encode("utf-8-sig")


def _line(contract: Contract, charge: Charge) -> dict[str, str]:
    whole, part = divmod(charge.cents, 100)
    return {
        "own_key": contract.key,
        "contract": contract.key,
        "emitter_cnpj": Document("cnpj", contract.emitter_cnpj).formatted,
        "document": contract.customer.formatted,
        "name": contract.customer_name,
        "template_name": contract.template_name,
        "competence": format_competence(charge.competence),
        "service_cents": f"{whole},{part:02d}",
        "description": charge.description,
    }
