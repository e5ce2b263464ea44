"""Webhooks as resources: create, list, read, rename, delete."""

from collections.abc import Mapping

from connectors.emulation.dispatcher import Handler
from connectors.emulation.field_tables import check
from connectors.emulation.instants import at
from connectors.emulation.messages import Call, Json, Response, invalid
from connectors.emulation.pagination import envelope_page
from connectors.nfse.emulator.links import link
from connectors.nfse.emulator.state import EmulatorState
from connectors.nfse.emulator.webhook_loopback import is_address, is_reachable


def handlers(world: EmulatorState) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    webhooks = Webhooks(world)
    return {
        "webhooks.create": webhooks.create,
        "webhooks.list": webhooks.find,
        "webhooks.read": webhooks.read,
        "webhooks.replace": webhooks.rename,
        "webhooks.delete": webhooks.delete,
    }


class Webhooks:
    """Handlers about webhooks. `outbox.tried` has the URLs that the middleware tested for the present request."""

    def __init__(self, world: EmulatorState) -> None:
        self._world, self._table = world, world.tables["webhook"]

    def create(self, call: Call) -> Response:
        clean, errors = check(self._table, call.payload())
        if "url" in clean:
            errors.update(self._faults_of(clean["url"]))
        if errors:
            raise invalid(errors)
        # deliveries name their note by an absolute URL, like every answer
        made = {**clean, "created_at": at(self._world.now()), "base": call.base}
        stored = self._world.outbox.webhooks.add(made)
        self._world.outbox.reload()
        location = {"Location": f"{call.base}/api/v1/webhooks/{stored['id']}"}
        return Response(201, self._answer_json(call, stored), location, f"webhook {stored['id']}")

    def find(self, call: Call) -> Response:
        table = self._world.outbox.webhooks
        return envelope_page(
            call,
            table.count({}),
            lambda limit, offset: [self._answer_json(call, webhook) for webhook in table.find({}, limit, offset)],
        )

    def read(self, call: Call) -> Response:
        return Response(200, self._answer_json(call, self._world.outbox.webhooks.require(call.id)))

    def rename(self, call: Call) -> Response:
        """Change the name; ignore a URL in the request [A notes 1.20]."""
        webhook = self._world.outbox.webhooks.require(call.id)
        clean, errors = check(self._table, call.payload(), required=("name",), skip=("url",))
        if errors:
            raise invalid(errors)
        return Response(200, self._answer_json(call, self._world.outbox.webhooks.replace({**webhook, **clean})))

    def delete(self, call: Call) -> Response:
        """Delete a webhook with its undelivered events."""
        self._world.outbox.webhooks.drop(self._world.outbox.webhooks.require(call.id)["id"])
        self._world.store.run("UPDATE webhook_deliveries SET due_at = NULL WHERE webhook_id = ?", (call.id,))
        self._world.outbox.reload()
        return Response(204)

    def _faults_of(self, url: str) -> dict[str, list[str]]:
        """Return why a URL is refused: it must answer POST and GET with 200 (document 000, Events)."""
        if not is_address(url):
            return {"url": ["Informe uma URL válida."]}
        if not is_reachable(url):
            return {"url": ["O sandbox só entrega avisos nesta máquina (http://127.0.0.1)."]}
        if not self._world.outbox.tried.get(url):
            return {"url": ["A URL deve responder 200 a POST e GET."]}
        return {}

    @staticmethod
    def _answer_json(call: Call, webhook: Json) -> Json:
        address = f"{call.base}/api/v1/webhooks/{webhook['id']}"
        links = [link(address, "GET", "self"), link(address, "PUT", "update"), link(address, "DELETE", "destroy")]
        return {**{name: webhook[name] for name in ("id", "name", "url", "created_at")}, "_links": links}
