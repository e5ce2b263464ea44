"""The composition root of the issuers: only this module lists all issuers and builds them.

A new issuer of this package needs one `System` here, its own folder and its settings. An issuer of another package
needs no change here: a profile's `systems` names its `System` by module path.

A system's connector is imported when somebody asks for one of its issuers: few commands need all of them.
"""

import functools
import importlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from connectors.http.auth import Auth, BasicToken, TokenHeader
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.http.throttle import Throttle
from domain.issuing import Capabilities, Hint, Issuer
from domain.keys import canonical_json, content_digest
from domain.problems import Problem, SettingsError
from domain.resources import Resource

T = TypeVar("T")

NFSE: Final = "nfse"
PRODUCTS: Final = "products"
ProductKind: TypeAlias = Literal["nfe", "nfce"]
_PRODUCT_KINDS: Final[tuple[ProductKind, ...]] = get_args(ProductKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The access to one system.

    `security_code` returns the security code of an NFC-e emitter and the code's id, by CNPJ. Only a system that the
    settings add has `options` and `secrets`.
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
    security_code: Callable[[str], tuple[str, str]] | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    throttle: Throttle | None = None

    @property
    def access(self) -> str:
        """Return a digest of the secrets: another access key may be that of another account."""
        return content_digest(canonical_json({"token": self.token, "secrets": dict(self.secrets)}))


@dataclass(frozen=True, slots=True)
class System:
    """One API and its issuers.

    `capabilities` returns an issuer's capabilities, with or without extensions, by the issuer's name in the ledger.
    """

    auth: Callable[[str], Auth]
    issuers: Callable[[HttpSession, Connection], Sequence[Issuer]]
    capabilities: Mapping[str, Callable[[bool], Capabilities]]
    resources: Callable[[HttpSession, Connection], Sequence[Resource]] = lambda _session, _connection: ()
    """Return the descriptions of the other records that people maintain at the provider."""
    webhooks: "Webhooks | None" = None
    """The parser of its webhook deliveries, None where it sends none."""


@dataclass(frozen=True, slots=True)
class Webhooks:
    """How to read a delivery's parsed body.

    `is_test` recognises the provider's test at registration. `hint` returns the claim about one invoice, or None.
    """

    is_test: Callable[[object], bool]
    hint: Callable[[object], Hint | None]


# Each of the following functions imports what it needs of its connector.
# ruff: noqa: PLC0415


def _service_issuers(session: HttpSession, _connection: Connection) -> Sequence[Issuer]:
    from connectors.nfse.client import NfseClient
    from connectors.nfse.issuing.issuer import NfseIssuer

    return [NfseIssuer(NfseClient(session))]


def _service_capabilities(_extensions: bool) -> Capabilities:  # noqa: FBT001 - the form of `System.capabilities`
    from connectors.nfse.issuing.issuer import CAPABILITIES

    return CAPABILITIES


def _service_resources(session: HttpSession, _connection: Connection) -> Sequence[Resource]:
    from connectors.nfse.client import NfseClient
    from connectors.nfse.resources import resources

    return resources(NfseClient(session))


def _is_service_test(body: object) -> bool:
    from connectors.nfse.webhooks import is_test

    return is_test(body)


def _service_hint(body: object) -> Hint | None:
    from connectors.nfse.webhooks import hint_of

    return hint_of(body)


def _product_issuers(session: HttpSession, connection: Connection) -> Sequence[Issuer]:
    from connectors.nfe.client import NfeClient
    from connectors.nfe.issuing.issuer import NfeIssuer

    assert connection.security_code is not None
    client = NfeClient(session, extensions=connection.extensions)
    return [NfeIssuer(client, "nfe", connection.security_code), NfeIssuer(client, "nfce", connection.security_code)]


def _product_capabilities(name: ProductKind, extensions: bool) -> Capabilities:  # noqa: FBT001 - as above
    from connectors.nfe.issuing.issuer import capabilities

    return capabilities(name, extensions=extensions)


def _product_resources(session: HttpSession, connection: Connection) -> Sequence[Resource]:
    from connectors.nfe.client import NfeClient
    from connectors.nfe.resources import resources

    return resources(NfeClient(session, extensions=connection.extensions))


SYSTEMS: Final[Mapping[str, System]] = {
    NFSE: System(
        BasicToken,
        _service_issuers,
        {"nfse": _service_capabilities},
        _service_resources,
        Webhooks(_is_service_test, _service_hint),
    ),
    PRODUCTS: System(
        TokenHeader,
        _product_issuers,
        {name: functools.partial(_product_capabilities, name) for name in _PRODUCT_KINDS},
        _product_resources,
    ),
}
"""By the name of the settings section, which is also the name of the shared rate limit."""

SYSTEM_OF: Final[Mapping[str, str]] = {name: line for line, system in SYSTEMS.items() for name in system.capabilities}
"""The system of each issuer of this package."""


@dataclass(frozen=True, slots=True)
class Registry:
    """The systems of a profile, by name, and the system of each issuer."""

    systems: Mapping[str, System]
    system_of: Mapping[str, str]

    def capabilities_of(self, issuer: str, *, extensions: bool) -> Capabilities:
        """Return the capabilities of an issuer, without a request."""
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


class _WhenAsked(Mapping[str, T]):
    """A lazy mapping. `made` has, for each name, the function that makes all values of the name's system."""

    def __init__(self, made: Mapping[str, Callable[[], Mapping[str, T]]]) -> None:
        self._made = made

    def __getitem__(self, name: str) -> T:
        return self._made[name]()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


@dataclass(frozen=True, slots=True)
class OpenIssuers:
    """Open issuers by name, and their shared sessions by system. `find_resources` lists records that people edit.

    `access` has the digest of each system's secrets.
    """

    issuers: Mapping[str, Issuer]
    sessions: Mapping[str, HttpSession]
    access: Mapping[str, str] = field(default_factory=dict)
    find_resources: Callable[[], Sequence[Resource]] = tuple

    @property
    def requests(self) -> int:
        """Return the number of requests sent so far."""
        return sum(session.requests for session in self.sessions.values())

    def resource(self, kind: str) -> Resource | None:
        """Return the description of one kind of record, or None if no open system has it."""
        return next((each for each in self.find_resources() if each.kind == kind), None)


@asynccontextmanager
async def open_issuers(
    connections: Mapping[str, Connection], systems: Mapping[str, System] = SYSTEMS
) -> AsyncIterator[OpenIssuers]:
    """Open a session for each connection and yield the issuers, which are built on first use."""
    async with AsyncExitStack() as stack:
        sessions: dict[str, HttpSession] = {}
        made: dict[str, Callable[[], Mapping[str, Issuer]]] = {}
        for name, connection in connections.items():
            system = systems[name]
            sessions[name] = session = await stack.enter_async_context(_session(system, connection))
            make = functools.cache(functools.partial(_issuers_of, system, session, connection))
            made |= dict.fromkeys(system.capabilities, make)

        def resources() -> Sequence[Resource]:
            return [
                each
                for name, connection in connections.items()
                for each in systems[name].resources(sessions[name], connection)
            ]

        access = {name: connection.access for name, connection in connections.items()}
        yield OpenIssuers(_WhenAsked(made), sessions, access, functools.cache(resources))


def _issuers_of(system: System, session: HttpSession, connection: Connection) -> Mapping[str, Issuer]:
    return {each.name: each for each in system.issuers(session, connection)}


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
