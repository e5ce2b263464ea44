"""The endpoint that activates a service for a user. Only the order service may call it."""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Refusal, Response
from connectors.identity.emulator import checks
from connectors.identity.emulator.accounts import account_record
from connectors.identity.emulator.identities import new_account
from connectors.identity.emulator.registry import Registry

ORDER_SERVICE: Final = "pedidos"
_PLAN: Final = "essencial"


def handlers(registry: Registry) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    return {"activations.activate": Activations(registry).activate}


class Activations:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def activate(self, call: Call) -> Response:
        """Activate the solution: 201 if the account did not have it, else 200 [A 4.8]."""
        if self._registry.caller != ORDER_SERVICE:
            raise Refusal(403, {"detail": "You do not have permission to perform this action."})
        body = checks.checked_body(self._registry.tables["activation"], call)
        self._check(body)
        was = self._find_activation(body)
        account = was["account"] if was else body.get("global_account") or new_account(self._registry, body["slug"])
        values = {"plan_slug": was["plan_slug"] if was else _PLAN, "expiration": body.get("expiration")}
        values |= {name: body[name] for name in ("external_id",) if name in body}
        found = self._registry.subscribe(account, body["slug"], values, f"{call.base}/applications/{ORDER_SERVICE}/")
        if was is None:
            self._registry.put_member(found["id"], body["identity"], ["owner"])
        record = account_record(self._registry, call, found)
        return Response(200 if was else 201, record, subject=f"account {account}")

    def _check(self, body: Json) -> None:
        errors: Json = {}
        service = self._registry.service(body["slug"])
        if service is None or not service["is_active"]:
            errors["slug"] = ["A solução não está ativa."]
        if self._registry.user(body["identity"]) is None:
            errors["identity"] = ["Usuário não encontrado."]
        if "global_account" in body and self._registry.account_name(body["global_account"]) is None:
            errors["global_account"] = ["Conta não encontrada."]
        if errors:
            raise Refusal(400, {"field_errors": errors})
        if not body.get("global_account") and not body.get("external_id"):
            raise Refusal(400, {"errors": ["Informe global_account ou external_id."]})

    def _find_activation(self, body: Json) -> Json | None:
        """Return the activation to extend: the account's, or the one with this external id."""
        if "global_account" in body:
            return self._registry.subscription(body["global_account"], body["slug"])
        rows = self._registry.store.records(
            "SELECT * FROM identity_subscriptions WHERE external_id = ? AND service = ? ORDER BY id LIMIT 1",
            (body["external_id"], body["slug"]),
        )
        return rows[0] if rows else None
