"""Turn an issuer's messages about a row into problems."""

from connectors.http.errors import ConnectorError
from domain.problems import Problem


def refusals(error: ConnectorError) -> list[Problem]:
    """Return a problem for each message about a row: first our own, about a request not sent, then the issuer's.

    Without any message, return the problem of the error itself, so that a row always has a reason.
    """
    theirs = [
        Problem("provider.refused_field", field or None, params={"field": field, "message": text})
        for field, texts in error.messages.items()
        for text in texts
    ]
    return [*error.details, *theirs] or [error.problem]
