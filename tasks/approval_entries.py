"""Expose findings (differences from the month before) as entries like those of `tasks.entries`."""

from collections.abc import Sequence
from typing import Final

from tasks.preview.findings_form import acknowledge_choices, findings_page, offered
from tasks.runtime import open_context
from tasks.views.markdown import markdown


async def acknowledge_chosen(profile: str, chosen: Sequence[str], *, person: str, because: str) -> int:
    """Acknowledge the chosen findings of a form, or all. Return the number of new acknowledgements."""
    with open_context(profile) as context:
        return acknowledge_choices(context, chosen, person=person, because=because)


async def show_findings(profile: str) -> str:
    """Return the findings of all batches that wait for approval, as Markdown."""
    with open_context(profile) as context:
        return markdown(findings_page(context))


def offered_findings(profile: str) -> list[str]:
    """Return the choices of the dashboard's form."""
    with open_context(profile) as context:
        return offered(context)


REPEATABLE: Final = frozenset({acknowledge_chosen, show_findings})
"""As `tasks.entries.REPEATABLE`: repeated acknowledgements change nothing."""
