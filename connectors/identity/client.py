"""The identity service: attributes are nouns, each method is one documented call."""

from typing import Final

from connectors.http.error_bodies import (
    Dialect,
    has_keyed_messages,
    is_bare_text,
    is_detail,
    is_empty_page,
    is_missing_page,
)
from connectors.http.session import HttpSession
from connectors.identity.accounts import AccountCalls
from connectors.identity.activations import ActivationCalls
from connectors.identity.identities import IdentityCalls
from connectors.identity.members import MemberCalls

DIALECT: Final = Dialect(
    {
        400: (has_keyed_messages,),
        403: (is_detail, is_empty_page),
        404: (is_bare_text, is_missing_page),
        406: (is_bare_text,),
        409: (is_bare_text,),
    },
    otherwise=(is_detail,),
)
"""Observed on the wire: bare JSON strings where the document shows its own texts [A 4.4]."""


class IdentityClient:
    """The client. It uses an open session; every call may raise its errors (`connectors.http.errors`)."""

    def __init__(self, session: HttpSession) -> None:
        self.session = session
        session.dialect = DIALECT
        self.accounts = AccountCalls(session)
        self.members = MemberCalls(session)
        self.identities = IdentityCalls(session)
        self.activations = ActivationCalls(session)

    @property
    def requests(self) -> int:
        """Return the number of requests sent so far, retries included."""
        return self.session.requests
