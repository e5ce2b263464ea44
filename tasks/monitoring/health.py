"""Check what may be wrong in a new installation, from versions to the provider's clock; change nothing."""

import platform
from collections.abc import AsyncIterator, Iterator
from importlib.metadata import version
from typing import Final

from configs.catalogue import Catalogue
from connectors.ledger import certificates, parties
from connectors.ledger.engine import LedgerRefused
from connectors.ledger.files import first_received
from connectors.ledger.staff import records as staff_records
from domain.competence import BRASILIA
from tasks.backup import detaching
from tasks.backup.copies import newest_copy_at
from tasks.issuance.certificate_term import end_params
from tasks.monitoring.checks import Finding, LedgerAccount, check_folders, check_providers, check_targets
from tasks.persons.expire import count_expired
from tasks.runtime import Context, inspect_context, settings_of

_CERTIFICATE_DAYS: Final = 30
_PINNED: Final = ("prefect", "fastapi", "sqlalchemy", "httpx")
_MADE_LATER: Final = frozenset({"ledger.missing", "ledger.not_migrated"})


async def check_health(profile: str) -> list[Finding]:
    """Return all findings. Raises `FaturistaError` if the settings or the ledger cannot be read."""
    return [finding async for finding in _findings(profile)]


async def _findings(profile: str) -> AsyncIterator[Finding]:
    python = f"Python {platform.python_version()}"
    yield Finding(
        "versions", is_good=True, detail=", ".join([python, *(f"{name} {version(name)}" for name in _PINNED)])
    )
    settings = settings_of(profile)
    words = Catalogue.load(settings.language)
    yield Finding("settings", is_good=True, detail=f"{profile}, {settings.nfse.base_url}")
    for finding in (*check_folders(settings, words), *check_targets(settings, words)):
        yield finding
    try:
        with inspect_context(profile) as context:
            account = context.ledger.read(parties.account_of)
            companies = context.ledger.read(parties.emitters_all)
            known_account = LedgerAccount(account[0] if account else None, companies)
            yield Finding("ledger", is_good=True, detail=context.ledger.address)
            yield _retention(context)
            yield _backup(context)
            yield _check_enrolment(context)
            for finding in _certificates(context):
                yield finding
    except LedgerRefused as error:
        # Not a fault: the first command that writes creates a missing ledger and migrates an older one.
        if error.problem.code not in _MADE_LATER:
            raise
        known_account = LedgerAccount()
        yield Finding("ledger", is_good=True, detail=words.say(error.problem))
    async for finding in check_providers(settings, words, known_account):
        yield finding


def _certificates(context: Context) -> Iterator[Finding]:
    """Report the expiry of each certificate that the ledger knows."""
    for each in context.ledger.read(certificates.ends_all):
        detail = context.catalogue.text("doctor.certificate_ends", **end_params(each))
        yield Finding("certificate", is_good=each.days_left >= _CERTIFICATE_DAYS, detail=detail)


def _backup(context: Context) -> Finding:
    words, hours = context.catalogue, context.settings.notifications.backup_hours
    newest = newest_copy_at(context)
    if newest is None:
        is_needed = context.ledger.read(first_received) is not None
        return Finding("backup", is_good=not is_needed, detail=words.text("doctor.backup_none"))
    is_good = (context.clock() - newest).total_seconds() <= hours * 3_600
    at = newest.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")
    code = "doctor.backup_at" if is_good else "doctor.backup_old"
    return Finding("backup", is_good=is_good, detail=words.text(code, at=at, hours=hours))


def _check_enrolment(context: Context) -> Finding:
    """Report how many people are enrolled. In production, acts need an enrolled person."""
    words, found = context.catalogue, context.ledger.read(staff_records.staff_all)
    if not found:
        code = "doctor.staff_nobody" if context.settings.is_production else "staff.none"
        return Finding("staff", is_good=not context.settings.is_production, detail=words.text(code))
    count = sum(each.revoked_at is None for each in found)
    return Finding("staff", is_good=True, detail=words.text("doctor.staff_count", count=count))


def _retention(context: Context) -> Finding:
    """Report data past its retention term, and which months can be detached or why not."""
    past, words = count_expired(context), context.catalogue
    sentences = [words.say(each) for each in detaching.detach_notices(context)]
    if past.is_due:
        sentences.insert(0, words.text("doctor.retention_due", sheets=past.sheets, rows=past.rows, staff=past.staff))
    return Finding(
        "retention", is_good=not sentences, detail=" ".join(sentences) or words.text("doctor.retention_none")
    )
