"""The identity service: attributes are nouns, each method is one documented call."""

from connectors.http.session import HttpSession
from connectors.identity.accounts import AccountCalls
from connectors.identity.activations import ActivationCalls
from connectors.identity.identities import IdentityCalls
from connectors.identity.members import MemberCalls


class IdentityClient:
    """Works on an open session, whose errors (`connectors.http.errors`) every call may raise."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        self.accounts = AccountCalls(session)
        self.members = MemberCalls(session)
        self.identities = IdentityCalls(session)
        self.activations = ActivationCalls(session)

    @property
    def requests(self) -> int:
        """Requests put on the wire so far, repeated ones included."""
        return self.session.requests
