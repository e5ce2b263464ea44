"""What the sandbox asks of a further twin that works beside the first one, on the same store, faults and clock."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from connectors.twins.answers import Json
from connectors.twins.faults import Faults
from connectors.twins.store import Store
from connectors.twins.trouble import Trouble


@dataclass(frozen=True, slots=True)
class Premises:
    """What all twins of one sandbox share. `now` in seconds since 1970, `latency_ms` by which answers come late."""

    store: Store
    faults: Faults
    trouble: Trouble
    now: Callable[[], float]
    latency_ms: Callable[[], float]


class Branch(Protocol):
    """A twin as the sandbox steers it.

    `switch_prefix` begins the names of its switches, `acts` are the acts of a person that it knows.
    """

    @property
    def switch_prefix(self) -> str: ...
    @property
    def acts(self) -> tuple[str, ...]: ...
    @property
    def desk(self) -> ASGIApp: ...

    def serves(self, path: str) -> bool:
        """Whether a request to this path is this twin's."""
        ...

    def seed(self, company: Json) -> None:
        """Put its part of a company into the store, which is empty."""
        ...

    def reload(self) -> None:
        """Read again what the store holds."""
        ...

    def advance(self) -> None:
        """Let everything happen that is due by now."""
        ...

    def switches(self) -> Json: ...

    def switch(self, changes: Json) -> Json:
        """Change switches of its own; raises `ValueError` in words."""
        ...

    def act(self, asked: Json) -> Json:
        """One of `acts`; raises `ValueError` in words."""
        ...

    def record(self) -> Json:
        """Its part of the record, under keys of its own."""
        ...


def dispatch(branches: tuple[Branch, ...], otherwise: ASGIApp) -> ASGIApp:
    """An application that hands each request to the branch that serves its path."""

    async def front(scope: Scope, receive: Receive, send: Send) -> None:
        desk = next((branch.desk for branch in branches if branch.serves(scope["path"])), otherwise)
        await desk(scope, receive, send)

    return front
