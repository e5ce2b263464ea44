"""This emulator as a part of the sandbox."""

import contextlib
from typing import Final

from starlette.types import ASGIApp

from connectors.emulation.dispatcher import by_token
from connectors.emulation.messages import Json, Response
from connectors.emulation.state_file import Window
from connectors.emulation.system import Overview, SharedParts
from connectors.nfse.emulator import (
    account,
    batches,
    cities,
    city_hall,
    constants,
    emitters,
    notes,
    service_values,
    takers,
    webhooks,
)
from connectors.nfse.emulator.back_office import ACTS, BackOffice
from connectors.nfse.emulator.middleware import EmulatorMiddleware
from connectors.nfse.emulator.seed import TOKEN, default_company, seed
from connectors.nfse.emulator.state import SCHEMA, EmulatorState
from connectors.nfse.emulator.switches import DEFAULTS
from connectors.nfse.emulator.webhook_delivery import WebhookSender

_NOUNS: Final = (account, emitters, service_values, takers, batches, notes, constants, cities, webhooks)


class ServiceEmulator:
    """Serves every path that no other emulator serves, for holders of the token."""

    schema = SCHEMA
    switch_prefix = ""
    acts = ACTS
    default_switches: Json = DEFAULTS

    def __init__(self, shared: SharedParts) -> None:
        self._world = EmulatorState(shared.store, shared.faults, shared.clock)
        self._back_office = BackOffice(self._world)
        handlers = {name: handler for noun in _NOUNS for name, handler in noun.handlers(self._world).items()}
        admit = by_token(lambda token: token == self._world.account.get("token", TOKEN))
        dispatcher = shared.dispatcher(
            self._world.document["operations"],
            handlers,
            before=self.advance,
            act=self._act_on,
            admit=admit,
        )
        self.dispatcher: ASGIApp = EmulatorMiddleware(
            self._world, dispatcher, WebhookSender(self._world, self.advance), admit
        )

    def serves(self, _path: str) -> bool:
        return True

    def company(self) -> Json:
        return default_company()

    def seed(self, company: Json) -> None:
        seed(self._world, company)

    def reload(self) -> None:
        self._world.reload()

    def advance(self) -> None:
        city_hall.advance(self._world)

    def switches(self) -> Json:
        return self._world.switches

    def switch(self, changes: Json) -> Json:
        return self._world.switch(changes)

    def act(self, asked: Json) -> Json:
        return self._back_office.act(asked)

    def record(self, window: Window) -> Json:
        return self._back_office.record(window)

    def overview(self) -> Overview:
        return self._back_office.overview()

    def _act_on(self, asked: Json, answer: Response) -> None:
        # skip an impossible act: the request before it succeeded and must not fail
        with contextlib.suppress(ValueError):
            if answer.status < 300:
                self._back_office.act(asked, answer)
