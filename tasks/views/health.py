"""Whether everything the line needs is there: versions, settings, ledger, provider, account."""

import platform
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from connectors.ledger import parties
from connectors.nfse.client import NfseClient
from domain.problems import FaturistaError
from tasks.retention.expire import due
from tasks.runtime import Desk, open_desk, open_session

_PINNED: Final = ("prefect", "fastapi", "sqlalchemy", "httpx")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `detail` is in the operator's language where something is wrong."""

    what: str
    is_good: bool
    detail: str


async def check_health(profile: str) -> list[Finding]:
    """All findings, in the order in which they build on one another; stops at the first that makes the rest moot."""
    return [finding async for finding in _findings(profile)]


async def _findings(profile: str) -> AsyncIterator[Finding]:
    python = f"Python {platform.python_version()}"
    yield Finding(
        "versions", is_good=True, detail=", ".join([python, *(f"{name} {version(name)}" for name in _PINNED)])
    )
    with open_desk(profile) as desk:
        yield Finding("settings", is_good=True, detail=f"{profile}, {desk.settings.nfse.base_url}")
        bound = desk.ledger.read(parties.account_of)
        yield Finding("ledger", is_good=True, detail=desk.ledger.address)
        yield _retention(desk)
        try:
            async with open_session(desk.settings) as session:
                account = await NfseClient(session).account.read()
        except FaturistaError as error:
            yield Finding("provider", is_good=False, detail=desk.catalogue.say(error.problem))
            return
    yield Finding("provider", is_good=True, detail=f"{account.name} ({account.emission_count}/{account.max_emissions})")
    told = account.uuid if bound is None else bound[0]
    is_ours = told == account.uuid
    yield Finding("account", is_good=is_ours, detail=account.uuid if is_ours else f"{account.uuid} ≠ {told}")


def _retention(desk: Desk) -> Finding:
    past = due(desk)
    words = desk.catalogue
    told = words.text("doctor.retention_none")
    if past.is_due:
        told = words.text("doctor.retention_due", sheets=past.sheets, rows=past.rows)
    return Finding("retention", is_good=not past.is_due, detail=told)
