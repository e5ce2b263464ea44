"""This emulator as a part of the sandbox."""

from typing import Final

from starlette.types import ASGIApp

from connectors.emulation.messages import Json, Response
from connectors.emulation.state_file import Window
from connectors.emulation.system import Overview, SharedParts
from connectors.orders.emulator import adjustments, invoices, orders
from connectors.orders.emulator.authentication import admit
from connectors.orders.emulator.checks import unreadable
from connectors.orders.emulator.seed import default_sales
from connectors.orders.emulator.seller_events import ACTS, Clerk
from connectors.orders.emulator.state import SCHEMA, Sales, missing, overview, record

NO_SWITCHES: Final[Json] = {}
_HOME: Final = "/api/"
_NOT_OURS: Final = "/api/v1/"


class OrderEmulator:
    """Serves every path below `/api` except `/api/v1`, for the consumer. The key `sales` of a seed has orders."""

    schema = SCHEMA
    switch_prefix = "sales_"
    acts = ACTS
    default_switches: Json = NO_SWITCHES

    def __init__(self, shared: SharedParts) -> None:
        self._sales = Sales(shared.store, shared.clock.now)
        self._clerk = Clerk(self._sales)
        handlers = {
            **orders.handlers(self._sales),
            **invoices.handlers(self._sales),
            **adjustments.handlers(self._sales),
        }
        self.dispatcher: ASGIApp = shared.dispatcher(
            self._sales.document["operations"],
            handlers,
            before=self.advance,
            act=self._act_on,
            admit=admit,
            missing=missing,
            unreadable=unreadable,
            takes_forms=True,
        )

    def serves(self, path: str) -> bool:
        return path.startswith(_HOME) and not f"{path}/".startswith(_NOT_OURS)

    def company(self) -> Json:
        return {"sales": default_sales()}

    def seed(self, company: Json) -> None:
        self._sales.fill(company.get("sales") or default_sales())

    def reload(self) -> None:
        """Do nothing: all state is in the store."""

    def advance(self) -> None:
        """Do nothing: this system has no events of its own."""

    def switches(self) -> Json:
        return {}

    def switch(self, changes: Json) -> Json:
        if changes:
            raise ValueError(f"no switch is called {next(iter(changes))}")
        return {}

    def act(self, asked: Json) -> Json:
        return self._clerk.act(asked)

    def record(self, _window: Window) -> Json:
        return {"sales": record(self._sales)}

    def overview(self) -> Overview:
        return overview(self._sales)

    def _act_on(self, asked: Json, _answer: Response) -> None:
        self._clerk.act(asked)
