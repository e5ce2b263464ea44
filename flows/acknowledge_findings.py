"""Flow: acknowledge what is unlike the month before in batches that wait for a yes."""

from flows.arguments import reason
from flows.run_report import failure_page
from flows.runner import Runner
from tasks import approval_entries as entries


async def acknowledge_findings(
    runner: Runner, *, profile: str = "local", findings: list[str], because: str, person: str
) -> int:
    """Enter that a person has seen findings and why they are right. Return how many were new.

    It sends and approves nothing: whoever approves sees who acknowledged what, and why.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        findings: The choices of the dashboard's form: findings one by one, or all.
        because: Why they are right.
        person: Who acknowledges them; the dashboard does not check the name.

    Raises:
        FaturistaError: There is no reason, no such finding, or the person dropped the sheet and four eyes are wanted.
    """
    async with failure_page(runner, profile, "findings"):
        why = reason(because)
        made = await runner.run(entries.acknowledge_chosen, profile, findings, person=person, because=why)
        await runner.show("findings", await runner.run(entries.show_findings, profile))
    return made
