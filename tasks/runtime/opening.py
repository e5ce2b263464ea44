"""Open a station's runtime by a profile's name. Only this module turns settings into arguments."""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Final

from configs.catalogue import Catalogue
from configs.load import load_settings, require_allowed_ledger
from configs.reference.holidays import holidays_of
from configs.sections import missing_setting
from configs.settings import Settings
from configs.system_sections import IdentitySettings, NfseSettings, OrderSettings, PluginSettings, ProductSettings
from connectors.http.auth import BasicPair
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.http.throttle import Throttle
from connectors.issuers import Connection, OpenIssuers, Registry, open_issuers, registry
from connectors.ledger import parties
from connectors.ledger import request_counts as ledger_traffic
from connectors.ledger.backup.seals import seal_journal
from connectors.ledger.engine import Ledger, shared_ledger
from connectors.spreadsheets.archive import Folder
from domain.competence import BRASILIA
from domain.issuing import SERVICE, Capabilities, Issuer, Register, Staging
from domain.problems import Problem, SettingsError
from tasks.runtime.secrets import resolve_secret
from tasks.runtime.shared_files import shared_folder
from tasks.runtime.shared_rate_limit import throttle_of
from tasks.runtime.worker_pool import WorkerPool

IssuerSystemSettings = NfseSettings | ProductSettings | PluginSettings
"""The settings of a system that has issuers: its address, secrets and rate limit."""

PLAYGROUND: Final = "local"
"""The default profile of commands and flows."""

SERVICES: Final = "services"
PRODUCTS: Final = "products"
"""The kinds of sheets, as the ledger stores them with files."""

ORDERS: Final = "orders"
IDENTITY: Final = "identity"
"""Names of two systems, as in `connectors.issuers.SYSTEMS`: all workers share the rate limit of this name."""

MIRROR: Final = "mirror"
"""Name of the station that mirrors orders. Its requests are counted under it, because they bill nothing."""


@dataclass(frozen=True, slots=True)
class Context:
    """What works without a provider: settings, catalogue, ledger, and a clock that returns aware UTC instants."""

    settings: Settings
    catalogue: Catalogue
    ledger: Ledger
    worker: str
    clock: Callable[[], datetime]

    @property
    def registry(self) -> Registry:
        """The systems and issuers that the profile knows."""
        return registry({name: system.module for name, system in self.settings.systems.items()})

    def capabilities(self, issuer: str) -> Capabilities:
        """Return the capabilities of an issuer, without a request."""
        return self.registry.capabilities_of(issuer, extensions=self.settings.products.extensions)

    def issuer_of(self, kind: str) -> str:
        """Return the name of the issuer of a document kind. Raises `SettingsError` for one that does not exist."""
        name = str(getattr(self.settings.issuers, kind))
        known = self.registry.system_of
        if name not in known:
            params = {"key": f"issuers.{kind}", "name": name, "known": ", ".join(known)}
            raise SettingsError(Problem("settings.unknown_issuer", params=params))
        return name

    def serie_of(self, issuer: str, cnpj: str) -> str:
        """Return the serie that is ours for this issuer and emitter."""
        system = self.system_of(issuer)
        return system.serie_of(issuer) if isinstance(system, ProductSettings) else self.settings.series.of(cnpj)

    def system_of(self, issuer: str) -> IssuerSystemSettings:
        """Return the settings to reach an issuer's system."""
        return _issuer_system(self.settings, self.registry.system_of[issuer])

    @property
    def today(self) -> date:
        """The day in Brasília."""
        return self.clock().astimezone(BRASILIA).date()

    def is_holiday(self, day: date) -> bool:
        """Return whether the day is a holiday at the profile's place. A Saturday or Sunday by itself is none."""
        calendar = self.settings.calendar
        return holidays_of(calendar.state, calendar.days).is_holiday(day)

    @property
    def archive(self) -> Folder:
        """Folder with an unchanged copy of each dropped file."""
        return shared_folder(self.settings, self.settings.paths.archive)

    @property
    def documents(self) -> Folder:
        """Folder of the XML and PDF of issued invoices."""
        return shared_folder(self.settings, self.settings.paths.documents)

    @property
    def outbox(self) -> Path:
        """Folder of the workbooks written for people."""
        return Path(self.settings.paths.outbox)


@dataclass(frozen=True, slots=True)
class Runtime(Context):
    """A context with open issuers. The account of service invoices was checked to be the ledger's."""

    issuers: OpenIssuers
    pool: WorkerPool = field(default_factory=WorkerPool)

    def issuer(self, name: str) -> Issuer:
        """Return the issuer of this name. Raises `SettingsError` where the profile has no address for it."""
        found = self.issuers.issuers.get(name)
        if found is None:
            raise SettingsError(missing_setting(f"{self.registry.system_of[name]}.base_url"))
        return found

    def staging(self, name: str) -> Staging:
        """Return the batches of an issuer that stages."""
        staging = self.issuer(name).staging
        assert staging is not None
        return staging

    def register(self, name: str) -> Register:
        """Return the master data that this issuer keeps. Raises `SettingsError` where there is none."""
        register = self.issuer(name).register
        if register is None:
            raise SettingsError(missing_setting(f"{self.registry.system_of[name]}.base_url"))
        return register

    def most_in_flight(self, issuer: str) -> int:
        """Return how many posts of this issuer may be under way at once."""
        return self.system_of(issuer).in_flight

    def place_of(self, issuer: str) -> tuple[str, str, str]:
        """Return what decides whose account an issuer shows: address, digest of the secrets, and the ledger's address.

        The settings only refer to the secrets, which may change while the process runs.
        """
        system = self.registry.system_of[issuer]
        access = self.issuers.access.get(system, "")
        return self.system_of(issuer).base_url, access, self.settings.ledger.url

    @property
    def requests(self) -> int:
        """Number of requests sent so far."""
        return self.issuers.requests


@contextmanager
def open_context(profile: str) -> Iterator[Context]:
    """Open the context of a profile with the process's one ledger. When it closes, no write is pending.

    Raises `SettingsError`, or a `FaturistaError` when the ledger cannot be opened.
    """
    settings = load_settings(profile)
    ledger = shared_ledger(resolve_url(settings), lock_wait_s=settings.ledger.lock_wait_s)
    try:
        yield Context(settings, Catalogue.load(settings.language), ledger, _worker_name(), _now)
    finally:
        # A cancelled await leaves its transaction running in the writer thread.
        ledger.finish()


@contextmanager
def inspect_context(profile: str) -> Iterator[Context]:
    """Open a read-only context: the ledger is neither created nor migrated. Raises as `open_context` does."""
    settings = load_settings(profile)
    with Ledger.open(resolve_url(settings), migrate=False, lock_wait_s=settings.ledger.lock_wait_s) as ledger:
        yield Context(settings, Catalogue.load(settings.language), ledger, _worker_name(), _now)


def words_of(profile: str) -> Catalogue:
    """Return the catalogue in the profile's language, without opening a ledger."""
    return Catalogue.load(load_settings(profile).language)


def settings_of(profile: str) -> Settings:
    """Return the profile's settings without opening a ledger. Raises `SettingsError`."""
    return load_settings(profile)


def ledger_address(profile: str) -> str:
    """Return the address of the profile's ledger, without opening it. Raises `SettingsError`."""
    return resolve_url(load_settings(profile))


@asynccontextmanager
async def open_runtime(profile: str, *, station: str) -> AsyncIterator[Runtime]:
    """Open a context with the issuers and check the account; count the requests under `station`."""
    with open_context(profile) as context:
        async with open_issuers(_connections(context), context.registry.systems) as issuers:
            shared = (context.settings, context.catalogue, context.ledger, context.worker, context.clock)
            runtime = Runtime(*shared, issuers=issuers)
            await _bind_account(runtime)
            try:
                yield runtime
            finally:
                seen = {system: _latencies(session) for system, session in issuers.sessions.items()}
                await context.ledger.write_async(ledger_traffic.count_run, station, runtime.requests, seen)
                await asyncio.to_thread(seal_journal, context.ledger)


def system_throttle(context: Context, system: str) -> Throttle:
    """Return the throttle of one system, which all workers share."""
    settings = context.settings
    return throttle_of(
        context.ledger, system, settings.system(system).pace, request_timeout_s=settings.requests.timeout_s
    )


def _connections(context: Context) -> dict[str, Connection]:
    """Return how to reach each system that has an address in the profile."""
    named = [each for each in context.registry.systems if _issuer_system(context.settings, each).base_url]
    return {
        each: replace(connection(context.settings, each), throttle=system_throttle(context, each)) for each in named
    }


def connection(settings: Settings, system: str) -> Connection:
    """Return how to reach one system, without a rate limit. Raises `SettingsError` where a secret is missing."""
    section, requests = _issuer_system(settings, system), settings.requests
    found = Connection(
        base_url=section.base_url,
        token=resolve_secret(section.token).get_secret_value(),
        in_flight=section.in_flight,
        request_timeout_s=requests.timeout_s,
        connect_timeout_s=requests.connect_timeout_s,
        keepalive_s=requests.keepalive_s,
        read_tries=requests.read_tries,
        page_ceiling=requests.page_ceiling,
    )
    if isinstance(section, NfseSettings):
        return replace(found, lane_size=section.lane_size)
    if isinstance(section, ProductSettings):
        return replace(found, extensions=section.extensions, security_code=partial(security_code, settings))
    secrets = {name: resolve_secret(each).get_secret_value() for name, each in section.secrets.items()}
    return replace(found, options=section.options, secrets=secrets)


def _issuer_system(settings: Settings, name: str) -> IssuerSystemSettings:
    found = settings.system(name)
    assert not isinstance(found, OrderSettings | IdentitySettings)
    return found


def security_code(settings: Settings, cnpj: str) -> tuple[str, str]:
    """Read the CSC and its id; store them nowhere. Raises `SettingsError` where there is none."""
    codes = settings.products.codes.get(cnpj)
    if codes is None:
        raise SettingsError(Problem("settings.no_csc", params={"cnpj": cnpj}))
    return resolve_secret(codes.csc).get_secret_value(), resolve_secret(codes.id_token).get_secret_value()


def open_order_session(settings: Settings, throttle: Throttle | None = None) -> HttpSession:
    """Return the HTTP session to the order service; it is an asynchronous context manager."""
    orders = settings.orders
    if not orders.base_url:
        raise SettingsError(missing_setting("orders.base_url"))
    return _session(settings, orders, (orders.user, orders.password), throttle)


def open_identity_session(context: Context, *, is_of_orders: bool = False) -> HttpSession:
    """Return the HTTP session to the identity service. `is_of_orders`: with the order service's credentials."""
    section = context.settings.identity
    if not section.base_url:
        raise SettingsError(missing_setting("identity.base_url"))
    pair = (section.orders_token, section.orders_secret) if is_of_orders else (section.token, section.secret)
    return _session(context.settings, section, pair, system_throttle(context, IDENTITY))


def _session(
    settings: Settings,
    section: OrderSettings | IdentitySettings,
    pair: tuple[str, str],
    throttle: Throttle | None,
) -> HttpSession:
    """Return an HTTP session. `pair` are references to secrets."""
    return HttpSession(
        section.base_url,
        BasicPair(*(resolve_secret(each).get_secret_value() for each in pair)),
        in_flight=section.in_flight,
        request_timeout_s=settings.requests.timeout_s,
        patience=Patience(tries=settings.requests.read_tries),
        page_ceiling=settings.requests.page_ceiling,
        throttle=throttle,
    )


def resolve_url(settings: Settings) -> str:
    """Return the ledger's address. It may hold a password, so it may itself be a secret reference."""
    url = settings.ledger.url
    if url.startswith(("env:", "block:")):
        return require_allowed_ledger(settings, resolve_secret(url).get_secret_value())
    return url


def _latencies(session: HttpSession) -> dict[tuple[str, int], tuple[int, float]]:
    """Return a session's response times in the form that the ledger stores."""
    seen = session.observed
    return {key: (count, seen.seconds[key]) for key, count in seen.requests.items()}


def answer_s(settings: Settings) -> float:
    """Return how many seconds before the end of a lease the last request may begin, so that its answer still fits."""
    return settings.requests.timeout_s + settings.protocol.clock_skew_s


async def _bind_account(runtime: Runtime) -> None:
    """Bind the ledger to the issuer's account. Raises if it is bound to another one: its numbers belong there."""
    issuer = runtime.issuer_of(SERVICE)
    place = runtime.place_of(issuer)
    if place in _BOUND:
        return
    account = await runtime.issuer(issuer).account()
    if account is not None:
        await runtime.ledger.write_async(parties.bind_account, uuid=account.uuid, name=account.name)
    _BOUND.add(place)


# Check once per process and connection: a request before every look would double the cost of reconciling.
_BOUND: set[tuple[str, str, str]] = set()


def _worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"


def _now() -> datetime:
    return datetime.now(UTC)
