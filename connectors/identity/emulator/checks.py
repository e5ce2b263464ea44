"""Check requests of the identity service: a 400 names the wrong fields, or describes the fault."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from connectors.emulation.field_tables import Table, check
from connectors.emulation.instants import BRASILIA
from connectors.emulation.messages import Call, Form, Json, Refusal

_FLAGS: Final[Mapping[str, bool]] = {"true": True, "1": True, "false": False, "0": False}


def checked_body(table: Table, call: Call) -> Json:
    """Return the body checked against its table, with `expiration` in its answer form. Refuse a wrong body (400)."""
    if not isinstance(call.body, dict):
        raise Refusal(400, {"errors": ["O corpo deve ser um objeto JSON."]})
    body = call.body
    if isinstance(body, Form):
        lists = {name for name, field in table.fields.items() if field.type == "array"}
        body = {name: [value] if name in lists and isinstance(value, str) else value for name, value in body.items()}
    clean, errors = check(table, body, skip=("expiration",))
    for name, value in clean.items():
        if table.fields[name].type == "array" and not all(isinstance(item, str) and item for item in value):
            errors.setdefault(name, ["Informe uma lista de textos."])
    if call.body.get("expiration") not in (None, "") and "expiration" in table.fields:
        clean["expiration"] = _instant(call.body["expiration"])
        if clean["expiration"] is None:
            errors["expiration"] = ["Informe uma data válida."]
    if errors:
        raise Refusal(400, {"field_errors": errors})
    return clean


def query_since(call: Call, name: str, default: str) -> str:
    """Return a date or instant of the query as stored instants are written, else `default`. Refuse others (400)."""
    text = call.query.get(name)
    found = default if text is None else _instant(text)
    if found is None:
        raise Refusal(400, {"field_errors": {name: ["Informe uma data válida."]}})
    return found


def flag(call: Call, name: str) -> bool:
    """Return a flag of the query, False if missing. Refuse all values but true, false, 1 and 0 (400)."""
    found = _FLAGS.get(call.query.get(name, "false").lower())
    if found is None:
        raise Refusal(400, {"field_errors": {name: ["Informe true ou false."]}})
    return found


def _instant(value: Any) -> str | None:
    """Return an instant as `YYYY-MM-DD HH:MM:SS`, a date as its first second, None for anything else."""
    try:
        found = datetime.fromisoformat(value)
        here = found.astimezone(BRASILIA).replace(tzinfo=None) if found.tzinfo else found
    except (ValueError, TypeError, OverflowError):
        return None
    return here.isoformat(" ", "seconds")
