"""Check versions, settings, ledger, provider and account."""

import platform
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from connectors.issuers import open_issuers
from connectors.ledger import parties
from domain.issuing import SERVICE
from domain.problems import FaturistaError
from tasks.persons.expire import due
from tasks.runtime import Desk, connection, open_desk

_PINNED: Final = ("prefect", "fastapi", "sqlalchemy", "httpx")


@dataclass(frozen=True, slots=True)
class Finding:
    """One checked thing. `detail` is in the operator's language if something is wrong."""

    what: str
    is_good: bool
    detail: str


async def check_health(profile: str) -> list[Finding]:
    """Return all findings. A failed check ends the list if the later ones depend on it."""
    return [finding async for finding in _findings(profile)]


async def _findings(profile: str) -> AsyncIterator[Finding]:
    python = f"Python {platform.python_version()}"
    yield Finding(
        "versions", is_good=True, detail=", ".join([python, *(f"{name} {version(name)}" for name in _PINNED)])
    )
    with open_desk(profile) as desk:
        issuer = desk.issuer_of(SERVICE)
        system, line = desk.registry.system_of[issuer], desk.line_of(issuer)
        yield Finding("settings", is_good=True, detail=f"{profile}, {line.base_url}")
        bound = desk.ledger.read(parties.account_of)
        yield Finding("ledger", is_good=True, detail=desk.ledger.address)
        yield _retention(desk)
        try:
            connections = {system: connection(desk.settings, system)}
            async with open_issuers(connections, desk.registry.systems) as opened:
                account = await opened.issuers[issuer].account()
                emitters = [] if account else await opened.issuers[issuer].emitters()
        except FaturistaError as error:
            yield Finding("provider", is_good=False, detail=desk.catalogue.say(error.problem))
            return
    if account is None:
        # An issuer without accounts: whoever it lets issue is all that it tells.
        yield Finding("provider", is_good=True, detail=f"{issuer} ({len(emitters)})")
        return
    yield Finding("provider", is_good=True, detail=f"{account.name} ({account.issued}/{account.allowance})")
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
