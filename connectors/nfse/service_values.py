"""Service value templates and the provider's own calculation (document 000, Service value)."""

import json
from typing import Annotated, Any, Final, Literal

from connectors.http.calls import understand
from connectors.http.session import HttpSession
from connectors.http.wire_values import Integer, Text, read_object
from connectors.nfse.drafts import Code, Identity, RequestModel, Words, decimal, optional_text, required_text
from connectors.nfse.records import RecordCalls
from connectors.nfse.shapes import AnswerModel, DecimalText, NumberText
from domain import money

_PATH: Final = "/api/v1/service-values"

Retention = Literal["ir_amount", "pis_amount", "cofins_amount", "csll_amount", "inss_amount", "retained_iss_amount"]
"""The amounts that a note may list in its description."""


class Template(AnswerModel):
    """A stored template. Amounts, rates and limits are the API's texts; codes keep their zeros."""

    id: Integer
    emitter_id: Integer
    name: str
    service_amount: DecimalText | None = None
    calculation_base: DecimalText | None = None
    nfse_liquid_amount: DecimalText | None = None
    deduction_percentage: DecimalText | None = None
    retained_iss: bool | None = None
    iss_percentage: DecimalText | None = None
    pis_percentage: DecimalText | None = None
    cofins_percentage: DecimalText | None = None
    inss_percentage: DecimalText | None = None
    ir_percentage: DecimalText | None = None
    csll_percentage: DecimalText | None = None
    discount_conditioning_percentage: DecimalText | None = None
    unconditioned_discount_percentage: DecimalText | None = None
    other_retentions_percentage: DecimalText | None = None
    retained_iss_percentage: DecimalText | None = None
    service_item_code: Text | None = None
    city_tax_code: Text | None = None
    cnae_code: NumberText | None = None
    description: str | None = None
    city_code: NumberText | None = None
    tax_burden_amount: DecimalText | None = None
    tax_burden_percentage: DecimalText | None = None
    tax_burden_source: str | None = None
    inss_limit: DecimalText | None = None
    ir_limit: DecimalText | None = None
    retained_iss_limit: DecimalText | None = None
    pcc_limit: DecimalText | None = None
    highlight_retentions: tuple[str, ...] | None = None


class TemplateChanges(RequestModel):
    """Any part of a template. The provider computes base and liquid amount if they are not sent."""

    emitter_id: Identity | None = None
    name: Annotated[Words, required_text()] | None = None
    service_amount: Annotated[str, decimal(16)] | None = None
    calculation_base: Annotated[str, decimal(16)] | None = None
    nfse_liquid_amount: Annotated[str, decimal(16)] | None = None
    deduction_percentage: Annotated[str, decimal(5)] | None = None
    retained_iss: bool | None = None
    iss_percentage: Annotated[str, decimal(5)] | None = None
    pis_percentage: Annotated[str, decimal(5)] | None = None
    cofins_percentage: Annotated[str, decimal(5)] | None = None
    inss_percentage: Annotated[str, decimal(5)] | None = None
    ir_percentage: Annotated[str, decimal(5)] | None = None
    csll_percentage: Annotated[str, decimal(5)] | None = None
    discount_conditioning_percentage: Annotated[str, decimal(5)] | None = None
    unconditioned_discount_percentage: Annotated[str, decimal(5)] | None = None
    other_retentions_percentage: Annotated[str, decimal(5)] | None = None
    retained_iss_percentage: Annotated[str, decimal(5)] | None = None
    service_item_code: Annotated[Words, optional_text(5)] | None = None
    city_tax_code: Annotated[Words, optional_text(20)] | None = None
    cnae_code: Code | None = None
    description: Words | None = None
    city_code: Code | None = None
    tax_burden_amount: Annotated[str, decimal(15)] | None = None
    tax_burden_percentage: Annotated[str, decimal(5)] | None = None
    tax_burden_source: Annotated[Words, optional_text(10)] | None = None
    inss_limit: Annotated[str, decimal(15)] | None = None
    ir_limit: Annotated[str, decimal(15)] | None = None
    retained_iss_limit: Annotated[str, decimal(15)] | None = None
    pcc_limit: Annotated[str, decimal(15)] | None = None
    highlight_retentions: tuple[Retention, ...] | None = None


class TemplateDraft(TemplateChanges):
    """A whole template. A note that lacks a value gets it from its template."""

    emitter_id: Identity
    name: Annotated[Words, required_text()]


class ServiceValueCalls(RecordCalls[Template, TemplateDraft, TemplateChanges]):
    """Calls about templates. The pipeline only reads them: a typing error must not create master data."""

    def __init__(self, session: HttpSession) -> None:
        super().__init__(session, _PATH, Template.model_validate, names=("emitter_id", "name"))

    async def all(self, *, emitter_id: int | None = None, name: str | None = None) -> list[Template]:
        """Return all templates, or those that match the filters; the provider may ignore the filters [A 1.14]."""
        return await self._collect_matching(emitter_id=emitter_id, name=name)

    async def find(self, emitter_id: int, name: str) -> list[Template]:
        """Return the emitter's templates of exactly this name."""
        found = await self.all(emitter_id=emitter_id, name=name)
        return [template for template in found if (template.emitter_id, template.name) == (emitter_id, name)]

    async def calculate(self, template_id: int, service_cents: int) -> int:
        """Return the liquid amount in cents that the provider computes for this template. Changes nothing there."""
        body = json.dumps({"service_amount": money.to_wire(service_cents)}).encode()
        path = f"{_PATH}/{template_id}/calculation-liquid-amount"
        return understand(await self._session.read("POST", path, body=body), _liquid_cents)


def _liquid_cents(data: Any) -> int:
    return money.from_wire(read_object(data)["liquid_amount"])
