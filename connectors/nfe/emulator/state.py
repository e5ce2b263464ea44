"""The shared state of this emulator: the store, the field tables of the API document, the switches, the clock."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from connectors.emulation.faults import Faults
from connectors.emulation.field_tables import Table, load_tables
from connectors.emulation.messages import Json, Refusal, not_found
from connectors.emulation.resource_table import ResourceTable
from connectors.emulation.state_file import Store
from connectors.nfe.emulator.switches import DEFAULTS, checked

FIELDS_FILE: Final = Path(__file__).parent.parent / "fields.toml"
_SWITCHES: Final = "product_switches"

ORGANIZATION_KEYS: Final = {"cnpj": "TEXT"}

SCHEMA: Final = (
    ResourceTable.schema("organizations", ORGANIZATION_KEYS)
    + """
-- number: the request's, else the serie's next; due_at, looks: when the tax authority decides; is_unbatched: alone
-- in a batch that did not ask for an answer at once; event: the status that a requested event will bring
CREATE TABLE IF NOT EXISTS product_invoices (
    id INTEGER PRIMARY KEY AUTOINCREMENT, organization_id INTEGER NOT NULL, kind TEXT NOT NULL, serie INTEGER NOT NULL,
    number INTEGER NOT NULL, remote_id TEXT, status TEXT NOT NULL, body TEXT NOT NULL, digest TEXT NOT NULL,
    access_key TEXT NOT NULL, errors TEXT NOT NULL DEFAULT '[]', protocol TEXT, created_at REAL NOT NULL,
    decided_at REAL, due_at REAL, looks INTEGER NOT NULL DEFAULT 0, corrections INTEGER NOT NULL DEFAULT 0,
    is_unbatched INTEGER NOT NULL DEFAULT 0, event TEXT);
CREATE INDEX IF NOT EXISTS product_invoices_by_number ON product_invoices (organization_id, kind, serie, number);
CREATE INDEX IF NOT EXISTS product_invoices_by_remote_id ON product_invoices (remote_id);
CREATE INDEX IF NOT EXISTS product_invoices_by_access_key ON product_invoices (access_key);
CREATE INDEX IF NOT EXISTS product_invoices_by_status ON product_invoices (kind, status);
CREATE INDEX IF NOT EXISTS product_invoices_due ON product_invoices (due_at) WHERE due_at IS NOT NULL;
-- last_number: as given when the serie was created; higher numbers may have been issued since
CREATE TABLE IF NOT EXISTS product_numerations (
    id INTEGER PRIMARY KEY, organization_id INTEGER NOT NULL, serie INTEGER NOT NULL, last_number INTEGER NOT NULL,
    created_at REAL NOT NULL, UNIQUE (organization_id, serie));
CREATE TABLE IF NOT EXISTS product_disablements (
    id INTEGER PRIMARY KEY, organization_id INTEGER NOT NULL, serie INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS product_batches (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, lote INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS product_history (
    id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL, from_status TEXT, to_status TEXT NOT NULL, at REAL NOT NULL);
"""
)


class EmulatorState:
    """The product side of one account at the provider. `clock` returns seconds since 1970."""

    def __init__(self, store: Store, faults: Faults, clock: Callable[[], float]) -> None:
        self.store, self.faults, self.now = store, faults, clock
        tables, self.document = load_tables(FIELDS_FILE)
        self.tables, self.groups = _extend_tables(tables, self.document)
        self.organizations = ResourceTable(store, "organizations", ORGANIZATION_KEYS)
        self.switches: Json
        self.token: str
        self.reload()

    def switch(self, changes: Json) -> Json:
        """Change switches. Raises `ValueError` with a sentence for an unknown switch or value."""
        self.switches.update(checked(changes))
        self.store.set_setting(_SWITCHES, self.switches)
        return self.switches

    def reload(self) -> None:
        """Read the store again, after it was emptied, seeded or rolled back."""
        self.organizations.forget()
        self.switches = {**DEFAULTS, **self.store.setting(_SWITCHES, {})}
        self.token = self.store.setting("product_token", "")

    @property
    def has_extensions(self) -> bool:
        return bool(self.switches["product_extensions"] == "on")

    def require_extensions(self) -> None:
        """Refuse with a 404 if the provider has no extensions."""
        if not self.has_extensions:
            raise not_found()

    def invalid(self, errors: Json) -> Refusal:
        """Return a 422 with all wrong fields, in the form that the switch selects [A 2.8]."""
        listed = [{field: messages} for field, messages in errors.items()]
        texts = [f"{field} {message}" for field, messages in errors.items() for message in messages]
        shapes: dict[str, Any] = {"list": listed, "object": errors, "text": "; ".join(texts), "texts": texts}
        details = [{field: [{"error": "invalid"} for _ in messages]} for field, messages in errors.items()]
        return Refusal(422, {"errors": shapes[self.switches["product_errors"]], "error_details": details})


def _extend_tables(
    read: Mapping[str, Table], document: Mapping[str, Any]
) -> tuple[dict[str, Table], dict[str, dict[str, str]]]:
    """Return tables and groups, each with the rows of the table that it extends."""
    tables: dict[str, Table] = {**read}
    groups: dict[str, dict[str, str]] = {**document["groups"]}
    for name, base in document["extends"].items():
        own = tables.get(name, Table({}, {}))
        tables[name] = Table({**tables[base].fields, **own.fields}, own.answer)
        groups[name] = {**groups.get(base, {}), **groups.get(name, {})}
    return tables, groups
