"""Activation of a service for a user, which only the order service may request (document 002)."""

import json
from typing import Final

from connectors.http.calls import understand
from connectors.http.redacted_model import RequestModel
from connectors.http.session import HttpSession
from connectors.http.wire_values import Filled, Uuid
from connectors.identity.accounts import Account, read_account
from connectors.identity.shapes import HOME, Expiration, expiration_to_wire, with_expiration, with_uuid

_DONE: Final = frozenset({200, 201})


class Activation(RequestModel):
    """An activation. `slug` names the solution; `resource_url` is the purchase, and may be left out [A 4.10]."""

    slug: Filled
    identity: Uuid
    global_account: Uuid | None = None
    external_id: Filled | None = None
    resource_url: Filled | None = None


class ActivationCalls:
    """Calls that need the order service's credentials; with any other they raise `Denied`."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def activate(self, activation: Activation, *, expiration: Expiration) -> Account:
        """Activate the solution for a user, or extend it.

        Raises `ValueError` if the activation has neither an account nor an external id, and `Refused` for an unknown
        or inactive solution or an unknown user, `Doubtful` for an answer with another account or expiration.
        """
        if activation.global_account is None and activation.external_id is None:
            raise ValueError("an activation needs the global account or the external id")
        asked = activation.model_dump(exclude_none=True) | expiration_to_wire(expiration)
        body = json.dumps(asked, ensure_ascii=False).encode()
        answer = await self._session.write("PUT", f"{HOME}/activate/", body, expect=_DONE)
        return understand(answer, lambda data: _as_asked(read_account(data), activation, expiration))


def _as_asked(found: Account, activation: Activation, expiration: Expiration) -> Account:
    if activation.global_account is not None:
        with_uuid(found, found.account_data.uuid, activation.global_account)
    return with_expiration(found, found.expiration, expiration)
