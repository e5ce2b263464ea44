"""Service-value templates and the provider's calculation of a liquid amount."""

from collections.abc import Mapping

from connectors.emulation.dispatcher import Handler
from connectors.emulation.field_tables import check
from connectors.emulation.messages import Call, Json, Response, invalid
from connectors.emulation.pagination import envelope_page
from connectors.nfse.emulator.amounts import with_amounts
from connectors.nfse.emulator.links import instance_links
from connectors.nfse.emulator.state import EmulatorState


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    templates = Templates(world)
    return {
        "service_values.create": templates.create,
        "service_values.list": templates.find,
        "service_values.read": templates.read,
        "service_values.replace": templates.replace,
        "service_values.update": templates.update,
        "service_values.delete": templates.delete,
        "service_values.calculate": templates.calculate,
    }


class Templates:
    """Reusable service values: rates, limits and codes with a name."""

    def __init__(self, world: EmulatorState) -> None:
        self._world, self._table = world, world.tables["service_value"]

    def shown(self, call: Call, template: Json) -> Json:
        """Return the resource; compute missing base and liquid amounts if it has a service amount."""
        body = {**self._table.defaults(), **template}
        if body["service_amount"] is not None:
            computed = with_amounts(body)
            body.update({name: computed[name] for name in ("calculation_base", "nfse_liquid_amount")})
        return {**body, "_links": instance_links(f"{call.base}/api/v1/service-values/{template['id']}")}

    def create(self, call: Call) -> Response:
        stored = self._world.templates.add({**self._table.defaults(), **self._check_fields(call.payload())})
        location = {"Location": f"{call.base}/api/v1/service-values/{stored['id']}"}
        return Response(201, self.shown(call, stored), location)

    def find(self, call: Call) -> Response:
        table = self._world.templates
        filters = table.asked(call, ("emitter_id", "name"))
        return envelope_page(
            call,
            table.count(filters),
            lambda limit, offset: [self.shown(call, t) for t in table.find(filters, limit, offset)],
        )

    def read(self, call: Call) -> Response:
        return Response(200, self.shown(call, self._world.templates.require(call.id)))

    def replace(self, call: Call) -> Response:
        return self._change(call, is_put=True)

    def update(self, call: Call) -> Response:
        return self._change(call, is_put=False)

    def _change(self, call: Call, *, is_put: bool) -> Response:
        template = self._world.templates.require(call.id)
        clean = self._check_fields(call.payload() if is_put else {**template, **call.payload()})
        changed = {**self._table.defaults(), **clean, "id": call.id}
        return Response(200, self.shown(call, self._world.templates.replace(changed)))

    def delete(self, call: Call) -> Response:
        self._world.templates.drop(self._world.templates.require(call.id)["id"])
        return Response(204)

    def calculate(self, call: Call) -> Response:
        template = self._world.templates.require(call.id)
        clean, errors = check(self._world.tables["calculation"], call.payload())
        if errors:
            raise invalid(errors)
        computed = with_amounts({**template, **clean, "calculation_base": None, "nfse_liquid_amount": None})
        return Response(200, {"liquid_amount": computed["nfse_liquid_amount"]})

    def _check_fields(self, payload: Json) -> Json:
        clean, errors = check(self._table, payload)
        if "emitter_id" in clean and self._world.emitters.get(clean["emitter_id"]) is None:
            errors["emitter_id"] = ["Emitente não encontrado."]
        if errors:
            raise invalid(errors)
        return clean
