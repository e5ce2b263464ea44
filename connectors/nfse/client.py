"""The whole service-invoice API: attributes are nouns, each method is one documented call."""

from connectors.http.dialects import DEFAULT
from connectors.http.session import HttpSession
from connectors.nfse.account import AccountCalls
from connectors.nfse.batches import BatchCalls
from connectors.nfse.cities import CityCalls
from connectors.nfse.emitters import EmitterCalls
from connectors.nfse.notes import NoteCalls
from connectors.nfse.service_values import ServiceValueCalls
from connectors.nfse.takers import TakerCalls
from connectors.nfse.webhooks import WebhookCalls


class NfseClient:
    """The client. It uses an open session; every call may raise its errors (`connectors.http.errors`)."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        session.dialect = DEFAULT
        self.account = AccountCalls(session)
        self.emitters = EmitterCalls(session)
        self.service_values = ServiceValueCalls(session)
        self.takers = TakerCalls(session)
        self.batches = BatchCalls(session)
        self.notes = NoteCalls(session)
        self.cities = CityCalls(session)
        self.webhooks = WebhookCalls(session)

    @property
    def requests(self) -> int:
        """Return the number of requests sent so far, retries included."""
        return self.session.requests
