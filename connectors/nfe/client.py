"""The product-invoice API: attributes are nouns, each method is one documented call."""

from typing import Final

from connectors.http.error_bodies import Dialect, has_listed_errors, is_detail, not_found
from connectors.http.session import HttpSession
from connectors.nfe.batches import BatchCalls
from connectors.nfe.fiscal import NfceCalls, NfeCalls
from connectors.nfe.invoices import InvoiceCalls, Kind
from connectors.nfe.numerations import NumerationCalls
from connectors.nfe.organizations import OrganizationCalls

_REFUSED: Final = (has_listed_errors,)
DIALECT: Final = Dialect(
    {
        400: _REFUSED,
        404: (not_found, has_listed_errors),
        406: _REFUSED,
        409: _REFUSED,
        422: _REFUSED,
    },
    otherwise=(has_listed_errors, is_detail),
)
"""The document describes no errors; these shapes are assumed [A 2.8]."""


class NfeClient:
    """The client. It uses an open session; every call may raise its errors (`connectors.http.errors`).

    `extensions`: undocumented operations may be used, such as reading, listing, `remote_id` and others [A 2.1].
    """

    def __init__(self, session: HttpSession, *, extensions: bool) -> None:
        self.session = session
        session.dialect = DIALECT
        self.extensions = extensions
        self.organizations = OrganizationCalls(session)
        self.nfe = NfeCalls(session, extensions=extensions)
        self.nfce = NfceCalls(session, extensions=extensions)
        self.nfe_batches = BatchCalls(session, "nfe", extensions=extensions)
        self.nfce_batches = BatchCalls(session, "nfce", extensions=extensions)
        self.numerations = NumerationCalls(session, extensions=extensions)

    def of_kind(self, kind: Kind) -> InvoiceCalls:
        return self.nfe if kind == "nfe" else self.nfce

    @property
    def requests(self) -> int:
        """Return the number of requests sent so far, retries included."""
        return self.session.requests
