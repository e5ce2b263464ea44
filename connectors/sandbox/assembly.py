"""Puts the emulators together: one store, one clock, one set of faults, one application."""

from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from connectors.identity.twin.branch import IdentityBranch
from connectors.nfe.twin.branch import ProductBranch
from connectors.nfse.twin.branch import ServiceBranch
from connectors.orders.twin.branch import OrderBranch
from connectors.sandbox.control import Control
from connectors.sandbox.watch import Watch
from connectors.sandbox.words import LANGUAGES
from connectors.twins.answers import Json
from connectors.twins.branch import Branch, Premises, dispatch
from connectors.twins.clock import Clock
from connectors.twins.faults import Faults
from connectors.twins.journal import SCHEMA as JOURNAL
from connectors.twins.store import Store
from connectors.twins.trouble import Trouble
from connectors.twins.wire import Wire

# A path is served by the first that claims it; service invoices claim whatever is left.
_BRANCHES: Final[tuple[type[Branch], ...]] = (ProductBranch, OrderBranch, IdentityBranch, ServiceBranch)


def build_sandbox(
    state: Path | None = None, *, company: Json | None = None, wire: Wire | None = None, language: str = LANGUAGES[0]
) -> ASGIApp:
    """The emulators as an ASGI application. `state` None keeps it in memory; `company` is the content of a first start.

    `language` is the status page's for browsers that ask for none that it has.

    Without the `wire` of a real server, connection faults only leave requests unanswered.
    """
    return assemble(state, company=company, wire=wire, language=language)[0]


def assemble(
    state: Path | None, *, company: Json | None = None, wire: Wire | None = None, language: str = LANGUAGES[0]
) -> tuple[ASGIApp, Control]:
    """The application, and what steers it."""
    if state is not None:
        state.parent.mkdir(parents=True, exist_ok=True)
    store = Store(str(state) if state else None, JOURNAL + "".join(branch.schema for branch in _BRANCHES))
    clock = Clock(store)
    faults = Faults(store, clock.now)
    # every answer's delay is a switch of the emulator that has those without a prefix
    premises = Premises(store, faults, Trouble(wire), clock, lambda: branches[-1].switches()["fixed_latency_ms"])
    branches = tuple(branch(premises) for branch in _BRANCHES)
    if wire is not None:
        wire.greet = lambda: (faults.choose("connection") or {}).get("kind")
    control = Control(premises, branches, company)
    control.seed_at_first()
    steering = Starlette(
        routes=[
            Route("/_sandbox/", Watch(premises, branches, language).show),
            Route("/_sandbox/{verb}", control.take, methods=["GET", "POST"]),
        ]
    )
    return dispatch(branches, steering), control
