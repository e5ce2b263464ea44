"""Assemble the emulators: one store, one clock, one set of faults, one application."""

from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from connectors.emulation.clock import Clock
from connectors.emulation.fault_injection import FaultInjector
from connectors.emulation.faults import Faults
from connectors.emulation.messages import Json
from connectors.emulation.request_journal import SCHEMA as JOURNAL
from connectors.emulation.sockets import Wire
from connectors.emulation.state_file import Store
from connectors.emulation.system import Emulator, SharedParts, dispatch
from connectors.identity.emulator.system import IdentityEmulator
from connectors.nfe.emulator.system import ProductEmulator
from connectors.nfse.emulator.system import ServiceEmulator
from connectors.orders.emulator.system import OrderEmulator
from connectors.sandbox.control import Control
from connectors.sandbox.status_routes import Watch
from connectors.sandbox.status_texts import LANGUAGES

# The first emulator that claims a path serves it; service invoices claim all remaining paths.
_EMULATORS: Final[tuple[type[Emulator], ...]] = (ProductEmulator, OrderEmulator, IdentityEmulator, ServiceEmulator)


def build_sandbox(
    state: Path | None = None, *, company: Json | None = None, wire: Wire | None = None, language: str = LANGUAGES[0]
) -> ASGIApp:
    """Return the emulators as an ASGI application.

    With `state` None the state is in memory; `company` is the initial content of an empty state (default: a sample).

    `language` is the status page's default, for browsers that ask for no available language.

    Without the `wire` of a real server, connection faults only leave requests unanswered.
    """
    return assemble(state, company=company, wire=wire, language=language)[0]


def assemble(
    state: Path | None, *, company: Json | None = None, wire: Wire | None = None, language: str = LANGUAGES[0]
) -> tuple[ASGIApp, Control]:
    """Return the application and its control."""
    if state is not None:
        state.parent.mkdir(parents=True, exist_ok=True)
    store = Store(str(state) if state else None, JOURNAL + "".join(emulator.schema for emulator in _EMULATORS))
    clock = Clock(store)
    faults = Faults(store, clock.now)
    # the delay of every answer is a switch of the emulator whose switches have no prefix
    shared = SharedParts(
        store, faults, FaultInjector(wire), clock, lambda: emulators[-1].switches()["fixed_latency_ms"]
    )
    emulators = tuple(emulator(shared) for emulator in _EMULATORS)
    if wire is not None:
        wire.now = clock.now
        wire.on_connect = lambda: (faults.choose("connection") or {}).get("kind")
    control = Control(shared, emulators, company)
    control.seed_at_first()
    steering = Starlette(
        routes=[
            Route("/_sandbox/", Watch(shared, emulators, language).show),
            Route("/_sandbox/{verb}", control.take, methods=["GET", "POST"]),
        ]
    )
    return dispatch(emulators, steering), control
