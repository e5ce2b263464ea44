"""Expose findings (differences from the month before) as entries like those of `tasks.entries`."""

from collections.abc import Sequence

from tasks.preview.findings_form import approve_form, offered_choices
from tasks.runtime import open_context


async def approve_by_code(
    profile: str,
    batches: Sequence[int],
    total: str,
    code: str,
    *,
    findings: Sequence[str] = (),
    because: str = "",
    account: str,
) -> int:
    """Approve these batches as the owner of the code. Return their number. See `approve_form` for the arguments."""
    with open_context(profile) as context:
        return approve_form(context, batches, total, code, findings=findings, because=because, account=account)


def offered_findings(profile: str) -> list[str]:
    """Return the choices of the dashboard's form: `all`, and each finding that nobody has acknowledged."""
    with open_context(profile) as context:
        return offered_choices(context)
