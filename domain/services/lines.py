"""A services row as typed data."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Self

from domain.parties import TakerData
from domain.templates import ROW_RATES, RateOverrides

_DATES: Final = ("charge_month", "competence", "emission_at")
SENDS_TO_TAKER: Final = False
"""Whether the provider mails an invoice to the taker when the row does not say."""


# not frozen: frozen takes five times as long to make, and each step makes the lines of a sheet
@dataclass(slots=True, kw_only=True)
class ServiceLine:
    """One row of a services sheet. None: the row has no value, and the template, city or run decides.

    Money in cents, rates in basis points (5 % = 500), `competence` the first of a month, `emission_at` aware,
    `rps_situation` and `operation_nature` as the cell has them (the city reads them). Taxes in cents are the sheet's
    results: they are compared with ours and never used. `paid_invoice` is the key of the paid invoice that the row
    bills (`domain.orders.billing.payment_key`). `charge_month` is the first of the month whose charge of the contract
    the row bills, where that month is closed. `updates_register`: the register takes over the row's e-mails, phone and
    address before the invoice. `is_released`: a correction workbook releases the held row. `replaces` is serie and
    number (`F-123`), or the NFS-e number (`118`), of the issued invoice that this one replaces, and `replaces_because`
    a person's reason. `emitter_name` is a name or CNPJ from a column about emitters; `company_name` is one from a
    column that may be about emitters or customers. Both are only compared. `template_otherwise` is the run's template,
    where the row's may be a plan of the customer. `answered` are codes of problems that the correction workbook showed
    and a person answered. `unclear_document` are the digits of a customer's document that lost zeros: the register
    decides which of `domain.documents.possible_documents` it is.
    """

    service_cents: int
    taker: TakerData
    template_name: str | None = None
    emitter_cnpj: str | None = None
    description: str | None = None
    competence: date | None = None
    emission_at: datetime | None = None
    service_item_code: str | None = None
    city_tax_code: str | None = None
    cnae_code: str | None = None
    iss_bp: int | None = None
    pis_bp: int | None = None
    cofins_bp: int | None = None
    csll_bp: int | None = None
    ir_bp: int | None = None
    inss_bp: int | None = None
    retained_iss: bool | None = None
    deduction_cents: int | None = None
    unconditioned_discount_cents: int | None = None
    discount_conditioning_cents: int | None = None
    own_key: str | None = None
    contract: str | None = None
    charge_month: date | None = None
    paid_invoice: str | None = None
    reference: str | None = None
    observations: str | None = None
    send_to_taker: bool = SENDS_TO_TAKER
    retry: bool = False
    rps_situation: str | None = None
    operation_nature: str | None = None
    tax_burden_cents: int | None = None
    tax_burden_bp: int | None = None
    tax_burden_source: str | None = None
    iss_cents: int | None = None
    pis_cents: int | None = None
    cofins_cents: int | None = None
    csll_cents: int | None = None
    ir_cents: int | None = None
    inss_cents: int | None = None
    pcc_cents: int | None = None
    federal_cents: int | None = None
    is_released: bool | None = None
    updates_register: bool | None = None
    replaces: str | None = None
    replaces_because: str | None = None
    emitter_name: str | None = None
    company_name: str | None = None
    template_otherwise: str | None = None
    answered: Sequence[str] | None = None
    unclear_document: str | None = None

    def is_answered(self, code: str) -> bool:
        """Say whether a person was shown this problem of the row and wants it billed all the same."""
        return code in (self.answered or ())

    @property
    def rates(self) -> RateOverrides:
        """The rates that replace the template's."""
        return {name: getattr(self, name) for name in ROW_RATES}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form for the ledger, without empty fields. `from_json` reads it."""
        values = {name: value for name in _LINE_FIELDS if (value := getattr(self, name)) is not None}
        values |= {name: value.isoformat() for name, value in values.items() if name in _DATES}
        return values | {"taker": self.taker.to_json()}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the line from the JSON of `to_json`."""
        return cls(
            **{
                **raw,
                "taker": TakerData.from_json(raw["taker"]),
                "charge_month": date.fromisoformat(text) if (text := raw.get("charge_month")) else None,
                "competence": date.fromisoformat(text) if (text := raw.get("competence")) else None,
                "emission_at": datetime.fromisoformat(text) if (text := raw.get("emission_at")) else None,
            }
        )


_LINE_FIELDS: Final = tuple(field.name for field in dataclasses.fields(ServiceLine))
