"""The whole service-invoice API: attributes are nouns, each method is one documented call.

The nouns that every command needs are built at once. The others are imported on first use, because building their
models takes longer than all requests of a short command.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from connectors.http.error_bodies import DEFAULT
from connectors.http.session import HttpSession
from connectors.nfse.account import AccountCalls
from connectors.nfse.emitters import EmitterCalls
from connectors.nfse.service_values import ServiceValueCalls
from connectors.nfse.takers import TakerCalls

if TYPE_CHECKING:
    from connectors.nfse.batches import BatchCalls
    from connectors.nfse.cities import CityCalls
    from connectors.nfse.notes import NoteCalls
    from connectors.nfse.webhooks import WebhookCalls

# ruff: noqa: PLC0415


class NfseClient:
    """The client. It uses an open session; every call may raise its errors (`connectors.http.errors`)."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        session.dialect = DEFAULT
        self.account = AccountCalls(session)
        self.emitters = EmitterCalls(session)
        self.service_values = ServiceValueCalls(session)
        self.takers = TakerCalls(session)

    @cached_property
    def batches(self) -> "BatchCalls":
        from connectors.nfse.batches import BatchCalls

        return BatchCalls(self.session)

    @cached_property
    def notes(self) -> "NoteCalls":
        from connectors.nfse.notes import NoteCalls

        return NoteCalls(self.session)

    @cached_property
    def cities(self) -> "CityCalls":
        from connectors.nfse.cities import CityCalls

        return CityCalls(self.session)

    @cached_property
    def webhooks(self) -> "WebhookCalls":
        from connectors.nfse.webhooks import WebhookCalls

        return WebhookCalls(self.session)

    @property
    def requests(self) -> int:
        """Return the number of requests sent so far, retries included."""
        return self.session.requests
