"""What a station works with, opened from a profile's name. The only place that turns settings into arguments."""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from configs.catalogue import Catalogue
from configs.load import checked_ledger, load_settings
from configs.settings import Settings, missing
from connectors.http.auth import BasicPair, BasicToken, TokenHeader
from connectors.http.governor import Governor
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.ledger import attempts as ledger_attempts
from connectors.ledger import parties
from connectors.ledger.backup.seals import seal_journal
from connectors.ledger.engine import Ledger, shared_ledger
from connectors.nfe.client import NfeClient
from connectors.nfse.client import NfseClient
from connectors.orders.client import OrdersClient
from domain.problems import SettingsError
from tasks.pacing.board import governor_of
from tasks.pacing.crew import Crew
from tasks.secrets import resolve_secret

PLAYGROUND: Final = "local"
"""The profile of every command and flow that names none."""

SERVICES: Final = "services"
PRODUCTS: Final = "products"
"""The kinds of sheets, as the ledger knows files."""
SERVICE: Final = "service"
"""The kind of invoice that is staged in a batch at the provider; all others are issued by posting them."""

NFSE: Final = "nfse"
PRODUCT_LINE: Final = "products"
ORDERS: Final = "orders"
"""The lines to the outside whose pace all workers share."""

MIRROR: Final = "mirror"
"""The station whose requests bill nothing."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What works without the provider: settings, words, the ledger, and a clock that gives aware UTC instants."""

    settings: Settings
    catalogue: Catalogue
    ledger: Ledger
    worker: str
    clock: Callable[[], datetime]

    @property
    def archive(self) -> Path:
        """Where dropped files are kept unchanged."""
        return Path(self.settings.paths.archive)

    @property
    def outbox(self) -> Path:
        """Where workbooks for people are written."""
        return Path(self.settings.paths.outbox)


@dataclass(frozen=True, slots=True)
class Runtime(Desk):
    """A desk with lines to the provider, whose account is the one this ledger belongs to."""

    nfse: NfseClient
    session: HttpSession
    products: NfeClient | None = None
    crew: Crew = field(default_factory=Crew)

    @property
    def nfe(self) -> NfeClient:
        """The product-invoice API. `SettingsError` where the profile has no address for it."""
        if self.products is None:
            raise SettingsError(missing("products.base_url"))
        return self.products

    @property
    def requests(self) -> int:
        """Requests put on the wire so far."""
        return self.session.requests + (0 if self.products is None else self.products.requests)


@contextmanager
def open_desk(profile: str) -> Iterator[Desk]:
    """Open the desk of a profile with the process's one ledger, and leave no write behind.

    Raises `SettingsError`, or a `FaturistaError` when the ledger cannot be opened.
    """
    settings = load_settings(profile)
    ledger = shared_ledger(resolve_url(settings), lock_wait_s=settings.ledger.lock_wait_s)
    try:
        yield Desk(settings, Catalogue.load(settings.language), ledger, _worker_name(), _now)
    finally:
        # A cancelled wait leaves its transaction running.
        ledger.finish()


def words_of(profile: str) -> Catalogue:
    """The profile's language, where no ledger is opened."""
    return Catalogue.load(load_settings(profile).language)


def words_anyway(*profiles: str) -> Catalogue:
    """The language of the first of these profiles that can be read, to say what is wrong with another."""
    for profile in profiles:
        with suppress(SettingsError):
            return words_of(profile)
    return Catalogue.load()


def settings_of(profile: str) -> Settings:
    """Return the profile's settings, where no ledger is opened. Raises `SettingsError`."""
    return load_settings(profile)


def ledger_address(profile: str) -> str:
    """Where the profile's ledger is, or is to be; it is not opened. Raises `SettingsError`."""
    return resolve_url(load_settings(profile))


@dataclass(frozen=True, slots=True)
class OrdersRuntime(Desk):
    """A desk with a line to the order service."""

    orders: OrdersClient


@asynccontextmanager
async def open_orders(profile: str) -> AsyncIterator[OrdersRuntime]:
    """A desk with the order service; what is asked of it is counted. `SettingsError` where it has no address."""
    with open_desk(profile) as desk:
        async with open_order_session(desk.settings, _governor(desk, ORDERS)) as session:
            client = OrdersClient(session)
            try:
                yield OrdersRuntime(desk.settings, desk.catalogue, desk.ledger, desk.worker, desk.clock, client)
            finally:
                await desk.ledger.writing(ledger_attempts.count_requests, MIRROR, session.requests)


@asynccontextmanager
async def open_runtime(profile: str, *, station: str) -> AsyncIterator[Runtime]:
    """A desk with the provider, account checked; what was asked of the provider is counted under `station`."""
    with open_desk(profile) as desk:
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(open_session(desk.settings, _governor(desk, NFSE)))
            products = None
            if desk.settings.products.base_url:
                product_session = await stack.enter_async_context(
                    _open_product_session(desk.settings, _governor(desk, PRODUCT_LINE))
                )
                products = NfeClient(product_session, extensions=desk.settings.products.extensions)
            line = (desk.settings, desk.catalogue, desk.ledger, desk.worker, desk.clock)
            runtime = Runtime(*line, nfse=NfseClient(session), session=session, products=products)
            await _bind_account(runtime)
            try:
                yield runtime
            finally:
                await desk.ledger.writing(ledger_attempts.count_requests, station, runtime.requests)
                await asyncio.to_thread(seal_journal, desk.ledger)


def _governor(desk: Desk, line: str) -> Governor:
    settings = desk.settings
    paces = {NFSE: settings.nfse.pace, PRODUCT_LINE: settings.products.pace, ORDERS: settings.orders.pace}
    timeout_s = settings.orders.request_timeout_s if line == ORDERS else settings.nfse.request_timeout_s
    return governor_of(desk.ledger, line, paces[line], request_timeout_s=timeout_s)


def open_session(settings: Settings, governor: Governor | None = None) -> HttpSession:
    """The HTTP session that the settings describe; an asynchronous context manager."""
    nfse = settings.nfse
    return HttpSession(
        nfse.base_url,
        BasicToken(resolve_secret(nfse.token).get_secret_value()),
        in_flight=nfse.in_flight,
        lane_size=nfse.lane_size,
        request_timeout_s=nfse.request_timeout_s,
        connect_timeout_s=nfse.connect_timeout_s,
        keepalive_s=nfse.keepalive_s,
        patience=Patience(tries=nfse.read_tries),
        page_ceiling=nfse.page_ceiling,
        governor=governor,
    )


def _open_product_session(settings: Settings, governor: Governor) -> HttpSession:
    products, nfse = settings.products, settings.nfse
    return HttpSession(
        products.base_url,
        TokenHeader(resolve_secret(products.token).get_secret_value()),
        in_flight=products.in_flight,
        request_timeout_s=nfse.request_timeout_s,
        connect_timeout_s=nfse.connect_timeout_s,
        keepalive_s=nfse.keepalive_s,
        patience=Patience(tries=nfse.read_tries),
        page_ceiling=nfse.page_ceiling,
        governor=governor,
    )


def open_order_session(settings: Settings, governor: Governor | None = None) -> HttpSession:
    """The HTTP session to the order service; an asynchronous context manager."""
    orders = settings.orders
    if not orders.base_url:
        raise SettingsError(missing("orders.base_url"))
    user, password = (resolve_secret(each).get_secret_value() for each in (orders.user, orders.password))
    return HttpSession(
        orders.base_url,
        BasicPair(user, password),
        in_flight=orders.in_flight,
        request_timeout_s=orders.request_timeout_s,
        patience=Patience(tries=orders.read_tries),
        page_ceiling=orders.page_ceiling,
        governor=governor,
    )


def resolve_url(settings: Settings) -> str:
    """The ledger's address, which may hold a password and so may be a secret reference itself."""
    url = settings.ledger.url
    if url.startswith(("env:", "block:")):
        return checked_ledger(settings, resolve_secret(url).get_secret_value())
    return url


def answer_s(settings: Settings) -> float:
    """Seconds before the end of a lease after which no first byte may leave: the answer must fit into the lease."""
    return settings.nfse.request_timeout_s + settings.protocol.clock_skew_s


async def _bind_account(runtime: Runtime) -> None:
    """Refuse a provider whose account is not the one that this ledger's numbers were posted to."""
    pair = (runtime.settings.nfse.base_url, runtime.settings.nfse.token, runtime.settings.ledger.url)
    if pair in _BOUND:
        return
    account = await runtime.nfse.account.read()
    await runtime.ledger.writing(parties.bind_account, uuid=account.uuid, name=account.name)
    _BOUND.add(pair)


# One question per process and pair: asking at every look would double the cost of reconciling.
_BOUND: set[tuple[str, str, str]] = set()


def _worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"


def _now() -> datetime:
    return datetime.now(UTC)
