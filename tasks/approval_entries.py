"""Entries about what is unlike the month before, in the form of `tasks.entries`."""

from collections.abc import Sequence
from typing import Final

from configs.catalogue import Catalogue
from connectors.spreadsheets.pages import Page
from domain.money import format_brl
from tasks.approvals.findings import ALL, Finding, acknowledge, findings_of
from tasks.preview.page import findings_section
from tasks.runtime import Context, open_context
from tasks.stations.approve import waiting_batches
from tasks.views.markdown import markdown


async def acknowledge_chosen(profile: str, chosen: Sequence[str], *, person: str, because: str) -> int:
    """Acknowledge findings that a form offered, or all. Return how many were new."""
    with open_context(profile) as context:
        codes = [each.partition(" ")[0] for each in chosen]
        return acknowledge(context, waiting_batches(context), codes, person=person, because=because)


async def show_findings(profile: str) -> str:
    """Return what is unlike the month before in all that waits for a yes, as Markdown."""
    with open_context(profile) as context:
        words, found = context.catalogue, _findings(context)
        left = sum(each.acknowledged is None for each in found)
        lines = (words.text("findings.left", count=left) if left else words.text("cli.next_approve"),)
        sections = (findings_section(words, found),)
        return markdown(Page(title=words.text("findings.title"), lines=lines, alarms=(), sections=sections, lists=()))


def offered_findings(profile: str) -> list[str]:
    """Return the choices of a form: `ALL`, and each finding that nobody has acknowledged; none where there is none."""
    with open_context(profile) as context:
        left = [each for each in _findings(context) if each.acknowledged is None]
        return [ALL, *(_label(context.catalogue, each) for each in left)] if left else []


def _findings(context: Context) -> list[Finding]:
    return findings_of(context, waiting_batches(context))


def _label(words: Catalogue, finding: Finding) -> str:
    change = finding.change
    amounts = (format_brl(cents) for cents in (change.cents_before, change.cents) if cents is not None)
    told = (words.text(f"preview.change.{change.kind}"), change.taker_name, " → ".join(amounts))
    return f"{finding.code} {' · '.join(told)}"


REPEATABLE: Final = frozenset({acknowledge_chosen, show_findings})
"""As `tasks.entries.REPEATABLE`: what was acknowledged already stays as it is."""
