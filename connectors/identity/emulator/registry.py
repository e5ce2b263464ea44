"""The shared state of this emulator: users, accounts, and each account's services, members and history.

An account is only a name. Its *subscription* to one service has plan, expiration and members. A company for the control
verb `seed` may have its own data under the key `identity`, in the shape of `connectors.identity.emulator.seed`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from connectors.emulation.field_tables import Table, load_tables
from connectors.emulation.instants import BRASILIA
from connectors.emulation.messages import Json, Refusal
from connectors.emulation.state_file import Store
from connectors.identity.emulator.switches import DEFAULTS, checked

FIELDS_FILE: Final = Path(__file__).parent.parent / "fields.toml"
_SWITCHES: Final = "identity_switches"

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS identity_services (
    slug TEXT PRIMARY KEY, name TEXT NOT NULL, is_active INTEGER NOT NULL, token TEXT NOT NULL, secret TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS identity_users (uuid TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS identity_accounts (uuid TEXT PRIMARY KEY, name TEXT NOT NULL);
-- expiration and updated_at as they are answered, which is also how they compare
CREATE TABLE IF NOT EXISTS identity_subscriptions (
    id INTEGER PRIMARY KEY, account TEXT NOT NULL, service TEXT NOT NULL, plan_slug TEXT NOT NULL, expiration TEXT,
    external_id TEXT, updated_at TEXT NOT NULL, updated_by TEXT NOT NULL, UNIQUE (account, service));
CREATE TABLE IF NOT EXISTS identity_members (
    subscription INTEGER NOT NULL, identity TEXT NOT NULL, roles TEXT NOT NULL, PRIMARY KEY (subscription, identity));
CREATE INDEX IF NOT EXISTS identity_members_by_identity ON identity_members (identity);
CREATE TABLE IF NOT EXISTS identity_history (
    id INTEGER PRIMARY KEY, subscription INTEGER NOT NULL, created_at TEXT NOT NULL, created_by TEXT NOT NULL,
    expiration TEXT, external_id TEXT, plan_slug TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS identity_history_by_subscription ON identity_history (subscription);
"""


class Registry:
    """The shared state. `clock` returns seconds since 1970. `caller` is the service of the requesting application.

    The authentication sets `caller`; a request is admitted and handled without interruption.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store, self._clock = store, clock
        self.tables: Mapping[str, Table]
        self.tables, self.document = load_tables(FIELDS_FILE)
        self.switches: Json
        self.caller = ""
        self.reload()

    def reload(self) -> None:
        """Read the switches from the store again."""
        self.switches = {**DEFAULTS, **self.store.setting(_SWITCHES, {})}

    def switch(self, changes: Json) -> Json:
        """Change switches. Raises `ValueError` with a sentence for an unknown switch or value."""
        self.switches.update(checked(changes))
        self.store.set_setting(_SWITCHES, self.switches)
        return self.switches

    def now(self) -> str:
        """Return the current time as the service writes it: São Paulo's, `YYYY-MM-DD HH:MM:SS`."""
        here = datetime.fromtimestamp(self._clock(), UTC).astimezone(BRASILIA)
        return here.replace(tzinfo=None).isoformat(" ", "seconds")

    def is_expired(self, subscription: Json) -> bool:
        return subscription["expiration"] is not None and subscription["expiration"] <= self.now()

    def service(self, slug: str) -> Json | None:
        return self._first("SELECT * FROM identity_services WHERE slug = ?", (slug,))

    def user(self, uuid: str) -> Json | None:
        row = self.store.one("SELECT body FROM identity_users WHERE uuid = ?", (uuid,))
        return None if row is None else {"uuid": uuid, **json.loads(row[0])}

    def account_name(self, uuid: str) -> str | None:
        row = self.store.one("SELECT name FROM identity_accounts WHERE uuid = ?", (uuid,))
        return None if row is None else row[0]

    def subscription(self, account: str, service: str) -> Json | None:
        return self._first("SELECT * FROM identity_subscriptions WHERE account = ? AND service = ?", (account, service))

    def subscription_of(self, account: str) -> Json:
        """Return the caller's subscription of the account in a path.

        Refuse an unknown account with a 404, another service's with a 403 [A 4.4].
        """
        if self.account_name(account) is None:
            raise Refusal(404, "Conta não encontrada.")
        found = self.subscription(account, self.caller)
        if found is None:
            raise self.forbidden()
        return found

    def forbidden(self) -> Refusal:
        if self.switches["identity_forbidden"] == "html":
            return Refusal(403, None, media="text/html; charset=utf-8")
        return Refusal(403, {"detail": "You do not have permission to perform this action."})

    def members(self, subscription: int) -> list[tuple[str, list[str]]]:
        """Return identity and roles of each member, in the order of joining."""
        rows = self.store.all(
            "SELECT identity, roles FROM identity_members WHERE subscription = ? ORDER BY rowid", (subscription,)
        )
        return [(identity, json.loads(roles)) for identity, roles in rows]

    def roles(self, subscription: int, identity: str) -> list[str] | None:
        """Return a member's roles, or None for a user who is no member."""
        return next((roles for member, roles in self.members(subscription) if member == identity), None)

    def put_member(self, subscription: int, identity: str, roles: Sequence[str]) -> list[str]:
        """Add or change a member; without roles the member gets `user` [A 4.6]."""
        stored = list(roles) or ["user"]
        self.store.run(
            "INSERT INTO identity_members (subscription, identity, roles) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET roles = excluded.roles",
            (subscription, identity, json.dumps(stored)),
        )
        return stored

    def subscribe(self, account: str, service: str, terms: Json, by: str) -> Json:
        """Give an account this service, or change its subscription; add an entry to its history each time.

        `terms` has plan_slug. A missing expiration erases the stored one; a missing external_id keeps it.
        """
        was = self.subscription(account, service) or {}
        external = terms.get("external_id", was.get("external_id"))
        now, values = self.now(), (terms["plan_slug"], terms.get("expiration"), external)
        self.store.run(
            "INSERT INTO identity_subscriptions (plan_slug, expiration, external_id, updated_at, updated_by, account,"
            " service) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (account, service) DO UPDATE SET plan_slug = excluded.plan_slug,"
            " expiration = excluded.expiration, external_id = excluded.external_id, updated_at = excluded.updated_at,"
            " updated_by = excluded.updated_by",
            (*values, now, by, account, service),
        )
        found = self.subscription(account, service)
        assert found is not None
        self.store.run(
            "INSERT INTO identity_history (plan_slug, expiration, external_id, created_at, created_by, subscription)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (*values, now, by, found["id"]),
        )
        return found

    def shaped(self, resource: str, values: Json) -> Json:
        """Return exactly the fields of the table, in its order; a missing value is a bug of this emulator."""
        return {name: values[name] for name in self.document[resource]["answer"]}

    def _first(self, sql: str, values: Sequence[Any]) -> Json | None:
        rows = self.store.records(sql, values)
        return rows[0] if rows else None
