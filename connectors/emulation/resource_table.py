"""Store the resources of one kind as JSON, with indexed columns for searches."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from connectors.emulation.messages import Call, Json, not_found
from connectors.emulation.state_file import Store

_REMEMBERED_CEILING: Final = 2_000


class ResourceTable:
    """Resources in the columns id, body (JSON) and `keys` (name → SQLite type), copied from the body's fields.

    Returned resources are shared: never change one in place.
    """

    def __init__(self, store: Store, table: str, keys: Mapping[str, str]) -> None:
        self._store, self._table, self._keys = store, table, tuple(keys)
        self._remembered: dict[int, Json] = {}

    @staticmethod
    def schema(table: str, keys: Mapping[str, str]) -> str:
        """Return the SQL that creates a table of resources with these key columns."""
        columns = "".join(f", {key} {kind}" for key, kind in keys.items())
        indexes = "".join(f"CREATE INDEX IF NOT EXISTS {table}_{key} ON {table} ({key});" for key in keys)
        head = f"CREATE TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL"
        return f"{head}{columns});{indexes}"

    def add(self, body: Json) -> Json:
        """Store the body. Return it with its new id."""
        marks = ", ?" * len(self._keys)
        names = "".join(f", {key}" for key in self._keys)
        new_id = self._store.run(
            f"INSERT INTO {self._table} (body{names}) VALUES (?{marks})",  # noqa: S608 - names are ours
            [json.dumps(body, ensure_ascii=False), *(body.get(key) for key in self._keys)],
        )
        return {"id": new_id, **body}

    def get(self, resource_id: int) -> Json | None:
        known = self._remembered.get(resource_id)
        if known is not None:
            return known
        row = self._store.one(f"SELECT body FROM {self._table} WHERE id = ?", (resource_id,))  # noqa: S608
        if row is None:
            return None
        if len(self._remembered) >= _REMEMBERED_CEILING:
            self.forget()
        found = self._remembered[resource_id] = {"id": resource_id, **json.loads(row[0])}
        return found

    def forget(self) -> None:
        """Drop the cache, after the store was changed elsewhere."""
        self._remembered.clear()

    def require(self, resource_id: int) -> Json:
        """Return the resource, or refuse with a 404."""
        found = self.get(resource_id)
        if found is None:
            raise not_found()
        return found

    def replace(self, resource: Json) -> Json:
        sets = "".join(f", {key} = ?" for key in self._keys)
        body = {name: value for name, value in resource.items() if name != "id"}
        self._store.run(
            f"UPDATE {self._table} SET body = ?{sets} WHERE id = ?",  # noqa: S608
            [json.dumps(body, ensure_ascii=False), *(body.get(key) for key in self._keys), resource["id"]],
        )
        self._remembered.pop(resource["id"], None)
        return resource

    def drop(self, resource_id: int) -> None:
        self._store.run(f"DELETE FROM {self._table} WHERE id = ?", (resource_id,))  # noqa: S608
        self._remembered.pop(resource_id, None)

    def find(self, filters: Mapping[str, Any], limit: int = -1, offset: int = 0) -> list[Json]:
        """Return resources with exactly these values, never by prefix [A notes 1.21], oldest first."""
        where, values = self._where(filters)
        rows = self._store.all(
            f"SELECT id, body FROM {self._table}{where} ORDER BY id LIMIT ? OFFSET ?",  # noqa: S608
            [*values, limit, offset],
        )
        return [{"id": row[0], **json.loads(row[1])} for row in rows]

    def count(self, filters: Mapping[str, Any]) -> int:
        where, values = self._where(filters)
        return int(self._store.one(f"SELECT COUNT(*) FROM {self._table}{where}", values)[0])  # noqa: S608

    def asked(self, call: Call, names: Sequence[str]) -> dict[str, str]:
        """Return the query parameters whose names are in `names`; ignore others."""
        return {name: call.query[name] for name in names if name in call.query}

    def _where(self, filters: Mapping[str, Any]) -> tuple[str, list[Any]]:
        unknown = set(filters) - set(self._keys)
        if unknown:
            raise ValueError(f"{self._table} is not found by {sorted(unknown)}")
        clause = " AND ".join(f"{name} = ?" for name in filters)
        return (f" WHERE {clause}" if clause else ""), list(filters.values())
