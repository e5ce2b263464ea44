"""Accounts of the caller's service: list, read, change, and their history."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Refusal, Response
from connectors.emulation.pagination import link_header_page
from connectors.identity.emulator import checks
from connectors.identity.emulator.registry import Registry

_HOME: Final = "/organizations/api"


def handlers(registry: Registry) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    accounts = Accounts(registry)
    return {
        "accounts.list": accounts.find,
        "accounts.read": accounts.read,
        "accounts.change": accounts.change,
        "accounts.history": accounts.history,
    }


class Accounts:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def find(self, call: Call) -> Response:
        """List accounts changed since an instant, by default one month ago; oldest first."""
        since = checks.query_since(call, "updated_since", _month_before(self._registry.now()))
        chosen, where = (self._registry.caller, since), "service = ? AND updated_at >= ?"
        store = self._registry.store
        count = store.one(f"SELECT COUNT(*) FROM identity_subscriptions WHERE {where}", chosen)[0]  # noqa: S608 - ours

        def fetch(limit: int, offset: int) -> list[Json]:
            rows = store.records(
                f"SELECT * FROM identity_subscriptions WHERE {where} ORDER BY id LIMIT ? OFFSET ?",  # noqa: S608 - ours
                (*chosen, limit, offset),
            )
            return [account_record(self._registry, call, row) for row in rows]

        return link_header_page(
            call, count, fetch, missing=lambda: Refusal(404, {"detail": "A lista não tem esta página."})
        )

    def read(self, call: Call) -> Response:
        return self._account_response(call, self._registry.subscription_of(call.uuid()))

    def change(self, call: Call) -> Response:
        """Replace the account's plan and expiration. Erase an omitted expiration. Past dates are allowed."""
        found = self._registry.subscription_of(call.uuid())
        body = checks.checked_body(self._registry.tables["account_change"], call)
        by = f"{call.base}/applications/{self._registry.caller}/"
        return self._account_response(call, self._registry.subscribe(found["account"], found["service"], body, by))

    def history(self, call: Call) -> Response:
        found = self._registry.subscription_of(call.uuid())
        rows = self._registry.store.records(
            "SELECT * FROM identity_history WHERE subscription = ? ORDER BY id", (found["id"],)
        )
        entries = [self._registry.shaped("history", {**row, "solution_slug": found["service"]}) for row in rows]
        return Response(200, entries)

    def _account_response(self, call: Call, subscription: Json) -> Response:
        record = account_record(self._registry, call, subscription)
        is_array = self._registry.switches["identity_account_shape"] == "array"
        return Response(200, [record] if is_array else record, subject=f"account {subscription['account']}")


def account_record(registry: Registry, call: Call, subscription: Json) -> Json:
    """Return an account as the service shows it, with its URLs."""
    address = account_address(call, subscription["account"])
    members = [
        {"membership_details_url": f"{address}members/{identity}/", "identity": identity, "roles": roles}
        for identity, roles in registry.members(subscription["id"])
    ]
    return registry.shaped(
        "account", {**subscription, **common_parts(registry, call, subscription), "members_data": members}
    )


def common_parts(registry: Registry, call: Call, subscription: Json) -> Json:
    """Return the common fields of the records of an account and of a membership."""
    address = account_address(call, subscription["account"])
    service = registry.service(subscription["service"]) or {}
    return {
        "url": address,
        "history_url": f"{address}history/",
        "notifications_url": f"{address}notifications/",
        "add_member_url": f"{address}members/",
        "service_data": {"name": service["name"], "slug": service["slug"]},
        "account_data": {"name": registry.account_name(subscription["account"]), "uuid": subscription["account"]},
    }


def account_address(call: Call, uuid: str) -> str:
    return f"{call.base}{_HOME}/accounts/{uuid}/"


def _month_before(now: str) -> str:
    at = datetime.fromisoformat(now)
    year, month = (at.year, at.month - 1) if at.month > 1 else (at.year - 1, 12)
    return at.replace(year=year, month=month, day=min(at.day, 28)).isoformat(" ", "seconds")
