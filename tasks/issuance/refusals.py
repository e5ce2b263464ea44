"""Turn an issuer's messages about a row into problems."""

from collections.abc import Iterator

from connectors.http.errors import ConnectorError
from domain.problems import Problem


def refusals(error: ConnectorError) -> Iterator[Problem]:
    """Yield a Problem for each message about a row: first ours about a request not sent, then the issuer's."""
    yield from error.details
    for field, texts in error.messages.items():
        for text in texts:
            yield Problem("provider.refused_field", field or None, params={"field": field, "message": text})
