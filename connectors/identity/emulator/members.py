"""Members of an account and their roles."""

from collections.abc import Mapping

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Refusal, Response
from connectors.identity.emulator import checks
from connectors.identity.emulator.accounts import account_address
from connectors.identity.emulator.registry import Registry


def handlers(registry: Registry) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    members = Members(registry)
    return {
        "members.list": members.find,
        "members.add": members.add,
        "members.read": members.read,
        "members.change": members.change,
        "members.remove": members.remove,
    }


class Members:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def find(self, call: Call) -> Response:
        found = self._account(call)
        address = account_address(call, found["account"])
        listed = [
            {"membership_details_url": f"{address}members/{identity}/", **self._answer_json(identity, roles)}
            for identity, roles in self._registry.members(found["id"])
        ]
        return Response(200, listed)

    def add(self, call: Call) -> Response:
        """Add a member. An unknown user and a member above the limit both answer 404, as documented [A 4.5]."""
        found = self._account(call)
        body = checks.checked_body(self._registry.tables["member"], call)
        present = self._registry.members(found["id"])
        if self._registry.user(body["identity"]) is None:
            raise Refusal(404, "Usuário não encontrado.")
        if any(identity == body["identity"] for identity, _ in present):
            raise Refusal(409, "O usuário já é membro desta conta.")
        if len(present) >= self._registry.switches["identity_member_limit"]:
            raise Refusal(404, "Limite de membros atingido.")
        roles = self._registry.put_member(found["id"], body["identity"], body["roles"])
        status = 201 if self._registry.switches["identity_member_added"] == "created" else 200
        place = f"{account_address(call, found['account'])}members/{body['identity']}/"
        shown = {"membership_details_url": place, **self._answer_json(body["identity"], roles)}
        return Response(status, shown, {"Location": place})

    def read(self, call: Call) -> Response:
        _, identity, roles = self._find(call)
        return Response(200, self._answer_json(identity, roles))

    def change(self, call: Call) -> Response:
        """Change a member's roles. Refuse to remove the owner role from the only owner [A 4.11]."""
        subscription, identity, roles = self._find(call)
        body = checks.checked_body(self._registry.tables["member_change"], call)
        owners = [each for each, theirs in self._registry.members(subscription) if "owner" in theirs]
        if "owner" in roles and "owner" not in body["roles"] and len(owners) == 1:
            raise Refusal(400, {"errors": ["A conta precisa de um responsável."]})
        return Response(
            200, self._answer_json(identity, self._registry.put_member(subscription, identity, body["roles"]))
        )

    def remove(self, call: Call) -> Response:
        subscription, identity, roles = self._find(call)
        if "owner" in roles:
            raise Refusal(406, "O responsável não pode ser removido.")
        self._registry.store.run(
            "DELETE FROM identity_members WHERE subscription = ? AND identity = ?", (subscription, identity)
        )
        return Response(204)

    def _find(self, call: Call) -> tuple[int, str, list[str]]:
        found, identity = self._account(call), call.uuid(1)
        roles = self._registry.roles(found["id"], identity)
        if roles is None:
            raise Refusal(404, "Membro não encontrado.")
        return found["id"], identity, roles

    def _account(self, call: Call) -> Json:
        """Return the account in the path. An expired account has no members [A 4.11]."""
        found = self._registry.subscription_of(call.uuid())
        if self._registry.is_expired(found):
            raise Refusal(404, "A conta não tem relação com esta aplicação.")
        return found

    def _answer_json(self, identity: str, roles: list[str]) -> Json:
        user = self._registry.user(identity) or {}
        return {"roles": roles, "identity": self._registry.shaped("identity", user)}
