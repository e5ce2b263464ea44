"""Check an application's token and secret (document 002, Authentication)."""

from typing import Final

from connectors.emulation.dispatcher import basic_pair
from connectors.emulation.messages import Refusal
from connectors.identity.emulator.registry import Registry

USER_TOKEN: Final = "sandbox-user-token"  # noqa: S105 - opens nothing: a user's token is refused everywhere here


class Authentication:
    """Identify the caller for the registry. Refuse an unknown one with a 401, a user with a 403."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def admit(self, header: str) -> None:
        token, secret = basic_pair(header) or ("", "")
        if token == USER_TOKEN:
            raise Refusal(403, {"detail": "You do not have permission to perform this action."})
        row = self._registry.store.one(
            "SELECT slug FROM identity_services WHERE token = ? AND secret = ?", (token, secret)
        )
        if row is None:
            challenge = {"WWW-Authenticate": 'Basic realm="api"'}
            raise Refusal(401, {"detail": "Invalid username/password."}, headers=challenge)
        self._registry.caller = row[0]
