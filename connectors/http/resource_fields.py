"""Convert texts from a person into requests, and answers into texts, for the `resources.py` of each system.

The client's models check the documented sizes and values. This module converts each text to the type of its field.
"""

import functools
import types
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import AwareDatetime, BaseModel, ValidationError

from connectors.http.field_faults import field_problems
from domain import money
from domain.competence import BRASILIA
from domain.problems import InputError, Problem
from domain.resources import Draft, Path, Record, Values, Write

_YES: Final = frozenset({"true", "sim", "s", "yes", "y", "1"})
_NO: Final = frozenset({"false", "não", "nao", "n", "no", "0"})
_MOST_DIGITS: Final = 19
_NEVER_SHOWN: Final = frozenset({"_links", "token", "certificate", "password", "csc", "id_token"})


def number_of(text: str, name: str) -> int:
    """Return a path part as a number. Raises `InputError` if it is not 1 to 18 digits."""
    if not (text.isascii() and text.isdecimal() and len(text) < _MOST_DIGITS):
        raise InputError(Problem("record.no_number", params={"name": name, "text": text[:40]}))
    return int(text)


@functools.cache
def field_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the names of a model's fields; a dot separates the names of nested fields."""
    return tuple(_field_names(model))


def _field_names(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        nested = _nested_model(field.annotation)
        if nested is None:
            yield f"{prefix}{name}"
        else:
            yield from _field_names(nested, f"{prefix}{name}.")


def draft_of(model: type[BaseModel], values: Values, *, cents: frozenset[str] = frozenset()) -> Draft:
    """Return the request that these texts describe.

    Args:
        model: The client's model of the request.
        values: Texts by field name.
        cents: Fields in cents, which people write as decimals.

    Raises:
        InputError: with a problem for each unknown field and each invalid value.
    """
    known = field_names(model)
    problems = [Problem("record.no_field", params={"name": name[:40]}) for name in values if name not in known]
    if problems:
        raise InputError(Problem("record.unfit", params={"fields_known": ", ".join(known)}), *problems)
    try:
        body = model.model_validate(_body(model, values, cents))
    except ValidationError as error:
        unfit = Problem("record.unfit", params={"fields_known": ", ".join(known)})
        raise InputError(unfit, *field_problems(error)) from None
    return Draft(body, values_of(body.model_dump(exclude_none=True), cents=cents, hidden=frozenset()))


def write_of(
    model: type[BaseModel] | None,
    send: Callable[[Path, Draft], Awaitable[Record | None]],
    *,
    cents: frozenset[str] = frozenset(),
    **more: bool,
) -> Write:
    """Return the write of a request with the model's fields; None: one without a body. `cents`: see `draft_of`."""
    if model is None:
        return Write((), lambda _values: Draft(None, {}), send, **more)
    return Write(field_names(model), lambda values: draft_of(model, values, cents=cents), send, **more)


def _body(model: type[BaseModel], values: Values, cents: frozenset[str], prefix: str = "") -> dict[str, Any]:
    body: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        path, nested = f"{prefix}{name}", _nested_model(field.annotation)
        if nested is not None:
            if any(each.startswith(f"{path}.") for each in values):
                body[name] = _body(nested, values, cents, f"{path}.")
        elif path in values:
            text = values[path].strip()
            body[name] = _cents(text) if path in cents else _parse_as(field.annotation, text)
    return body


def _cents(text: str) -> int | str:
    """Return the cents of `1234.56` or `1234,56`. Return any other text unchanged: the model refuses it."""
    plain = text.replace(",", ".") if "," in text and "." not in text else text
    try:
        return money.from_wire(plain)
    except ValueError:
        return text


def _parse_as(annotation: Any, text: str) -> Any:
    """Return the value in the field's type. Return an unsuitable text unchanged: the model refuses it."""
    kinds = set(_kinds(annotation))
    if tuple in kinds:
        return tuple(part for each in text.split(",") if (part := each.strip()))
    if bool in kinds and text.casefold() in _YES | _NO:
        return text.casefold() in _YES
    if int in kinds and text.isascii() and text.isdecimal() and (str not in kinds or not text.startswith("0")):
        return int(text)
    if str not in kinds and kinds & {date, datetime}:
        return _parse_moment(text, datetime if datetime in kinds else date)
    return text


def _parse_moment(text: str, kind: type[date]) -> Any:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    if kind is datetime:
        return found if found.tzinfo else found.replace(tzinfo=BRASILIA)
    return found.date()


def _kinds(annotation: Any) -> Iterator[type]:
    """Yield the plain types of a field, without optional and annotated wrappers."""
    origin = get_origin(annotation)
    if annotation is AwareDatetime:
        annotation = datetime
    if origin in (Annotated, Union, types.UnionType):
        for part in get_args(annotation)[: 1 if origin is Annotated else None]:
            yield from _kinds(part)
    elif origin is Literal:
        yield from {type(value) for value in get_args(annotation)}
    else:
        found = origin or annotation
        if isinstance(found, type):
            yield found


def _nested_model(annotation: Any) -> type[BaseModel] | None:
    return next((kind for kind in _kinds(annotation) if issubclass(kind, BaseModel)), None)


def values_of(
    answer: Mapping[str, Any], *, cents: frozenset[str] = frozenset(), hidden: frozenset[str] = _NEVER_SHOWN
) -> dict[str, str]:
    """Return the filled fields of an answer as texts, without those in `hidden`.

    Names of nested fields have dots; list items count from 1.
    """
    return dict(_texts(answer, cents, hidden))


def _texts(answer: Mapping[str, Any], cents: frozenset[str], hidden: frozenset[str]) -> Iterator[tuple[str, str]]:
    for name, value in answer.items():
        if name in hidden or value is None:
            continue
        if isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", text) for inner, text in _texts(value, cents, hidden))
        elif isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
            listed = {str(place): each for place, each in enumerate(value, start=1)}
            yield from ((f"{name}.{inner}", text) for inner, text in _texts(listed, cents, hidden))
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value))
        else:
            yield name, _text(value, is_cents=name in cents)


def _text(value: Any, *, is_cents: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_cents and isinstance(value, int):
        return money.to_wire(value)
    if isinstance(value, datetime):
        return f"{value.astimezone(BRASILIA):%Y-%m-%d %H:%M:%S}" if value.tzinfo else f"{value:%Y-%m-%d %H:%M:%S}"
    return value.isoformat() if isinstance(value, date) else str(value)
