"""Instants on the wire: a naive one is Brasília time, and answers are in UTC [A notes 1.26]."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Final

BRASILIA: Final = timezone(timedelta(hours=-3))


def in_utc(text: str) -> str:
    """Return a request's instant as UTC text, as answers write it. Raises `ValueError` for another text."""
    instant = datetime.fromisoformat(text)
    aware = instant if instant.tzinfo else instant.replace(tzinfo=BRASILIA)
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def at(seconds: float) -> str:
    """Return an instant, in seconds since 1970, as UTC text."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
