"""Tell the provider's own error answers from those of other machines.

A proxy, a firewall or a load balancer may answer instead of the provider: with an HTML page, a login form, or JSON of
another shape. Such an answer proves nothing about the provider's state. A dialect lists, for each status, the known
body shapes of one system. `connectors.http.error_classification` trusts an error status only with such a body.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from connectors.http.calls import Response

Shape = Callable[[Response], bool]
_NOT_FOUND: Final = frozenset({"Not found", "Not found."})


@dataclass(frozen=True, slots=True)
class Dialect:
    """The error bodies of one system.

    `shapes` are the known shapes by status; `otherwise` are those of every other status from 400 to 499.
    """

    shapes: Mapping[int, tuple[Shape, ...]]
    otherwise: tuple[Shape, ...] = ()

    def is_own(self, answer: Response) -> bool:
        """Return whether the provider itself wrote this answer. False for any status outside 400 to 499."""
        if not 400 <= answer.status < 500:
            return False
        shapes = self.shapes.get(answer.status, self.otherwise)
        return any(is_of_shape(answer) for is_of_shape in shapes)


def is_detail(answer: Response) -> bool:
    """Return whether the body is `{"detail": "some words"}` with no other key."""
    return _is_object(answer) and answer.data.keys() == {"detail"} and isinstance(answer.data["detail"], str)


def not_found(answer: Response) -> bool:
    """Return whether the body is exactly `{"detail": "Not found"}` [A notes 1.17].

    Other frameworks write `Not Found`.
    """
    return is_detail(answer) and answer.data["detail"] in _NOT_FOUND


def has_field_messages(answer: Response) -> bool:
    """Return whether the body maps fields to lists of messages, perhaps nested [A notes 1.15].

    Nested messages are in objects or lists of objects.
    """
    return _is_object(answer) and bool(answer.data) and _holds_messages(answer.data)


def has_listed_errors(answer: Response) -> bool:
    """Return whether the body has only `errors` (list, object or text) and perhaps `error_details` [A 2.8]."""
    if not _is_object(answer) or not answer.data.get("errors") or answer.data.keys() - {"errors", "error_details"}:
        return False
    errors = answer.data["errors"]
    return isinstance(errors, str) or _is_messages(errors)


def has_keyed_messages(answer: Response) -> bool:
    """Return whether the body has `field_errors`, `errors` or both, and no other key."""
    return has_field_messages(answer) and answer.data.keys() <= {"field_errors", "errors"}


def is_bare_text(answer: Response) -> bool:
    """Return whether the body is a JSON string that is not empty."""
    return answer.is_json and answer.media == "application/json" and isinstance(answer.data, str) and bool(answer.data)


def is_empty_json(answer: Response) -> bool:
    """Return whether the body is empty and has a JSON content type."""
    return answer.size == 0 and answer.media == "application/json"


def is_empty_page(answer: Response) -> bool:
    """Return whether the body is empty and has an HTML content type."""
    return answer.size == 0 and answer.media == "text/html"


def is_missing_document(answer: Response) -> bool:
    """Return whether the answer is the empty HTML page that means: no printable note, XML or PDF [A notes 1.10]."""
    return answer.call.has_bare_404 and is_empty_page(answer)


def is_missing_page(answer: Response) -> bool:
    """Return whether the answer is `{"detail": …}` that names the page of a list as missing [A 4.4].

    A text with "found" does not count: gateways write "page not found", and the list would end too early.
    """
    if not answer.call.is_page or not is_detail(answer):
        return False
    words = answer.data["detail"].lower()
    return ("page" in words or "página" in words) and "found" not in words


def _is_object(answer: Response) -> bool:
    return answer.is_json and answer.media == "application/json" and isinstance(answer.data, dict)


def _holds_messages(data: Mapping[str, Any]) -> bool:
    return all(_is_messages(value) for value in data.values())


def _is_messages(value: Any) -> bool:
    """Return whether this is a list of texts or message objects, or one such object.

    A bare text does not count: it is a gateway's `message`.
    """
    if isinstance(value, dict):
        return bool(value) and _holds_messages(value)
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, str) or (isinstance(item, dict) and _holds_messages(item)) for item in value)


DEFAULT: Final = Dialect(
    {
        400: (has_field_messages,),
        404: (not_found, is_missing_document),
        406: (has_field_messages,),
        409: (has_field_messages, is_detail),
        422: (has_field_messages,),
    },
    otherwise=(is_detail,),
)
"""The error bodies of the service-invoice API [A notes 1.15, 1.17], a session's dialect until a client sets another."""
