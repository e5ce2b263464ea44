"""Arguments for any call, made from its signature and full of canaries."""

import base64
import dataclasses
import inspect
import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ValidationError

TOKEN: Final = "canary-token-5b1f0c"
PASSWORD: Final = "canary-password-77ae"
CERTIFICATE: Final = base64.b64encode(b"canary certificate, not a real one").decode()
CPF: Final = "99000000191"

BODY: Final[dict[str, Any]] = {
    "cpf": CPF,
    "cpf_cnpj": CPF,
    "token": TOKEN,
    "password": PASSWORD,
    "certificate": CERTIFICATE,
    "csc": PASSWORD,
    "taker": {"cpf": CPF, "social_reason": CPF},
    "dados_gerais": {"csc": PASSWORD, "id_token": TOKEN},
    "cliente": {"cpf_cnpj": CPF},
}
_BY_NAME: Final[Mapping[str, str]] = {
    "certificate": CERTIFICATE,
    "password": PASSWORD,
    "csc": PASSWORD,
    "token": TOKEN,
    "id_token": TOKEN,
    # A part of a path is no personal datum: a uuid, a slug, a serie.
    **dict.fromkeys(("uuid", "account", "account_uuid", "identity"), "5f0c7a52-99a1-4b0e-8c3e-000000000001"),
    **dict.fromkeys(("slug", "plan_slug"), "essencial"),
    "serie": "F",
}
_DEEPEST: Final = 12

HearError = Callable[[str, BaseException], None]


def arguments_for(call: Callable[..., Any], hear: HearError) -> dict[str, Any]:
    """Return keyword arguments that fit the call's annotations; pass errors in making them to `hear`, too."""
    hints = _hints(call)
    parameters = inspect.signature(call).parameters.values()
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    found = {
        each.name: _value(each.name, hints.get(each.name, str), hear, 0)
        for each in parameters
        if each.kind in plain and each.name not in ("not_after", "limit", "first", "ahead", "number")
    }
    if "number" in hints and hints["number"] != Any:
        found["number"] = 1
    return found


def _hints(thing: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(thing)
    except (NameError, TypeError):
        return {}


def _value(name: str, wanted: Any, hear: HearError, depth: int) -> Any:
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is typing.Annotated:
        return _value(name, inner[0], hear, depth)
    if origin is Literal:
        return inner[0]
    if origin in (typing.Union, types.UnionType):
        return _value(name, _likeliest(inner), hear, depth)
    if isinstance(wanted, TypeVar):
        return BODY
    if origin in (list, tuple, frozenset, set) or origin is Iterable:
        made = _value(name, inner[0] if inner else str, hear, depth + 1)
        return {list: list, tuple: tuple, frozenset: frozenset, set: set}.get(origin, list)([made])
    if origin is not None and issubclass(origin, Mapping):
        return BODY
    return _plain(name, wanted, hear, depth)


def _likeliest(choices: tuple[Any, ...]) -> Any:
    """Choose a model rather than a mapping, a mapping rather than a text, anything rather than nothing."""
    some = [choice for choice in choices if choice is not type(None)]
    models = [choice for choice in some if inspect.isclass(choice) and issubclass(choice, BaseModel)]
    mappings = [choice for choice in some if inspect.isclass(typing.get_origin(choice))]
    return (models or mappings or some)[0]


def _plain(name: str, wanted: Any, hear: HearError, depth: int) -> Any:
    simple: dict[Any, Any] = {
        int: 1,
        float: 1.5,
        bool: True,
        bytes: json.dumps(BODY).encode(),
        Decimal: Decimal("1.50"),
        date: date(2026, 11, 20),
        datetime: datetime(2026, 11, 20, tzinfo=UTC),
        Any: BODY,
        dict: BODY,
    }
    if wanted in simple:
        return simple[wanted]
    if wanted is str:
        return _BY_NAME.get(name, CPF)
    if inspect.isclass(wanted) and issubclass(wanted, Enum):
        return next(iter(wanted))
    if inspect.isclass(wanted) and issubclass(wanted, BaseModel) and depth < _DEEPEST:
        return _model(wanted, hear, depth)
    if dataclasses.is_dataclass(wanted) and depth < _DEEPEST:
        hints = _hints(wanted)
        values = {
            each.name: _value(each.name, hints[each.name], hear, depth + 1) for each in dataclasses.fields(wanted)
        }
        make: Any = wanted
        return make(**values)
    return _BY_NAME.get(name, CPF)


def _model(wanted: type[BaseModel], hear: HearError, depth: int) -> Any:
    """Return a request; record the error of an invalid one and build it all the same, to test the rest of the way."""
    values = {name: _value(name, field.annotation, hear, depth + 1) for name, field in wanted.model_fields.items()}
    try:
        return wanted(**values)
    except ValidationError as error:
        hear(f"making {wanted.__name__}", error)
        return wanted.model_construct(**values)
