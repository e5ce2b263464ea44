"""The identity service: attributes are nouns, each method is one documented call."""

from typing import Final

from connectors.http.dialects import Dialect, bare_text, detail, empty_page, keyed_messages
from connectors.http.session import HttpSession
from connectors.identity.accounts import AccountCalls
from connectors.identity.activations import ActivationCalls
from connectors.identity.identities import IdentityCalls
from connectors.identity.members import MemberCalls

DIALECT: Final = Dialect(
    {
        400: (keyed_messages,),
        403: (detail, empty_page),
        404: (bare_text,),
        406: (bare_text,),
        409: (bare_text,),
    },
    otherwise=(detail,),
)
"""As seen on the wire: bare JSON strings where the document has a word of its own [A 4.4]."""


class IdentityClient:
    """Works on an open session, whose errors (`connectors.http.errors`) every call may raise."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        session.dialect = DIALECT
        self.accounts = AccountCalls(session)
        self.members = MemberCalls(session)
        self.identities = IdentityCalls(session)
        self.activations = ActivationCalls(session)

    @property
    def requests(self) -> int:
        """Requests put on the wire so far, repeated ones included."""
        return self.session.requests
