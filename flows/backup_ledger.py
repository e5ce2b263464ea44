"""Flow: copy the whole ledger into one file each night, and keep the newest copies."""

from prefect import flow

from flows.helping import in_words
from flows.tallies import told
from tasks import faces


@flow(name="backup_ledger", flow_run_name="copy the ledger of {profile}")
@in_words("backup_ledger")
async def backup_ledger(*, profile: str = "local") -> str:
    """Return the path of the new copy. Safe to repeat: each run writes a file of its own."""
    async with told(profile, "backup"):
        return faces.back_up(profile)
