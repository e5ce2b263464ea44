"""How one invoice is posted, by kind: what the one posting loop asks of each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from connectors.http.wire import Wire
from domain.states import InvoiceState


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A post that was answered with an id.

    `outcome` is what it came to if all is as meant: `created`, it waits in its batch, or `issued`, it is on its way to
    the tax authority. `difference` names the first field in which the answer is not what was asked; `state` is the
    answered one, None where nobody knows the word; `digest` is of what was answered.
    """

    remote_id: int
    outcome: Literal["created", "issued"]
    state: InvoiceState | None
    http_status: int
    wire: Wire
    digest: str
    difference: str | None


class Postable(Protocol):
    """An invoice, as far as posting asks: `content` is the request as JSON text, `amounts` are cents by wire name."""

    @property
    def id(self) -> int: ...
    @property
    def serie(self) -> str | None: ...
    @property
    def number(self) -> int | None: ...
    @property
    def content(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def amounts(self) -> Mapping[str, int]: ...


class Channel(Protocol):
    """One kind of invoice, one issuer, one batch."""

    @property
    def in_flight(self) -> int:
        """How many posts may be under way at once."""
        ...

    @property
    def answer_s(self) -> float:
        """Seconds that a request may take, clock skew included: none begins later than this before the lease ends."""
        ...

    async def post(self, invoice: Postable, *, not_after: float) -> Receipt:
        """Post it once. Raises `ConnectorError`."""
        ...
