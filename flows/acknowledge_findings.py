"""Flow: acknowledge differences from the month before in batches that wait for approval."""

from flows.arguments import reason
from flows.run_report import failure_page
from flows.runner import Runner
from tasks import approval_entries as entries


async def acknowledge_findings(
    runner: Runner, *, profile: str = "local", findings: list[str], because: str, person: str
) -> int:
    """Record that a person acknowledges findings, with the reason. Return the number of new acknowledgements.

    It sends and approves nothing. The approver sees each acknowledgement with its person and reason.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        findings: The choices of the dashboard's form: findings one by one, or all.
        because: The reason.
        person: Name of the acknowledging person; the dashboard does not check it.

    Raises:
        FaturistaError: No reason, no such finding, or the profile requires four eyes and the person dropped the sheet.
    """
    async with failure_page(runner, profile, "findings"):
        why = reason(because)
        made = await runner.run(entries.acknowledge_chosen, profile, findings, person=person, because=why)
        await runner.show("findings", await runner.run(entries.show_findings, profile))
    return made
