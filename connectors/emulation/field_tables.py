"""Check a request against a documented field table from a `fields.toml`.

The result is normalised: decimals become text with the documented places, documented text sent as a number becomes
text, UUIDs small letters. Null counts as absent, and so does an empty text wherever it is no free text. Unknown and
read-only keys are dropped silently, as the providers do.
"""

import dataclasses
import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from connectors.emulation.instants import in_utc
from connectors.emulation.messages import Json

Errors = dict[str, Any]

REQUIRED: Final = "Este campo é obrigatório."
_MOST_DIGITS: Final = 18
"""Limit of an integer without a documented size, so that a database can store it."""
_DECIMAL: Final = re.compile(r"(\d{1,20})(?:\.(\d{1,12}?)0*)?")
_CODE: Final = re.compile(rf"0|[1-9][0-9]{{0,{_MOST_DIGITS - 1}}}")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Field:
    """One row of a documented table; the attributes are the keys of `fields.toml`.

    `max` and `min` count a text's characters, `digits` and `min` an integer's digits. The format `uuid` is
    checked here, any other by an emulator's own checks. `signed` marks a decimal that may be negative;
    `nullable` and `observed` are about answers only.
    """

    name: str
    type: str
    required: bool = False
    required_unless: str | None = None
    max: int | None = None
    min: int | None = None
    digits: int | None = None
    precision: tuple[int, int] | None = None
    default: Any = None
    allowed: tuple[Any, ...] | None = None
    items: tuple[str, ...] | None = None
    fixed: bool = False
    unique: bool = False
    answered: bool = True
    format: str | None = None
    signed: bool = False
    nullable: bool = False
    observed: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The fields of one resource: fields of requests, and fields that only answers have."""

    fields: Mapping[str, Field]
    answer: Mapping[str, Field]
    # computed once: the always required fields, and those required when another is absent
    required: tuple[str, ...] = dataclasses.field(init=False)
    required_unless: tuple[tuple[str, str], ...] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        fields = self.fields.values()
        always = tuple(field.name for field in fields if field.required and field.default is None)
        unless = tuple((field.name, field.required_unless) for field in fields if field.required_unless)
        object.__setattr__(self, "required", always)
        object.__setattr__(self, "required_unless", unless)

    def defaults(self) -> Json:
        """Return every field of an answer with its documented default."""
        return {field.name: field.default for field in self.fields.values() if field.answered}


@cache
def load_tables(path: Path) -> tuple[Mapping[str, Table], Mapping[str, Any]]:
    """Return the tables of a `fields.toml` by resource name, and the whole file's data; read once in a process."""
    whole = tomllib.loads(path.read_text(encoding="utf-8"))
    tables = {
        name: Table(_fields(part.get("fields", {})), _fields(part.get("answer", {})))
        for name, part in whole.items()
        if "fields" in part or "answer" in part
    }
    return tables, whole


def _fields(rows: Mapping[str, Json]) -> dict[str, Field]:
    return {name: _field(name, row) for name, row in rows.items()}


def _field(name: str, row: Json) -> Field:
    frozen: Json = {key: _freeze_value(value) for key, value in row.items()}
    return Field(name=name, **frozen)


def _freeze_value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def check(
    table: Table,
    payload: Mapping[str, Any],
    *,
    required: Collection[str] | None = None,
    skip: Collection[str] = (),
) -> tuple[Json, Errors]:
    """Return the known fields of `payload`, normalised, and the messages about wrong ones.

    `required` replaces the table's own required names; the caller checks the fields in `skip`.
    """
    clean: Json = {}
    errors: Errors = {}
    for name, value in payload.items():
        field = table.fields.get(name)
        if field is None or name in skip or _is_absent(field, value):
            continue
        try:
            clean[name] = _normal(field, value)
        except ValueError as wrong:
            errors[name] = [str(wrong)]
    for name in _required(table, payload) if required is None else required:
        if name not in errors and name not in skip and clean.get(name) in (None, ""):
            errors[name] = [REQUIRED]
    return clean, errors


def _is_absent(field: Field, value: Any) -> bool:
    is_free_text = field.type == "string" and field.format is None and field.allowed is None
    return value is None or (value == "" and not is_free_text)


def _required(table: Table, payload: Mapping[str, Any]) -> list[str]:
    names = list(table.required)
    names += [name for name, other in table.required_unless if payload.get(other) in (None, "")]
    return names


def _normal(field: Field, value: Any) -> Any:
    normal = _READERS[field.type](field, value)
    if field.allowed is not None and normal not in field.allowed:
        raise ValueError(f"Valor não permitido: {normal}.")
    return normal


def _text(field: Field, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("Texto inválido.")
    text = str(value)
    if "\0" in text:
        raise ValueError("Texto inválido.")
    if field.max is not None and len(text) > field.max:
        raise ValueError(f"Certifique-se de que tenha no máximo {field.max} caracteres.")
    if field.min is not None and len(text) < field.min:
        raise ValueError(f"Certifique-se de que tenha no mínimo {field.min} caracteres.")
    return _uuid(text) if field.format == "uuid" else text


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text.lower()):
        raise ValueError("Informe um UUID válido.")
    return text.lower()


def _integer(field: Field, value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("Número inteiro inválido.")
    digits = field.digits or _MOST_DIGITS
    if value >= 10**digits:
        raise ValueError(f"Certifique-se de que tenha no máximo {digits} dígitos.")
    if field.min is not None and value < 10 ** (field.min - 1):
        raise ValueError(f"Certifique-se de que tenha no mínimo {field.min} dígitos.")
    return value


def _number(field: Field, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("Número inválido.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("Número inválido.")
    if field.precision is None:
        # codes "as numbers": text with punctuation is observed traffic, and zeros are kept [A notes 1.27]
        return int(value) if isinstance(value, str) and _CODE.fullmatch(value) else value
    text = value if isinstance(value, str) else repr(value)
    if field.signed and text.startswith("-"):
        found = _decimal(text[1:], *field.precision)
        return f"-{found}" if found.strip("0.") else found
    return _decimal(text, *field.precision)


@lru_cache(maxsize=4096)
def _decimal(text: str, digits: int, places: int) -> str:
    found = _DECIMAL.fullmatch(text)
    if found is None:
        raise ValueError("Número decimal inválido.")
    whole, part = found[1].lstrip("0") or "0", found[2] or ""
    if len(part) > places or len(whole) > digits - places:
        raise ValueError(f"Certifique-se de que tenha no máximo {digits} dígitos e {places} casas decimais.")
    return f"{whole}.{part.ljust(places, '0')}"


def _boolean(_: Field, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise ValueError("Valor booleano inválido.")
    return value


def _date(_: Field, value: Any) -> str:
    try:
        return datetime.fromisoformat(value).date().isoformat()
    except (ValueError, TypeError):
        raise ValueError("Data inválida.") from None


def _instant(_: Field, value: Any) -> str:
    try:
        in_utc(value)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("Data e hora inválidas.") from None
    return str(value)


def _object(_: Field, value: Any) -> Json:
    if not isinstance(value, dict):
        raise ValueError("Objeto inválido.")
    return value


def _array(field: Field, value: Any) -> list[Any]:
    if not isinstance(value, list) or (field.items is not None and any(item not in field.items for item in value)):
        raise ValueError("Lista inválida.")
    return value


_READERS: Final[Mapping[str, Any]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "date-time": _instant,
    "object": _object,
    "array": _array,
}
