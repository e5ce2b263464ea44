"""The shared state of this emulator: the store, the documented tables, the switches, the clock."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from connectors.emulation.clock import Clock
from connectors.emulation.faults import Faults
from connectors.emulation.field_tables import Table, load_tables
from connectors.emulation.messages import Json
from connectors.emulation.resource_table import ResourceTable
from connectors.emulation.state_file import Store
from connectors.nfse.emulator.switches import DEFAULTS, checked
from connectors.nfse.emulator.webhook_queue import SCHEMA as OUTBOX_SCHEMA
from connectors.nfse.emulator.webhook_queue import Outbox

FIELDS_FILE: Final = Path(__file__).parent.parent / "fields.toml"

EMITTER_KEYS: Final = {"cnpj": "TEXT", "social_reason": "TEXT"}
TEMPLATE_KEYS: Final = {"emitter_id": "INTEGER", "name": "TEXT"}
TAKER_KEYS: Final = {"cpf": "TEXT", "cnpj": "TEXT", "social_reason": "TEXT"}

SCHEMA: Final = (
    ResourceTable.schema("emitters", EMITTER_KEYS)
    + ResourceTable.schema("templates", TEMPLATE_KEYS)
    + ResourceTable.schema("takers", TAKER_KEYS)
    + OUTBOX_SCHEMA
    + """
CREATE TABLE IF NOT EXISTS batches (
    id INTEGER PRIMARY KEY, emitter_id INTEGER NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL,
    created_at REAL NOT NULL, sent_at REAL);
CREATE INDEX IF NOT EXISTS batches_by_name ON batches (name);
CREATE TABLE IF NOT EXISTS batch_history (
    id INTEGER PRIMARY KEY, batch_id INTEGER NOT NULL, from_status TEXT, to_status TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS batch_history_by_batch ON batch_history (batch_id);
-- asked_batch_id: what the request said, also where the switch `batch_id` ignores it
-- ending: where the note is going (done | cancelled, or in JSON the reasons for which it will be rejected)
-- due_at, looks: when it moves on
CREATE TABLE IF NOT EXISTS notes (
    id INTEGER PRIMARY KEY, emitter_id INTEGER NOT NULL, batch_id INTEGER, asked_batch_id INTEGER,
    serie TEXT, number INTEGER, status TEXT NOT NULL, is_complete INTEGER NOT NULL, digest TEXT NOT NULL,
    taker_id INTEGER, taker TEXT, service_values TEXT NOT NULL, body TEXT NOT NULL,
    created_at REAL NOT NULL, sent_at REAL, due_at REAL, final_at REAL, looks INTEGER NOT NULL DEFAULT 0,
    ending TEXT NOT NULL DEFAULT 'done', errors TEXT NOT NULL DEFAULT '[]',
    nfse_number TEXT, nfse_key TEXT, deleted_at REAL);
CREATE INDEX IF NOT EXISTS notes_by_rps ON notes (emitter_id, serie, number);
CREATE INDEX IF NOT EXISTS notes_by_batch ON notes (batch_id, status);
CREATE INDEX IF NOT EXISTS notes_deleted ON notes (batch_id, status) WHERE deleted_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS notes_due ON notes (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS note_history (
    id INTEGER PRIMARY KEY, note_id INTEGER NOT NULL, from_status TEXT, to_status TEXT NOT NULL,
    at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS note_history_by_note ON note_history (note_id);
"""
)


@dataclass(frozen=True)
class City:
    """A city where notes can be issued: its code and its variant of the note."""

    code: int
    name: str
    state: str
    rules: Mapping[str, Any]
    defaults: Mapping[str, Any]


# Defaults by city [A notes 1.22]
_CITY_FACTS: Final[Mapping[str, tuple[int, str, str, Json]]] = {
    "rio_de_janeiro": (
        3304557,
        "Rio de Janeiro",
        "RJ",
        {"rps_type": 1, "rps_situation": 1, "operation_nature": 1, "special_regime": None},
    ),
    "sao_paulo": (
        3550308,
        "São Paulo",
        "SP",
        {"rps_type": "RPS", "rps_situation": "T", "operation_nature": None, "special_regime": None},
    ),
}
_VALUE_TABLES: Final = ("service_value", "nfse_service_values_city", "nfse_service_values")
RIO: Final = 3304557
SAO_PAULO: Final = 3550308
_LONGEST_QUOTA: Final = 18


class EmulatorState:
    """One account at the provider. `now` is its clock, in seconds since 1970."""

    def __init__(self, store: Store, faults: Faults, clock: Clock) -> None:
        self.store, self.faults, self.now = store, faults, clock.now
        self.tables: Mapping[str, Table]
        self.tables, self.document = load_tables(FIELDS_FILE)
        self.emitters = ResourceTable(store, "emitters", EMITTER_KEYS)
        self.templates = ResourceTable(store, "templates", TEMPLATE_KEYS)
        self.takers = ResourceTable(store, "takers", TAKER_KEYS)
        self.outbox = Outbox(store)
        # stored takers and their JSON, for the notes that copy them
        self.taker_texts: dict[int, tuple[Json, str]] = {}
        self.account: Json
        self.switches: Json
        self.reload()

    @cached_property
    def cities(self) -> dict[int, City]:
        return {
            code: City(code, name, state, self.document["cities"][key], defaults)
            for key, (code, name, state, defaults) in _CITY_FACTS.items()
        }

    def city_named(self, name: Any) -> City | None:
        """Return the city with this name, in any spelling."""
        return next((city for city in self.cities.values() if spelled(city.name) == spelled(str(name))), None)

    @cached_property
    def value_table(self) -> Table:
        """Return all fields of `service_values`: the common table, the city variants, a template's percentages."""
        parts = [self.tables[name].fields for name in _VALUE_TABLES]
        fields = {name: field for part in parts for name, field in part.items() if name not in ("emitter_id", "name")}
        return Table(fields, {})

    def emission_count(self) -> int:
        """Count the notes that were ever sent to a city."""
        return int(self.store.one("SELECT COUNT(*) FROM notes WHERE sent_at IS NOT NULL")[0])

    def has_quota(self, more: int) -> bool:
        """Return whether the plan covers `more` notes; a `max_emissions` that is no number covers any."""
        text = str(self.account.get("max_emissions") or "")
        return not (text.isascii() and text.isdigit()) or self.emission_count() + more <= int(text[:_LONGEST_QUOTA])

    def switch(self, changes: Json) -> Json:
        """Change switches. Raises `ValueError` with a sentence for an unknown switch or value."""
        self.switches.update(checked(changes))
        self.store.set_setting("switches", self.switches)
        return self.switches

    def reload(self) -> None:
        """Read the store again, after it was emptied, seeded or rolled back."""
        for table in (self.emitters, self.templates, self.takers):
            table.forget()
        self.outbox.reload()
        self.taker_texts.clear()
        self.account = self.store.setting("account", {})
        self.switches = {**DEFAULTS, **self.store.setting("switches", {})}


def spelled(name: str) -> str:
    """Return a city's name without accents, in small letters: the document itself writes "Sao Paulo"."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(sign))
