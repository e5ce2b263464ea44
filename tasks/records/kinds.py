"""The kinds of records, and opening the line to whoever holds one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal

from configs.sections import missing
from connectors.http.auth import BasicPair
from connectors.http.retry import Patience
from connectors.http.session import HttpSession
from connectors.identity import resources as identity
from connectors.identity.client import IdentityClient
from connectors.ledger import attempts as ledger_attempts
from connectors.orders import resources as orders
from connectors.orders.client import OrdersClient
from domain.problems import SettingsError
from domain.resources import Resource
from tasks.runtime import Context, open_context, open_order_session, open_runtime
from tasks.runtime.opening import line_throttle
from tasks.runtime.secrets import resolve_secret

Kind = Literal[
    "account", "account-history", "activation", "adjustment", "batch", "batch-history", "city", "constant",
    "correction", "disabling", "discount", "emitter", "member", "note", "note-history", "numeration", "order",
    "order-invoice", "organization", "serie", "signed-nfce", "signed-nfce-batch", "signed-nfe", "signed-nfe-batch",
    "taker", "template", "user-account", "webhook",
]  # fmt: skip

IDENTITY: Final = frozenset({"account", "account-history", "member", "user-account"})
ORDERS: Final = frozenset({"adjustment", "discount", "order", "order-invoice"})
_STATION: Final = "records"


@dataclass(frozen=True, slots=True)
class Desk:
    """A context, and the description of one kind with its line open."""

    context: Context
    resource: Resource


@asynccontextmanager
async def open_desk(profile: str, kind: Kind) -> AsyncIterator[Desk]:
    """Open the line to whoever holds this kind. Raises `SettingsError` where the profile has no address for it."""
    if kind in ORDERS:
        opened = _of_orders(profile, kind)
    elif kind in IDENTITY or kind == "activation":
        opened = _of_identity(profile, kind)
    else:
        opened = _of_issuers(profile, kind)
    async with opened as desk:
        yield desk


@asynccontextmanager
async def _of_issuers(profile: str, kind: Kind) -> AsyncIterator[Desk]:
    async with open_runtime(profile, station=_STATION) as runtime:
        found = runtime.issuers.resources.get(kind)
        if found is None:
            raise SettingsError(missing("products.base_url"))
        yield Desk(runtime, found)


@asynccontextmanager
async def _of_orders(profile: str, kind: Kind) -> AsyncIterator[Desk]:
    with open_context(profile) as context:
        session = open_order_session(context.settings, line_throttle(context, orders.SYSTEM))
        async with _counted(context, session):
            yield Desk(context, _named(orders.resources(OrdersClient(session)), kind))


@asynccontextmanager
async def _of_identity(profile: str, kind: Kind) -> AsyncIterator[Desk]:
    with open_context(profile) as context:
        section = context.settings.identity
        if not section.base_url:
            raise SettingsError(missing("identity.base_url"))
        is_activation = kind == "activation"
        pair = (section.orders_token, section.orders_secret) if is_activation else (section.token, section.secret)
        session = HttpSession(
            section.base_url,
            BasicPair(*(resolve_secret(each).get_secret_value() for each in pair)),
            in_flight=section.in_flight,
            request_timeout_s=section.request_timeout_s,
            patience=Patience(tries=section.read_tries),
            page_ceiling=section.page_ceiling,
            throttle=line_throttle(context, identity.SYSTEM),
        )
        async with _counted(context, session):
            describe = identity.activations if is_activation else identity.resources
            yield Desk(context, _named(describe(IdentityClient(session)), kind))


@asynccontextmanager
async def _counted(context: Context, session: HttpSession) -> AsyncIterator[None]:
    """Open a session and count its requests."""
    async with session:
        try:
            yield
        finally:
            await context.ledger.writing(ledger_attempts.count_requests, _STATION, session.requests)


def _named(found: list[Resource], kind: Kind) -> Resource:
    return next(each for each in found if each.kind == kind)
