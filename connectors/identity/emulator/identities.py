"""The accounts of a user, and the creation of another account."""

import uuid
from collections.abc import Iterator, Mapping

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Refusal, Response
from connectors.identity.emulator import checks
from connectors.identity.emulator.accounts import account_address, common_parts
from connectors.identity.emulator.registry import Registry


def handlers(registry: Registry) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    identities = Identities(registry)
    return {"identities.accounts": identities.accounts, "identities.add_account": identities.add_account}


class Identities:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def accounts(self, call: Call) -> Response:
        """List the user's accounts; on request also expired ones and other services' (name and uuid only) [A 4.7]."""
        identity = self._require_identity(call)
        with_expired, with_others = (
            checks.flag(call, name) for name in ("include_expired_accounts", "include_other_services")
        )
        own = [
            (row, roles)
            for row, roles in self._memberships(identity)
            if row["service"] == self._registry.caller
            and (with_expired or not self._registry.is_expired(row))
            and call.query.get("role", roles[0]) in roles
        ]
        listed = [self._answer_json(call, identity, row, roles) for row, roles in own]
        if with_others:
            listed += self._others(identity, {row["account"] for row, _ in own})
        return Response(200, listed)

    def add_account(self, call: Call) -> Response:
        identity = self._require_identity(call)
        body = checks.checked_body(self._registry.tables["new_account"], call)
        if not body.get("uuid") and not body.get("name"):
            raise Refusal(400, {"errors": ["Informe name ou uuid."]})
        account = body.get("uuid") or self._create_account(identity, body["name"])
        if body.get("uuid"):
            self._check_joining(identity, account)
        by = f"{call.base}/applications/{self._registry.caller}/"
        found = self._registry.subscribe(account, self._registry.caller, body, by)
        roles = self._registry.roles(found["id"], identity) or []
        roles = self._registry.put_member(found["id"], identity, list(dict.fromkeys(["owner", *roles])))
        shown = self._answer_json(call, identity, found, roles)
        return Response(201, shown, {"Location": shown["url"]}, subject=f"account {account}")

    def _check_joining(self, identity: str, account: str) -> None:
        """Refuse an account that is active in this service, or that the user owns in no service."""
        owned = [row for row, roles in self._memberships(identity) if row["account"] == account and "owner" in roles]
        here = self._registry.subscription(account, self._registry.caller)
        if here is not None and not self._registry.is_expired(here):
            raise _has_account_already()
        if not owned:
            raise Refusal(400, {"errors": ["O usuário não é responsável por esta conta."]})

    def _create_account(self, identity: str, name: str) -> str:
        """Create an account of this name and return its uuid. Refuse an owner of an active account in this service."""
        for row, roles in self._memberships(identity):
            if row["service"] == self._registry.caller and "owner" in roles and not self._registry.is_expired(row):
                raise _has_account_already()
        return new_account(self._registry, name)

    def _require_identity(self, call: Call) -> str:
        if self._registry.user(call.uuid()) is None:
            raise Refusal(404, "Usuário não encontrado.")
        return call.uuid()

    def _memberships(self, identity: str) -> Iterator[tuple[Json, list[str]]]:
        rows = self._registry.store.records(
            "SELECT identity_subscriptions.* FROM identity_subscriptions JOIN identity_members"
            " ON subscription = identity_subscriptions.id WHERE identity = ? ORDER BY identity_subscriptions.id",
            (identity,),
        )
        for row in rows:
            yield row, self._registry.roles(row["id"], identity) or ["user"]

    def _others(self, identity: str, listed: set[str]) -> Iterator[Json]:
        """Yield the user's accounts in other services that are not listed yet, each once."""
        for row, _ in self._memberships(identity):
            if row["service"] != self._registry.caller and row["account"] not in listed:
                listed.add(row["account"])
                name = self._registry.account_name(row["account"])
                yield {"account_data": {"name": name, "uuid": row["account"]}}

    def _answer_json(self, call: Call, identity: str, row: Json, roles: list[str]) -> Json:
        address = f"{account_address(call, row['account'])}members/{identity}/"
        parts = common_parts(self._registry, call, row)
        return self._registry.shaped("membership", {**row, **parts, "roles": roles, "membership_details_url": address})


def new_account(registry: Registry, name: str) -> str:
    """Create an account with this name. Return its uuid, which is the same in every run."""
    count = registry.store.one("SELECT COUNT(*) FROM identity_accounts")[0]
    made = str(uuid.uuid5(uuid.NAMESPACE_OID, f"faturista sandbox further account {count}"))
    registry.store.run("INSERT INTO identity_accounts (uuid, name) VALUES (?, ?)", (made, name))
    return made


def _has_account_already() -> Refusal:
    return Refusal(409, "O usuário já tem uma conta ativa nesta aplicação.")
