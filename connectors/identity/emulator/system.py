"""This emulator as a part of the sandbox."""

from typing import Final

from starlette.types import ASGIApp

from connectors.emulation.messages import Json, Refusal, Response
from connectors.emulation.state_file import Window
from connectors.emulation.system import Overview, SharedParts, StatusCounts
from connectors.identity.emulator import accounts, activations, identities, members
from connectors.identity.emulator.authentication import Authentication
from connectors.identity.emulator.registry import SCHEMA, Registry
from connectors.identity.emulator.seed import default_identity, fill
from connectors.identity.emulator.sign_on import sign_on
from connectors.identity.emulator.switches import DEFAULTS, PREFIX

_NOUNS: Final = (accounts, members, identities, activations)
_HOME: Final = "/organizations"


class IdentityEmulator:
    """Serves every path below `/organizations`, for applications. The key `identity` of a seed has accounts."""

    schema = SCHEMA
    switch_prefix = PREFIX
    acts: tuple[str, ...] = ("sign_on",)
    default_switches: Json = DEFAULTS

    def __init__(self, shared: SharedParts) -> None:
        self._registry = Registry(shared.store, shared.clock.now)
        handlers = {name: handler for noun in _NOUNS for name, handler in noun.handlers(self._registry).items()}
        self.dispatcher: ASGIApp = shared.dispatcher(
            self._registry.document["operations"],
            handlers,
            before=self.advance,
            act=self._act_on,
            admit=Authentication(self._registry).admit,
            missing=lambda: Refusal(404, "Não encontrado."),
            unreadable=lambda: Refusal(400, {"errors": ["O corpo deve ser um JSON válido."]}),
            takes_forms=True,
        )

    def serves(self, path: str) -> bool:
        return path == _HOME or path.startswith(f"{_HOME}/")

    def company(self) -> Json:
        return {"identity": default_identity()}

    def seed(self, company: Json) -> None:
        fill(self._registry, company.get("identity") or default_identity())

    def reload(self) -> None:
        self._registry.reload()

    def advance(self) -> None:
        """Do nothing: a read recognises an expired account."""

    def switches(self) -> Json:
        return self._registry.switches

    def switch(self, changes: Json) -> Json:
        return self._registry.switch(changes)

    def act(self, asked: Json) -> Json:
        return sign_on(self._registry, asked)

    def record(self, _window: Window) -> Json:
        return {"identity": {"accounts": self._count("identity_accounts"), "users": self._count("identity_users")}}

    def overview(self) -> Overview:
        """Count accounts by whether they have expired."""
        expired = self._registry.store.one(
            "SELECT COUNT(*) FROM identity_subscriptions WHERE expiration <= ?", (self._registry.now(),)
        )[0]
        in_force = self._count("identity_subscriptions") - expired
        return Overview((StatusCounts("accounts", {"in_force": in_force, "expired": expired}),))

    def _count(self, table: str) -> int:
        return int(self._registry.store.one(f"SELECT COUNT(*) FROM {table}")[0])  # noqa: S608 - our own names

    def _act_on(self, asked: Json, _answer: Response) -> None:
        self.act(asked)
