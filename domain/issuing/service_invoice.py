"""The canonical service invoice: the ledger stores and digests it, and an issuer turns it into its own request."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Self

from domain.competence import BRASILIA
from domain.taxes import ServiceAmounts


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceInvoice:
    """A service invoice without its number.

    Attributes:
        taker_id: The customer's id in the issuer's register.
        taker_name: The customer's name in that register when the invoice was composed; later compared with the answer.
        rates: Basis points by tax (`iss_bp`, `pis_bp` …, `retained_iss_bp`); 0 if a minimum waives the retention.
        emission_at: An aware instant; None if the batch sets it.
        city_code: The city in which the service is performed.
        replaces: `serie`, `number` and `rps_type` of the issued invoice, of the same emitter, that this invoice
            replaces.
        business_key: The identity of the charge, by which a row finds its invoice. It is not part of the content.
    """

    emitter_cnpj: str
    taker_id: int
    taker_document: str
    taker_name: str | None = None
    competence: date
    description: str
    service_item_code: str
    city_code: str
    amounts: ServiceAmounts
    rates: Mapping[str, int]
    retained_iss: bool = False
    emission_at: datetime | None = None
    city_tax_code: str | None = None
    cnae_code: str | None = None
    observations: str | None = None
    rps_type: int | str | None = None
    rps_situation: int | str | None = None
    operation_nature: int | None = None
    special_regime: int | None = None
    tax_burden_bp: int | None = None
    tax_burden_cents: int | None = None
    tax_burden_source: str | None = None
    highlight_retentions: tuple[str, ...] = ()
    send_to_taker: bool = False
    replaces: Mapping[str, Any] | None = None
    business_key: str = dataclasses.field(default="", compare=False)

    @property
    def content(self) -> dict[str, Any]:
        """The canonical JSON; see `to_json`."""
        return self.to_json()

    @property
    def total_cents(self) -> int:
        """The amount of the service in cents."""
        return self.amounts.service_cents

    def to_json(self) -> dict[str, Any]:
        """Return canonical JSON without the fields that are None or empty; `from_json` reads it back."""
        raw = {name: value for name in _PLAIN if (value := getattr(self, name)) is not None}
        raw["competence"] = self.competence.isoformat()
        raw["amounts"] = self.amounts.to_json()
        raw["rates"] = dict(self.rates)
        if self.emission_at is not None:
            raw["emission_at"] = self.emission_at.astimezone(BRASILIA).isoformat(timespec="seconds")
        if self.highlight_retentions:
            raw["highlight_retentions"] = list(self.highlight_retentions)
        return raw

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the invoice from the JSON of `to_json`."""
        emission = raw.get("emission_at")
        return cls(
            **{
                **raw,
                "competence": date.fromisoformat(raw["competence"]),
                "amounts": ServiceAmounts.from_json(raw["amounts"]),
                "emission_at": None if emission is None else datetime.fromisoformat(emission),
                "highlight_retentions": tuple(raw.get("highlight_retentions", ())),
            }
        )


_STRUCTURED: Final = frozenset(
    {"competence", "amounts", "rates", "emission_at", "highlight_retentions", "business_key"}
)
_PLAIN: Final = tuple(field.name for field in dataclasses.fields(ServiceInvoice) if field.name not in _STRUCTURED)
