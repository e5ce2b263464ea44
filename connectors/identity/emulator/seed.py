"""Fifty accounts with owners and members, in two services; always the same.

The accounts are those of the order service's sandbox, where they buy their plans. All of it is invented. Account 3 has
expired. Account 7 belongs to another service only. Account 11 has both services, and its owner has an expired account
in the other.
"""

import json
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from connectors.emulation.messages import Json
from connectors.emulation.repeatable_random import fraction
from connectors.identity.emulator.registry import Registry

HERE, ELSEWHERE, CLOSED, ORDERS = "faturista", "agenda", "arquivo", "pedidos"
_SERVICES: Final = (
    {"slug": HERE, "name": "Faturista", "is_active": 1, "token": "sandbox-application", "secret": "sandbox-secret"},
    {"slug": ELSEWHERE, "name": "Agenda", "is_active": 1, "token": "sandbox-agenda", "secret": "sandbox-secret"},
    {"slug": CLOSED, "name": "Arquivo", "is_active": 0, "token": "sandbox-arquivo", "secret": "sandbox-secret"},
    {"slug": ORDERS, "name": "Pedidos", "is_active": 1, "token": "sandbox-orders", "secret": "sandbox-secret"},
)
_ACCOUNTS: Final = 50
_EXPIRED, _ONLY_ELSEWHERE, _IN_BOTH = 3, 7, 11
_USERS: Final = 120
_PLANS: Final = ("essencial", "profissional", "empresarial")
_FIRST: Final = ("Ana", "Bruno", "Clara", "Davi", "Elisa", "Fábio", "Gilda", "Heitor", "Íris", "João", "Lia", "Mauro")
_LAST: Final = ("Prado", "Teles", "Reis", "Moura", "Couto", "Rangel", "Sales", "Dantas", "Nery", "Pires")
_GROUPS: Final = ("Cais", "Boa Vista", "Horizonte", "Ipê", "Serra", "Maré", "Jacarandá", "Aurora", "Palmeira", "Lago")
_BIRTH: Final = datetime(2025, 10, 1, 9)  # noqa: DTZ001 - the service writes São Paulo's time without an offset
_BY: Final = "https://identity.example/applications/faturista/"


def account_uuid(number: int) -> str:
    """Return the uuid of account 0 to 49; the order service's sandbox numbers them the same way."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"faturista sandbox account {number}"))


def user_uuid(number: int) -> str:
    """Return the uuid of user 0 to 119; user n owns account n."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"faturista sandbox user {number}"))


@cache
def default_identity() -> Json:
    """Return the initial services, users, accounts and subscriptions; do not change them in place."""
    return {
        "services": [dict(service) for service in _SERVICES],
        "users": [_user(number) for number in range(_USERS)],
        "accounts": [{"uuid": account_uuid(number), "name": _name(number)} for number in range(_ACCOUNTS)],
        "subscriptions": [row for number in range(_ACCOUNTS) for row in _subscriptions(number)],
    }


def fill(registry: Registry, data: Json) -> None:
    """Store the seed's services, users, accounts and subscriptions in an empty store."""
    store = registry.store
    store.run_many(
        "INSERT INTO identity_services (slug, name, is_active, token, secret) VALUES (?, ?, ?, ?, ?)",
        [tuple(row[name] for name in ("slug", "name", "is_active", "token", "secret")) for row in data["services"]],
    )
    store.run_many(
        "INSERT INTO identity_users (uuid, body) VALUES (?, json(?))",
        [(row["uuid"], _dump_without_uuid(row)) for row in data["users"]],
    )
    store.run_many(
        "INSERT INTO identity_accounts (uuid, name) VALUES (?, ?)",
        [(row["uuid"], row["name"]) for row in data["accounts"]],
    )
    for row in data["subscriptions"]:
        found = registry.subscribe(row["account"], row["service"], row, _BY)
        store.run("UPDATE identity_subscriptions SET updated_at = ? WHERE id = ?", (row["updated_at"], found["id"]))
        store.run("UPDATE identity_history SET created_at = ? WHERE subscription = ?", (row["updated_at"], found["id"]))
        for member in row["members"]:
            registry.put_member(found["id"], member["identity"], member["roles"])


def _user(number: int) -> Json:
    first, last = _FIRST[number % len(_FIRST)], _LAST[(number * 7) % len(_LAST)]
    return {
        "uuid": user_uuid(number),
        "first_name": first,
        "last_name": last,
        "email": f"pessoa{number}@cliente.example",
        "is_active": number % 17 != 16,
    }


def _name(number: int) -> str:
    return f"Grupo {_GROUPS[number % len(_GROUPS)]} {number // len(_GROUPS) + 1}"


def _subscriptions(number: int) -> Iterator[Json]:
    born = _BIRTH + timedelta(days=int(fraction("born", number) * 410), minutes=number)
    ends = born + timedelta(days=365 * (2 if number != _EXPIRED else 0), hours=1)
    members = [{"identity": user_uuid(number), "roles": ["owner"]}]
    for place in range(int(fraction("members", number) * 4)):
        role = "admin" if place == 0 else "user"
        members.append(
            {"identity": user_uuid(_ACCOUNTS + (number * 3 + place) % (_USERS - _ACCOUNTS)), "roles": [role]}
        )
    row: Json = {
        "account": account_uuid(number),
        "service": ELSEWHERE if number == _ONLY_ELSEWHERE else HERE,
        "plan_slug": _PLANS[int(fraction("plan of account", number) * 3)],
        "expiration": None if number % 5 == 0 else ends.isoformat(" ", "seconds"),
        "external_id": f"cliente-{number}" if number % 4 == 0 else None,
        "updated_at": born.isoformat(" ", "seconds"),
        "members": members,
    }
    yield row
    if number == _IN_BOTH:
        gone = (born + timedelta(days=1)).isoformat(" ", "seconds")
        yield {**row, "service": ELSEWHERE, "expiration": gone, "external_id": None, "members": members[:1]}


def _dump_without_uuid(row: Any) -> str:
    return json.dumps({name: value for name, value in row.items() if name != "uuid"}, ensure_ascii=False)
