"""Serve the dashboard's form for findings: its choices, their acknowledgement, and the page with the result."""

from collections.abc import Sequence

from configs.catalogue import Catalogue
from connectors.spreadsheets.pages import Page
from domain.money import format_brl
from domain.staff import Actor
from tasks.approvals.findings import ALL, Finding, acknowledge, findings_of
from tasks.preview.page import findings_section
from tasks.runtime import Context
from tasks.stations.approve import waiting_batches


def offered(context: Context) -> list[str]:
    """Return the choices: `ALL` and each unacknowledged finding; none without findings."""
    left = [each for each in _findings(context) if each.acknowledged is None]
    return [ALL, *(_choice(context.catalogue, each) for each in left)] if left else []


def acknowledge_choices(context: Context, chosen: Sequence[str], *, person: str, because: str) -> int:
    """Acknowledge the chosen findings like `acknowledge`. Return the number of new acknowledgements."""
    codes = [each.partition(" ")[0] for each in chosen]
    return acknowledge(context, waiting_batches(context), codes, actor=Actor(person), because=because)


def findings_page(context: Context) -> Page:
    """Return the page of findings of all batches that wait for approval."""
    words, found = context.catalogue, _findings(context)
    left = sum(each.acknowledged is None for each in found)
    lines = (words.text("findings.left", count=left) if left else words.text("cli.next_approve"),)
    sections = (findings_section(words, found),)
    return Page(title=words.text("findings.title"), lines=lines, alarms=(), sections=sections, lists=())


def _findings(context: Context) -> list[Finding]:
    return findings_of(context, waiting_batches(context))


def _choice(words: Catalogue, finding: Finding) -> str:
    change = finding.change
    amounts = (format_brl(cents) for cents in (change.cents_before, change.cents) if cents is not None)
    told = (words.text(f"preview.change.{change.kind}"), change.taker_name, " → ".join(amounts))
    return f"{finding.code} {' · '.join(told)}"
