"""A services row as typed data, and the invoice request that it becomes (document 000, NFSe and city table)."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Self

from domain.cities import CityRules
from domain.parties import TakerData
from domain.problems import Problem
from domain.taxes import ServiceAmounts
from domain.templates import ServiceTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLine:
    """One row of a services sheet. None = the row says nothing and the template, city or run decides.

    Money in cents, rates in basis points (5 % = 500), `competence` the first of a month, `emission_at` aware,
    `rps_situation` and `operation_nature` as the cell has them (the city reads them).
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
    reference: str | None = None
    observations: str | None = None
    send_to_taker: bool = False
    rps_situation: str | None = None
    operation_nature: str | None = None

    def to_json(self) -> dict[str, Any]:
        """A shape for the ledger; `from_json` reads it back."""
        raw = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        raw["taker"] = self.taker.to_json()
        raw["competence"] = None if self.competence is None else self.competence.isoformat()
        raw["emission_at"] = None if self.emission_at is None else self.emission_at.isoformat()
        return raw

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """What `to_json` wrote."""
        return cls(
            **{
                **raw,
                "taker": TakerData.from_json(raw["taker"]),
                "competence": None if raw["competence"] is None else date.fromisoformat(raw["competence"]),
                "emission_at": None if raw["emission_at"] is None else datetime.fromisoformat(raw["emission_at"]),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceInvoice:
    """A request ready to be numbered.

    `content` is the wire body without `batch_id`, `serie` and `number`, and with `emission_date` only where the sheet
    gave one: what the number's digest is taken of.
    """

    content: Mapping[str, Any]
    amounts: ServiceAmounts
    business_key: str
    competence: date
    emission_at: datetime | None


def compose_invoice(
    line: ServiceLine,
    *,
    emitter_cnpj: str,
    emitter_remote_id: int,
    city: CityRules,
    taker_remote_id: int,
    template: ServiceTemplate,
    is_confirmed: bool = False,
) -> ServiceInvoice | list[Problem]:
    """The invoice of a row, or everything that is wrong with it.

    `is_confirmed`: the provider's own calculation agreed with ours for this template; without it a deduction, a
    discount, another retention or a retained ISS is refused. The row's competence must be filled in by now.
    """
    raise NotImplementedError
