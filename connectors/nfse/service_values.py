"""Service value templates and the provider's own calculation (document 000, Service value)."""

import json
from typing import Any

from connectors.http.calls import understand
from connectors.http.pages import collect
from connectors.http.session import HttpSession
from connectors.nfse.shapes import AnswerModel, read_object
from domain import money


class Template(AnswerModel):
    """A stored template; rates, limits and codes stay in `body` as they came."""

    id: int
    emitter_id: int
    name: str


class ServiceValueCalls:
    """Calls about templates. They are looked up only: a typing error must not create master data."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def find(self, emitter_id: int, name: str) -> list[Template]:
        """The emitter's templates of exactly this name."""
        query: dict[str, str | int] = {"emitter_id": emitter_id, "name": name}
        found = await collect(self._session, "/api/v1/service-values", Template.model_validate, query=query)
        return [template for template in found if (template.emitter_id, template.name) == (emitter_id, name)]

    async def calculate(self, template_id: int, service_cents: int) -> int:
        """The liquid amount in cents that the provider computes for this template. Changes nothing there."""
        body = json.dumps({"service_amount": money.to_wire(service_cents)}).encode()
        path = f"/api/v1/service-values/{template_id}/calculation-liquid-amount"
        return understand(await self._session.read("POST", path, body=body), _liquid_cents)


def _liquid_cents(data: Any) -> int:
    return money.from_wire(read_object(data)["liquid_amount"])
