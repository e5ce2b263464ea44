"""The errors of one request, by what the caller may do next. Operators read these names.

A gateway's page instead of an answer is `Broken` or `Doubtful`, whatever its status: see
`connectors.http.error_bodies`.

```
FaturistaError
└── ConnectorError
    ├── Unreachable    proved: no byte was written             retry: yes
    │   ├── TooLate    not sent, the lease would end first     retry: by the next owner of the lease
    │   └── Resting    not sent, requests are paused           retry: after the pause
    │       └── NoFreeSlot not sent, others use the limit      retry: later
    ├── Busy           429; on reads 503 with Retry-After      retry: yes, after a limited wait
    ├── Broken         a read without the provider's answer    retry: yes
    ├── Doubtful       a write with an unknown outcome         retry: NEVER; look it up
    ├── Refused        400, 406, 422 about the content         retry: no, it becomes Problems
    │   ├── NotFound   404 where that is an answer
    │   └── Conflict   409 where that is an answer
    ├── Disturbed      somebody else changed the state         retry: no, a person decides
    ├── Denied         401, 403                                retry: no, stop everything
    └── Unreadable     a read's answer is not as documented    retry: no
        └── PartlyUnreadable   so are some items of a list     retry: no, the others may be used
```
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from connectors.http.wire_trace import NOTHING_SENT, Wire
from domain.problems import FaturistaError, Problem

_NO_MESSAGES: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


class ConnectorError(FaturistaError):
    """A request without the expected answer.

    Attributes:
        call: Method and path, without the query, which may hold a CPF.
        keys: The top-level keys of the error body.
        messages: The provider's messages by dotted field, with documents and addresses masked.
        remote_id: The id of a resource that the provider created although its answer is wrong.
        retry_after: The wait in seconds that the provider asks for.
        detail: A short description of the failure.
        problems: The problems of a request that was not sent.
    """

    code: ClassVar[str] = "provider.failed"

    def __init__(
        self,
        call: str,
        *,
        status: int | None = None,
        messages: Mapping[str, Sequence[str]] = _NO_MESSAGES,
        keys: tuple[str, ...] = (),
        wire: Wire = NOTHING_SENT,
        detail: str = "",
        remote_id: int | None = None,
        retry_after: float | None = None,
        problems: Sequence[Problem] = (),
    ) -> None:
        # The catalogue's sentence ends with a full stop, and a provider's message often has one, too.
        facts = (part for part in (call, str(status or ""), detail.strip().rstrip(".")) if part)
        super().__init__(Problem(self.code, params={"call": call, "facts": ", ".join(facts)}), *problems)
        self.call = call
        self.status = status
        self.keys = keys
        self.messages = messages
        self.wire = wire
        self.detail = detail
        self.remote_id = remote_id
        self.retry_after = retry_after


class Unreachable(ConnectorError):
    """The transport proves that no byte of the request was written: it may be sent again."""

    code = "provider.unreachable"


class TooLate(Unreachable):
    """Not sent on purpose: the answer might come after the end of the lease."""

    code = "provider.too_late"


class Resting(Unreachable):
    """Not sent on purpose: requests are paused for `retry_after`, after failures or on the provider's request."""

    code = "provider.resting"


class NoFreeSlot(Resting):
    """Not sent on purpose: other processes kept all request slots of this account busy for too long."""

    code = "provider.crowded"


class Busy(ConnectorError):
    """The provider asks us to wait before the next try; it did nothing."""

    code = "provider.busy"


class Broken(ConnectorError):
    """A read without an answer, with a 5xx, or with an answer from another machine."""

    code = "provider.broken"


class Doubtful(ConnectorError):
    """A write that may or may not have happened. Look it up.

    Never send it again, because it could issue a second invoice.
    """

    code = "provider.doubtful"


class Refused(ConnectorError):
    """The provider refuses the content; `messages` say why, by field."""

    code = "provider.refused"


class NotFound(Refused):
    """A 404 that answers the question: the resource does not exist."""

    code = "provider.not_found"


class Conflict(Refused):
    """A 409 that answers the question: the resource exists already."""

    code = "provider.conflict"


class Disturbed(ConnectorError):
    """Somebody else changed the batch, emitter, template or numbers."""

    code = "provider.disturbed"


class Denied(ConnectorError):
    """The provider does not accept the token: no worker can continue."""

    code = "provider.denied"


class Unreadable(ConnectorError):
    """A read's answer differs from the provider's document."""

    code = "provider.unreadable"


class PartlyUnreadable(Unreadable):
    """Some items of a list differ from the provider's document.

    Each of them may be any item, so that the list proves no absence. `items` are the readable ones; a listing by pages
    yielded them before it raised this. `unread_ids` are the ids of the others, `?` for one without a usable id.
    """

    def __init__(self, call: str, *, items: Sequence[Any], unread_ids: Sequence[str], **facts: Any) -> None:
        super().__init__(call, **facts)
        self.items = tuple(items)
        self.unread_ids = tuple(unread_ids)
