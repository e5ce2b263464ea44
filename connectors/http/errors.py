"""The errors of one request, sorted by what may be done next. An operator reads these names.

A gateway's page in place of an answer is `Broken` or `Doubtful`, whatever its status: see `connectors.http.dialects`.

```
FaturistaError
└── ConnectorError
    ├── Unreachable    proved: no byte was written             again: yes
    │   ├── TooLate    not begun, the lease would not cover it  again: by the next holder of the lease
    │   └── Resting    not begun, the provider is left alone    again: when it has rested
    ├── Busy           429; on reads 503 with Retry-After       again: yes, after a bounded wait
    ├── Broken         a read that the provider did not answer  again: yes
    ├── Doubtful       a write whose outcome is unknown         again: NEVER; look it up
    ├── Refused        400, 406, 422 about what was sent        no: it becomes Problems
    │   ├── NotFound   404 where that is an answer
    │   └── Conflict   409 where that is an answer
    ├── Disturbed      the provider is not as we left it        no: a person decides
    ├── Denied         401, 403                                 no: stop everything
    └── Unreadable     a read's answer is not the document's    no
```
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final

from connectors.http.wire_trace import NOTHING_SENT, Wire
from domain.problems import FaturistaError, Problem

_NO_MESSAGES: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


class ConnectorError(FaturistaError):
    """A request that did not give what was asked.

    `call` is method and path without the query (which may hold a CPF); `keys` are the top-level keys of the error
    body; `messages` are the provider's words by dotted field, documents and addresses masked; `remote_id` is the id
    of a thing the provider did make although its answer is wrong; `retry_after` is in seconds, where the provider
    asks for a wait; `detail` says in a few words what happened.
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
    ) -> None:
        params = {"call": call, "status": str(status or "-"), "detail": detail}
        super().__init__(Problem(self.code, params=params))
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
    """Not begun on purpose: its answer might have come after the lease had ended."""

    code = "provider.too_late"


class Resting(Unreachable):
    """Not begun on purpose: after repeated failures, or as it asked, the provider is left alone for `retry_after`."""

    code = "provider.resting"


class Busy(ConnectorError):
    """The provider asks us to wait before this is sent again; nothing was done."""

    code = "provider.busy"


class Broken(ConnectorError):
    """A read that got no answer, a 5xx, or words that are not the provider's."""

    code = "provider.broken"


class Doubtful(ConnectorError):
    """A write that may or may not have happened. Sending it again could issue a second invoice: look it up."""

    code = "provider.doubtful"


class Refused(ConnectorError):
    """The provider refuses what was sent; `messages` say why, by field."""

    code = "provider.refused"


class NotFound(Refused):
    """404 where it answers the question: the thing does not exist."""

    code = "provider.not_found"


class Conflict(Refused):
    """409 where it answers the question: the thing exists already."""

    code = "provider.conflict"


class Disturbed(ConnectorError):
    """Something about the batch, emitter, template or numbers is not as we left it."""

    code = "provider.disturbed"


class Denied(ConnectorError):
    """The token is not accepted: nothing more can be done by anyone of us."""

    code = "provider.denied"


class Unreadable(ConnectorError):
    """A read's answer that is not what the provider's document describes."""

    code = "provider.unreadable"
