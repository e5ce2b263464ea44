"""The composition root of the issuers: only this module lists all issuers and builds them.

A new issuer of this package needs one `System` here, its own folder and its settings. An issuer of another package
needs no change here: a profile's `systems` names its `System` by module path.
"""

import functools
import importlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from connectors.http.auth import Auth, BasicToken, TokenHeader
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.http.throttle import Throttle
from connectors.nfe import resources as nfe_resources
from connectors.nfe.client import NfeClient
from connectors.nfe.issuing import issuer as nfe
from connectors.nfe.issuing.issuer import NfeIssuer, SecurityCode
from connectors.nfse import resources as nfse_resources
from connectors.nfse import webhooks as nfse_webhooks
from connectors.nfse.client import NfseClient
from connectors.nfse.issuing import issuer as nfse
from connectors.nfse.issuing.issuer import NfseIssuer
from domain.issuing import Capabilities, Hint, Issuer
from domain.problems import Problem, SettingsError
from domain.resources import Resource

NFSE: Final = "nfse"
PRODUCTS: Final = "products"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The access to one system.

    `security_code` returns the secrets that only some invoices need. `options` and `secrets` belong to a system that
    the settings add.
    """

    base_url: str
    token: str = field(repr=False)
    in_flight: int
    request_timeout_s: float
    connect_timeout_s: float
    keepalive_s: float
    read_tries: int
    page_ceiling: int
    lane_size: int = 1
    extensions: bool = True
    security_code: SecurityCode | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    throttle: Throttle | None = None


@dataclass(frozen=True, slots=True)
class System:
    """One API and its issuers, by their names in the ledger."""

    auth: Callable[[str], Auth]
    issuers: Callable[[HttpSession, Connection], Sequence[Issuer]]
    capabilities: Mapping[str, Callable[[bool], Capabilities]]
    resources: Callable[[HttpSession, Connection], Sequence[Resource]] = lambda _session, _connection: ()
    """What people look after there besides invoices."""
    webhooks: "Webhooks | None" = None
    """How its deliveries are read, where it announces changes."""


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The reading of a delivery's parsed body: `is_test` knows the test at registration, `hint` returns the claim."""

    is_test: Callable[[object], bool]
    hint: Callable[[object], Hint | None]


def _service_issuers(session: HttpSession, _connection: Connection) -> Sequence[Issuer]:
    return [NfseIssuer(NfseClient(session))]


def _product_issuers(session: HttpSession, connection: Connection) -> Sequence[Issuer]:
    assert connection.security_code is not None
    client = NfeClient(session, extensions=connection.extensions)
    return [NfeIssuer(client, "nfe", connection.security_code), NfeIssuer(client, "nfce", connection.security_code)]


SYSTEMS: Final[Mapping[str, System]] = {
    NFSE: System(
        BasicToken,
        _service_issuers,
        {nfse.NAME: lambda _extensions: nfse.CAPABILITIES},
        lambda session, _connection: nfse_resources.resources(NfseClient(session)),
        Webhooks(nfse_webhooks.is_test, nfse_webhooks.hint_of),
    ),
    PRODUCTS: System(
        TokenHeader,
        _product_issuers,
        {
            "nfe": lambda extensions: nfe.capabilities("nfe", extensions=extensions),
            "nfce": lambda extensions: nfe.capabilities("nfce", extensions=extensions),
        },
        lambda session, connection: nfe_resources.resources(NfeClient(session, extensions=connection.extensions)),
    ),
}
"""By the name of the settings section, which also names the line of the shared rate limit."""

SYSTEM_OF: Final[Mapping[str, str]] = {name: line for line, system in SYSTEMS.items() for name in system.capabilities}
"""The system of each issuer of this package."""


@dataclass(frozen=True, slots=True)
class Registry:
    """The systems of a profile, by name, and the system of each issuer."""

    systems: Mapping[str, System]
    system_of: Mapping[str, str]

    def capabilities_of(self, issuer: str, *, extensions: bool) -> Capabilities:
        """Return what an issuer can do, without a request."""
        return self.systems[self.system_of[issuer]].capabilities[issuer](extensions)


def registry(added: Mapping[str, str]) -> Registry:
    """Return the systems of this package and the added ones.

    Args:
        added: `package.module:NAME` of a `System`, by the name of the system.

    Raises:
        SettingsError: The path names no system, or the system has the name of another system or issuer.
    """
    return _registry(tuple(sorted(added.items())))


@functools.cache
def _registry(added: tuple[tuple[str, str], ...]) -> Registry:
    systems, system_of = dict(SYSTEMS), dict(SYSTEM_OF)
    for name, path in added:
        system = _load(name, path)
        if name in systems or system.capabilities.keys() & system_of.keys():
            raise SettingsError(Problem("settings.system_twice", params={"key": f"systems.{name}"}))
        systems[name] = system
        system_of |= dict.fromkeys(system.capabilities, name)
    return Registry(systems, system_of)


def _load(name: str, path: str) -> System:
    module, _, attribute = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        found = None
    if not isinstance(found, System):
        raise SettingsError(Problem("settings.no_system", params={"key": f"systems.{name}.module", "path": path}))
    return found


@dataclass(frozen=True, slots=True)
class OpenIssuers:
    """Issuers by name, the sessions they share by system, and what else people look after there, by kind."""

    issuers: Mapping[str, Issuer]
    sessions: Mapping[str, HttpSession]
    resources: Mapping[str, Resource] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        """Return the number of requests sent so far."""
        return sum(session.requests for session in self.sessions.values())


@asynccontextmanager
async def open_issuers(
    connections: Mapping[str, Connection], systems: Mapping[str, System] = SYSTEMS
) -> AsyncIterator[OpenIssuers]:
    """Open a session to each of these systems, with its issuers."""
    async with AsyncExitStack() as stack:
        sessions: dict[str, HttpSession] = {}
        issuers: dict[str, Issuer] = {}
        resources: dict[str, Resource] = {}
        for name, connection in connections.items():
            system = systems[name]
            sessions[name] = await stack.enter_async_context(_session(system, connection))
            issuers |= {each.name: each for each in system.issuers(sessions[name], connection)}
            resources |= {each.kind: each for each in system.resources(sessions[name], connection)}
        yield OpenIssuers(issuers, sessions, resources)


def _session(system: System, connection: Connection) -> HttpSession:
    return HttpSession(
        connection.base_url,
        system.auth(connection.token),
        in_flight=connection.in_flight,
        lane_size=connection.lane_size,
        request_timeout_s=connection.request_timeout_s,
        connect_timeout_s=connection.connect_timeout_s,
        keepalive_s=connection.keepalive_s,
        patience=Patience(tries=connection.read_tries),
        page_ceiling=connection.page_ceiling,
        throttle=connection.throttle,
    )
