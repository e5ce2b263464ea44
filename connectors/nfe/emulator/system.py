"""This emulator as a part of the sandbox."""

import contextlib
from typing import Final

from starlette.types import ASGIApp

from connectors.emulation.dispatcher import credentials
from connectors.emulation.messages import Json, Refusal, Response
from connectors.emulation.state_file import Window
from connectors.emulation.system import Overview, SharedParts
from connectors.nfe.emulator import batches, events, invoices, numbering, organizations, tax_authority
from connectors.nfe.emulator.back_office import ACTS, BackOffice
from connectors.nfe.emulator.invoice_documents import PREFIX as DOCUMENTS
from connectors.nfe.emulator.invoice_documents import DocumentMiddleware
from connectors.nfe.emulator.seed import default_shops, seed
from connectors.nfe.emulator.state import SCHEMA, EmulatorState
from connectors.nfe.emulator.switches import DEFAULTS, PREFIX

_NOUNS: Final = (organizations, invoices, batches, events, numbering)
_HOME: Final = "/api/v1/organizations"


class ProductEmulator:
    """Serves every path below `/api/v1/organizations`, for holders of the product token."""

    schema = SCHEMA
    switch_prefix = PREFIX
    acts = ACTS
    default_switches: Json = DEFAULTS

    def __init__(self, shared: SharedParts) -> None:
        self._world = EmulatorState(shared.store, shared.faults, shared.clock.now)
        self._back_office = BackOffice(self._world)
        handlers = {name: handler for noun in _NOUNS for name, handler in noun.handlers(self._world).items()}
        dispatcher = shared.dispatcher(
            self._world.document["operations"],
            handlers,
            before=self.advance,
            act=self._act_on,
            admit=self._admit,
            unreadable=lambda: Refusal(400, {"errors": [{"base": ["não é um JSON válido"]}]}),
        )
        self.dispatcher: ASGIApp = DocumentMiddleware(self._world, dispatcher)

    def serves(self, path: str) -> bool:
        return path == _HOME or path.startswith((f"{_HOME}/", DOCUMENTS))

    def company(self) -> Json:
        return {"organizations": default_shops()}

    def seed(self, company: Json) -> None:
        seed(self._world, company)

    def reload(self) -> None:
        self._world.reload()

    def advance(self) -> None:
        tax_authority.advance(self._world)

    def switches(self) -> Json:
        return self._world.switches

    def switch(self, changes: Json) -> Json:
        return self._world.switch(changes)

    def act(self, asked: Json) -> Json:
        return self._back_office.act(asked)

    def record(self, window: Window) -> Json:
        return {"product_invoices": self._back_office.record(window)}

    def overview(self) -> Overview:
        return self._back_office.overview()

    def _act_on(self, asked: Json, answer: Response) -> None:
        # skip an impossible act: the request before it succeeded and must not fail
        with contextlib.suppress(ValueError):
            if answer.status < 300:
                self._back_office.act(asked, answer)

    def _admit(self, header: str) -> None:
        """Check the credentials: the documented header first, then the two other accepted ones [A 2.3]."""
        found = credentials(header, "token") or credentials(header, "bearer") or ""
        if found.removeprefix("token=").strip('"') != self._world.token:
            raise Refusal(401, {"errors": "Bad credentials"}, headers={"WWW-Authenticate": 'Token realm="Application"'})
