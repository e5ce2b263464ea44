"""Check versions, settings, ledger, provider and account."""

import platform
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from connectors.issuers import NFSE, open_issuers
from connectors.ledger import parties
from domain.problems import FaturistaError
from tasks.retention.expire import due
from tasks.runtime import Desk, open_desk, service_connection

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
        yield Finding("settings", is_good=True, detail=f"{profile}, {desk.settings.nfse.base_url}")
        bound = desk.ledger.read(parties.account_of)
        yield Finding("ledger", is_good=True, detail=desk.ledger.address)
        yield _retention(desk)
        try:
            async with open_issuers({NFSE: service_connection(desk.settings)}) as opened:
                account = await opened.issuers[NFSE].account()
        except FaturistaError as error:
            yield Finding("provider", is_good=False, detail=desk.catalogue.say(error.problem))
            return
    assert account is not None
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
