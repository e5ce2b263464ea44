"""Check the ledger's surroundings: folders, disk, addresses of messages, providers and their clocks."""

import os
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from configs.catalogue import Catalogue
from configs.plan_rules import load_plan_rules
from configs.settings import Settings
from connectors.http.session import HttpSession
from connectors.issuers import OpenIssuers, open_issuers, registry
from connectors.ledger.database.engines import ledger_file
from connectors.ledger.parties import EmitterRecord
from connectors.notifications import is_address
from connectors.orders.client import OrdersClient
from domain.problems import FaturistaError
from tasks.issuance.emitters import other_emitter
from tasks.monitoring.reference import check_reference
from tasks.runtime import connection, open_order_session, resolve_url
from tasks.runtime.secrets import resolve_secret

_DATE_S: Final = 2.0
"""Largest error of a `Date` header in seconds: it has whole seconds, and servers renew it about once a second."""

_LEAST_FREE: Final = 1_000_000_000
"""Free bytes that each disk should have."""
_MEGABYTE: Final = 1_000_000
_UNITS: Final = (("days", 86_400), ("hours", 3_600), ("minutes", 60))


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check. `detail` says what was found, good or bad, in the operator's language."""

    what: str
    is_good: bool
    detail: str


def check_folders(settings: Settings, words: Catalogue) -> Iterator[Finding]:
    """Check whether inbox and outbox can be used, and whether each disk has room. A missing folder is created later."""
    for what, path in (("inbox", settings.paths.inbox), ("outbox", settings.paths.outbox)):
        folder = _nearest_existing(Path(path))
        is_good = folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)
        yield Finding(what, is_good, path if is_good else words.text("doctor.folder_closed", path=path))
    for places, free in _disks(settings):
        code = "doctor.disk_free" if free >= _LEAST_FREE else "doctor.disk_low"
        shown = ", ".join(words.text(f"doctor.{place}") for place in places)
        yield Finding("disk", free >= _LEAST_FREE, words.text(code, places=shown, megabytes=free // _MEGABYTE))


def _disks(settings: Settings) -> Iterator[tuple[list[str], int]]:
    """Yield each disk once: what we keep there, and its free bytes."""
    paths = settings.paths
    kept = {
        "ledger": ledger_file(resolve_url(settings)),
        "home": paths.home,
        "archive": paths.archive,
        "outbox": paths.outbox,
        "inbox": paths.inbox,
    }
    places: dict[int, list[str]] = {}
    free: dict[int, int] = {}
    for place, path in kept.items():
        if path is not None:
            found = _nearest_existing(Path(path))
            device = found.stat().st_dev
            places.setdefault(device, []).append(place)
            free.setdefault(device, shutil.disk_usage(found).free)
    for device, names in places.items():
        yield names, free[device]


def _nearest_existing(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists."""
    path = path.absolute()
    while not path.exists():
        path = path.parent
    return path


def check_targets(settings: Settings, words: Catalogue) -> Iterator[Finding]:
    """Check whether each of `notifications.targets` has an address to which messages can be sent."""
    for name, reference in settings.notifications.targets.items():
        try:
            is_good = is_address(resolve_secret(reference).get_secret_value())
            detail = name if is_good else words.text("doctor.no_address", name=name)
        except FaturistaError as error:
            is_good, detail = False, words.say(error.problem)
        yield Finding("notifications", is_good, detail)


@dataclass(frozen=True, slots=True)
class LedgerAccount:
    """The account of the service provider to which the ledger belongs (its uuid), and the emitters that it knows."""

    account: str | None = None
    companies: Sequence[EmitterRecord] = ()


async def check_providers(settings: Settings, words: Catalogue, known_account: LedgerAccount) -> AsyncIterator[Finding]:
    """Check each configured provider: account, emitters, clock and codes; then the order service and its rule file."""
    known = registry({name: system.module for name, system in settings.systems.items()})
    for system in known.systems:
        access = settings.system(system)
        if not access.base_url:
            continue
        try:
            connections = {system: connection(settings, system)}
            async with open_issuers(connections, known.systems) as opened:
                async for finding in _issuers(settings, words, system, opened, known_account):
                    yield finding
                if system == known.system_of.get(settings.issuers.service):
                    yield _clock(settings, words, opened.sessions[system])
                    async for compared in check_reference(words, opened, opened.issuers[settings.issuers.service]):
                        yield Finding(*compared)
        except FaturistaError as error:
            yield Finding(_topic_of(system), is_good=False, detail=words.say(error.problem))
    if settings.orders.base_url:
        yield await _orders(settings, words)
    if settings.orders.rules:
        yield _rules(settings, words)


def _topic_of(system: str) -> str:
    return system if system == "products" else "provider"


async def _issuers(
    settings: Settings, words: Catalogue, system: str, opened: OpenIssuers, known_account: LedgerAccount
) -> AsyncIterator[Finding]:
    name, issuer = next(iter(opened.issuers.items()))
    account = await issuer.account()
    if account is None:
        # An issuer without accounts: the emitters are all that it shows.
        emitters = await issuer.emitters()
        shown = {(each.cnpj, each.id) for each in emitters}
        ours = [each for each in known_account.companies if each.issuer in opened.issuers]
        lost = [each for each in ours if (each.cnpj, each.remote_id) not in shown]
        detail = words.say(other_emitter(lost[0], system, emitters)) if lost else f"{name} ({len(emitters)})"
        yield Finding(_topic_of(system), is_good=not lost, detail=detail)
        return
    yield Finding(_topic_of(system), is_good=True, detail=f"{account.name} ({account.issued}/{account.allowance})")
    if name == settings.issuers.service:
        is_ours = known_account.account in {None, account.uuid}
        yield Finding("account", is_ours, account.uuid if is_ours else f"{account.uuid} ≠ {known_account.account}")


def _clock(settings: Settings, words: Catalogue, session: HttpSession) -> Finding:
    """Compare our clock with the provider's."""
    offset_s = session.observed.clock_offset_s
    if offset_s is None:
        return Finding("clock", is_good=True, detail=words.text("doctor.clock_untold"))
    is_good = abs(offset_s) <= settings.protocol.clock_skew_s + _DATE_S
    code = "doctor.clock_agrees" if is_good else "doctor.clock_differs"
    return Finding("clock", is_good, words.text(code, offset=_span(words, abs(offset_s))))


def _span(words: Catalogue, seconds: float) -> str:
    """Return a length of time in the largest unit of which it has at least two."""
    unit, length = next(((name, length) for name, length in _UNITS if seconds >= 2 * length), ("seconds", 1))
    return words.text(f"span.{unit}", count=round(seconds / length))


async def _orders(settings: Settings, words: Catalogue) -> Finding:
    """Read one page of the first plan's orders."""
    try:
        async with open_order_session(settings) as session:
            for plan in settings.orders.plans[:1]:
                await OrdersClient(session).orders.of_plan_page(plan, limit=1, number=1)
    except FaturistaError as error:
        return Finding("orders", is_good=False, detail=words.say(error.problem))
    return Finding("orders", is_good=True, detail=settings.orders.base_url)


def _rules(settings: Settings, words: Catalogue) -> Finding:
    """Read the rule file of paid orders."""
    try:
        load_plan_rules(Path(settings.orders.rules))
    except FaturistaError as error:
        return Finding("rules", is_good=False, detail=" ".join(words.explain(error)))
    return Finding("rules", is_good=True, detail=settings.orders.rules)
