"""What the sandbox asks of each emulator: all work side by side, on one store, with one clock and one set of faults."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from connectors.emulation.clock import Clock
from connectors.emulation.dispatcher import Handler, RequestDispatcher, resources
from connectors.emulation.fault_injection import Trouble
from connectors.emulation.faults import Faults
from connectors.emulation.messages import Answer, Json, Refusal, not_found, unreadable
from connectors.emulation.state_file import Store, Window


@dataclass(frozen=True, slots=True)
class Premises:
    """What all emulators of one sandbox share. `latency_ms` by which answers come late."""

    store: Store
    faults: Faults
    trouble: Trouble
    clock: Clock
    latency_ms: Callable[[], float]

    def dispatcher(
        self,
        operations: Mapping[str, Json],
        handlers: Mapping[str, Handler],
        *,
        before: Callable[[], None],
        act: Callable[[Json, Answer], None],
        admit: Callable[[str], None],
        missing: Callable[[], Refusal] = not_found,
        unreadable: Callable[[], Refusal] = unreadable,
        takes_forms: bool = False,
    ) -> RequestDispatcher:
        """Return an emulator's dispatcher: `operations` as in a `fields.toml`, the other arguments as it takes them."""
        return RequestDispatcher(
            store=self.store,
            faults=self.faults,
            trouble=self.trouble,
            paths=resources(operations, handlers),
            before=before,
            act=act,
            admit=admit,
            latency_ms=self.latency_ms,
            now=self.clock.now,
            missing=missing,
            unreadable=unreadable,
            takes_forms=takes_forms,
        )


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of a noun there are, by status. `name` is a word for the status page, as are the statuses."""

    name: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """A few rows worth watching: `columns` are words for the status page, a `Tally` in a row is shown as a bar."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Overview:
    """What a person sees of an emulator while rehearsing. Costs milliseconds, however much the emulator holds."""

    tallies: tuple[Tally, ...] = ()
    listings: tuple[Listing, ...] = ()


class Branch(Protocol):
    """An emulator as the sandbox steers it.

    `schema` makes its tables; `switch_prefix` begins the names of its switches (an empty one: all that no other
    branch claims); `acts` are the acts of a person that it knows.
    """

    schema: str

    def __init__(self, premises: Premises) -> None: ...
    @property
    def switch_prefix(self) -> str: ...
    @property
    def acts(self) -> tuple[str, ...]: ...
    @property
    def dispatcher(self) -> ASGIApp: ...

    def serves(self, path: str, /) -> bool:
        """Return whether this emulator serves the path; the first branch that does gets the request."""
        ...

    def company(self) -> Json:
        """Return this emulator's part of a first start's company, under its own keys."""
        ...

    def seed(self, company: Json) -> None:
        """Put its part of a company into the store, which is empty of it. Raises `ValueError` for another shape."""
        ...

    def reload(self) -> None:
        """Read again what the store holds."""
        ...

    def advance(self) -> None:
        """Let everything happen that is due by now."""
        ...

    @property
    def default_switches(self) -> Json:
        """As a first start has them."""
        ...

    def switches(self) -> Json: ...

    def switch(self, changes: Json) -> Json:
        """Change switches of its own; all of its own. Raises `ValueError` in words."""
        ...

    def act(self, asked: Json) -> Json:
        """Carry out one of `acts`. Raises `ValueError` in words."""
        ...

    def record(self, window: Window, /) -> Json:
        """Return this emulator's part of the record, under its own keys; of long lists only what is in the window."""
        ...

    def overview(self) -> Overview: ...


def advance(branches: tuple[Branch, ...]) -> None:
    """Let everything happen everywhere that is due by now."""
    for branch in branches:
        branch.advance()


def dispatch(branches: tuple[Branch, ...], steering: ASGIApp) -> ASGIApp:
    """Return an application that hands each request to the first branch that serves its path.

    Below `/_sandbox`, which no provider has, it is `steering` that answers.
    """

    async def front(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path.startswith("/_sandbox"):
            await steering(scope, receive, send)
        else:
            await next(branch.dispatcher for branch in branches if branch.serves(path))(scope, receive, send)

    return front
