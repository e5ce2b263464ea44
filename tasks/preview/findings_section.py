"""Show the findings of an approval as one section of its page."""

from collections.abc import Sequence

from configs.catalogue import Catalogue
from connectors.spreadsheets.writers.pages import Cents, Section
from tasks.approvals.findings import Finding
from tasks.views.sections import section


def findings_section(words: Catalogue, findings: Sequence[Finding]) -> Section:
    """Return every finding with its code, those without an acknowledgement first."""
    waiting = sorted(findings, key=lambda each: each.acknowledged is not None)
    rows = [
        (
            each.code,
            words.text(f"preview.change.{each.change.kind}"),
            each.change.taker_name,
            each.change.template or "",
            None if each.change.cents_before is None else Cents(each.change.cents_before),
            None if each.change.cents is None else Cents(each.change.cents),
            "" if each.acknowledged is None else f"{each.acknowledged.person}: {each.acknowledged.because}",
        )
        for each in waiting
    ]
    note = words.text("preview.acknowledge") if any(each.acknowledged is None for each in findings) else ""
    headings = ("finding", "what", "taker", "template", "total_before", "total_now", "acknowledged")
    return section(words, "preview.changes", headings, rows, note=note)
