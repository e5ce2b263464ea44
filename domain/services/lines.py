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


# not frozen: a frozen object takes five times as long to create, and each station creates one for each row
@dataclass(slots=True, kw_only=True)
class ServiceLine:
    """One row of a services sheet. A field is None if the row is silent; then template, city or run decides.

    Money is in cents, rates are basis points (5 % = 500). `rps_situation` and `operation_nature` are the cells' texts,
    which the city's rules interpret.

    Attributes:
        competence: The first day of the month.
        emission_at: An aware instant.
        iss_cents: The ISS as the sheet computes it. The system compares it with its own result and never uses it. The
            same is true of the amounts of all other taxes.
        charge_month: The first day of the closed month whose contract charge this row bills late.
        paid_invoice: The key of the paid invoice that the row bills (`domain.orders.billing.payment_key`).
        updates_register: Write the row's e-mails, phone and address into the register before the invoice is issued.
        is_released: A correction workbook demands that the row be billed in spite of its questions.
        replaces: The issued invoice that this one replaces: serie and number (`F-123`), or the NFS-e number (`118`).
        replaces_because: A person's reason for the replacement.
        emitter_name: The emitter's name in a column about the emitter. It is only compared.
        company_name: A name or CNPJ of emitter or customer: the column does not say which. It is only compared.
        template_otherwise: The run's template, for a row whose `template_name` may be a plan of the customer.
        has_default_template: The row names no template, and `template_name` is the run's.
        answered: Codes of the problems that the correction workbook showed and that a person accepted.
        unclear_document: The digits of a document that lost leading zeros, of a customer without a document. The
            register shows which of `domain.documents.possible_documents` it is.
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
    has_default_template: bool | None = None
    answered: Sequence[str] | None = None
    unclear_document: str | None = None

    def is_answered(self, code: str) -> bool:
        """Return whether a person saw this problem of the row and wants the row billed in spite of it."""
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
