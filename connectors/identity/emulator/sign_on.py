"""The user data that an application gets after a sign-on.

The sign-on protocol is not documented. A test gets the data by the control action `sign_on` instead.
"""

from typing import Any, Final

from connectors.emulation.messages import Json
from connectors.identity.emulator.registry import Registry

_HOME: Final = "https://identity.example"


def sign_on(registry: Registry, asked: Any) -> Json:
    """Return the user data record for `{do: sign_on, identity, service, include_expired_accounts}`.

    Raises `ValueError` with a sentence for an unknown user or service.
    """
    identity, service = str(asked.get("identity")), str(asked.get("service", "faturista"))
    user = registry.user(identity)
    if user is None or registry.service(service) is None:
        raise ValueError("this act needs the identity of a user and the slug of a service")
    rows = registry.store.records(
        "SELECT identity_subscriptions.* FROM identity_subscriptions JOIN identity_members"
        " ON subscription = identity_subscriptions.id WHERE identity = ? AND service = ?"
        " ORDER BY identity_subscriptions.id",
        (identity, service),
    )
    entered = [row for row in rows if asked.get("include_expired_accounts") or not registry.is_expired(row)]
    blank = dict.fromkeys(registry.document["user_data"]["answer"])
    return blank | {
        **user,
        "language": "pt-br",
        "timezone": "America/Sao_Paulo",
        "country": "BR",
        "send_platform_news": False,
        "send_partner_news": False,
        "update_info_url": f"{_HOME}/profile/",
        "one_time_password_url": f"{_HOME}/one-time-password/",
        "notifications": {"count": 0, "list": f"{_HOME}/notifications/"},
        "accounts": [_account(registry, row, identity) for row in entered],
        "services": {service: f"{_HOME}/services/{service}/"},
    }


def _account(registry: Registry, row: Json, identity: str) -> Json:
    address = f"{_HOME}/organizations/api/accounts/{row['account']}/"
    account = {
        "uuid": row["account"],
        "name": registry.account_name(row["account"]),
        "roles": registry.roles(row["id"], identity),
        "url": address,
        "notifications": f"{address}notifications/",
    }
    return registry.shaped("user_account", {**row, **account})
