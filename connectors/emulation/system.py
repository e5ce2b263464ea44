"""The interface between the sandbox and its emulators. They share one store, clock and set of faults."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from connectors.emulation.clock import Clock
from connectors.emulation.dispatcher import Handler, RequestDispatcher, resources
from connectors.emulation.fault_injection import FaultInjector
from connectors.emulation.faults import Faults
from connectors.emulation.messages import Json, Refusal, Response, not_found, unreadable_body
from connectors.emulation.state_file import Store, Window


@dataclass(frozen=True, slots=True)
class SharedParts:
    """The shared parts of one sandbox. `latency_ms` returns the delay of answers."""

    store: Store
    faults: Faults
    trouble: FaultInjector
    clock: Clock
    latency_ms: Callable[[], float]

    def dispatcher(
        self,
        operations: Mapping[str, Json],
        handlers: Mapping[str, Handler],
        *,
        before: Callable[[], None],
        act: Callable[[Json, Response], None],
        admit: Callable[[str], None],
        missing: Callable[[], Refusal] = not_found,
        unreadable: Callable[[], Refusal] = unreadable_body,
        takes_forms: bool = False,
    ) -> RequestDispatcher:
        """Return an emulator's dispatcher.

        `operations` are as in a `fields.toml`, other arguments as in `RequestDispatcher`.
        """
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
class StatusCounts:
    """The counts of one resource by status. `name` and the statuses are keys of the status page's texts."""

    name: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of the status page. `columns` are keys of its texts; a `StatusCounts` in a row becomes a bar."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Overview:
    """The status page's part about an emulator. Making it must take only milliseconds, for any amount of data."""

    tallies: tuple[StatusCounts, ...] = ()
    listings: tuple[Listing, ...] = ()


class Emulator(Protocol):
    """An emulator as the sandbox sees it.

    `schema` creates its tables. `switch_prefix` begins the names of its switches; an empty one takes all names that no
    other emulator claims. `acts` are the names of what a person can do on the provider's website (`act`).
    """

    schema: str

    def __init__(self, shared: SharedParts) -> None: ...
    @property
    def switch_prefix(self) -> str: ...
    @property
    def acts(self) -> tuple[str, ...]: ...
    @property
    def dispatcher(self) -> ASGIApp: ...

    def serves(self, path: str, /) -> bool:
        """Return whether this emulator serves the path. The first emulator that serves a path gets the request."""
        ...

    def company(self) -> Json:
        """Return this emulator's part of the initial data ("company"), under keys of its own."""
        ...

    def seed(self, company: Json) -> None:
        """Store the emulator's part of `company` in an empty store. Raises `ValueError` if the part is malformed."""
        ...

    def reload(self) -> None:
        """Drop what is cached and read the store again, after it was emptied, seeded or restored."""
        ...

    def advance(self) -> None:
        """Change everything whose time has come by the emulator's clock."""
        ...

    @property
    def default_switches(self) -> Json:
        """Return the switches with their default values."""
        ...

    def switches(self) -> Json: ...

    def switch(self, changes: Json) -> Json:
        """Change the emulator's own switches and return them. Raises `ValueError` with a message for people."""
        ...

    def act(self, asked: Json) -> Json:
        """Perform one of `acts`. Raises `ValueError` with a message for people."""
        ...

    def record(self, window: Window, /) -> Json:
        """Return what this emulator stores (objects, counts or sums) as JSON, under keys of its own.

        `window` limits the ids in each list.
        """
        ...

    def overview(self) -> Overview: ...


def advance(emulators: tuple[Emulator, ...]) -> None:
    """Change everything whose time has come in all emulators."""
    for emulator in emulators:
        emulator.advance()


def dispatch(emulators: tuple[Emulator, ...], steering: ASGIApp) -> ASGIApp:
    """Return an application that passes each request to the first emulator that serves its path.

    `steering` answers below `/_sandbox`, a path of no provider.
    """

    async def front(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path.startswith("/_sandbox"):
            await steering(scope, receive, send)
        else:
            await next(emulator.dispatcher for emulator in emulators if emulator.serves(path))(scope, receive, send)

    return front
