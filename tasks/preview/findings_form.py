"""The choices of the dashboard's form for findings, and what a person chose."""

from collections.abc import Iterable

from configs.catalogue import Catalogue
from domain.money import format_brl
from tasks.approvals.findings import ALL, Finding, findings_of
from tasks.runtime import Context
from tasks.stations.approve import waiting_batches


def offered(context: Context) -> list[str]:
    """Return the choices: `ALL`, and each finding that nobody has acknowledged; none where there is none."""
    found = findings_of(context, waiting_batches(context))
    left = [each for each in found if each.acknowledged is None]
    return [ALL, *(_choice(context.catalogue, each) for each in left)] if left else []


def chosen_codes(chosen: Iterable[str]) -> list[str]:
    """Return the codes of choices that the form offered."""
    return [each.partition(" ")[0] for each in chosen]


def _choice(words: Catalogue, finding: Finding) -> str:
    change = finding.change
    amounts = (format_brl(cents) for cents in (change.cents_before, change.cents) if cents is not None)
    told = (words.text(f"preview.change.{change.kind}"), change.taker_name, " → ".join(amounts))
    return f"{finding.code} {' · '.join(told)}"
