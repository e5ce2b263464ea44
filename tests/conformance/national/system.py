"""The registration of the third issuer, which a profile's `systems` names by this module's path."""

from collections.abc import Sequence
from typing import Final

from connectors.http.auth import TokenHeader
from connectors.http.session import HttpSession
from connectors.issuers import Connection, System
from domain.issuing import Issuer
from tests.conformance.national.issuer import CAPABILITIES, NAME, NationalIssuer


def _issuers(session: HttpSession, connection: Connection) -> Sequence[Issuer]:
    return [NationalIssuer(session, connection)]


SYSTEM: Final = System(TokenHeader, _issuers, {NAME: lambda _extensions: CAPABILITIES})
