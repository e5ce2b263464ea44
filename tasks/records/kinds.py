"""Kinds of records, and the connection to the system that holds each."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal

from configs.sections import missing_setting
from connectors.http.session import HttpSession
from connectors.ledger import request_counts as ledger_traffic
from domain.problems import SettingsError
from domain.resources import Resource
from tasks.runtime import Context, open_context, open_order_session, open_runtime
from tasks.runtime.opening import open_identity_session, system_throttle

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
class OpenResource:
    """An open profile, and one kind of record with an open connection to its provider."""

    context: Context
    resource: Resource


@asynccontextmanager
async def open_resource(profile: str, kind: Kind) -> AsyncIterator[OpenResource]:
    """Connect to the system that holds this kind. Raises `SettingsError` if the profile has no address of it."""
    if kind in ORDERS:
        opening = _of_orders(profile, kind)
    elif kind in IDENTITY or kind == "activation":
        opening = _of_identity(profile, kind)
    else:
        opening = _of_issuers(profile, kind)
    async with opening as opened:
        yield opened


@asynccontextmanager
async def _of_issuers(profile: str, kind: Kind) -> AsyncIterator[OpenResource]:
    async with open_runtime(profile, station=_STATION) as runtime:
        found = runtime.issuers.resource(kind)
        if found is None:
            raise SettingsError(missing_setting("products.base_url"))
        yield OpenResource(runtime, found)


@asynccontextmanager
async def _of_orders(profile: str, kind: Kind) -> AsyncIterator[OpenResource]:
    # imported here and below, because most commands need no such system
    from connectors.orders import resources as orders  # noqa: PLC0415
    from connectors.orders.client import OrdersClient  # noqa: PLC0415

    with open_context(profile) as context:
        session = open_order_session(context.settings, system_throttle(context, orders.SYSTEM))
        async with _open_counted(context, session):
            yield OpenResource(context, _resource_of_kind(orders.resources(OrdersClient(session)), kind))


@asynccontextmanager
async def _of_identity(profile: str, kind: Kind) -> AsyncIterator[OpenResource]:
    from connectors.identity import resources as identity  # noqa: PLC0415
    from connectors.identity.client import IdentityClient  # noqa: PLC0415

    is_activation = kind == "activation"
    with open_context(profile) as context:
        session = open_identity_session(context, is_of_orders=is_activation)
        async with _open_counted(context, session):
            describe = identity.activations if is_activation else identity.resources
            yield OpenResource(context, _resource_of_kind(describe(IdentityClient(session)), kind))


@asynccontextmanager
async def _open_counted(context: Context, session: HttpSession) -> AsyncIterator[None]:
    """Open `session`; when it ends, store the number of its requests in the ledger."""
    async with session:
        try:
            yield
        finally:
            await context.ledger.write_async(ledger_traffic.count_requests, _STATION, session.requests)


def _resource_of_kind(found: list[Resource], kind: Kind) -> Resource:
    return next(each for each in found if each.kind == kind)
