"""Flow: what people dropped into the inbox is billed, and each file gets its answer in the outbox."""

from prefect import flow

from connectors.ledger.engine import LedgerUnavailable
from connectors.spreadsheets.drops import Drop
from domain.problems import SettingsError
from flows.billing import bill
from flows.helping import in_words
from flows.tallies import gathered, told
from tasks import faces
from tasks.inbox.take import options_of


@flow(name="sweep_inbox", flow_run_name="sweep the inbox of {profile}")
@in_words("sweep_inbox", arguments="inbox")
async def sweep_inbox(*, profile: str = "local") -> int:
    """How many files were taken, refused ones included; answers with news are written again.

    Safe to repeat and to kill: a file leaves the inbox only once it is in the ledger, and the same bytes taken twice
    bill nothing twice. One bad file never holds up the others: what went wrong is raised at the end.
    """
    async with told(profile, "inbox"):
        errors: list[Exception] = []
        faces.say_unread(profile)
        drops = faces.settled_drops(profile)
        for drop in drops:
            try:
                await _take(profile, drop)
            except (LedgerUnavailable, SettingsError):
                raise  # would be the same for every file
            except Exception as error:  # noqa: BLE001 - raised at the end of the sweep
                errors.append(error)
        for file in faces.stale_answers(profile):
            try:
                faces.answer(profile, file)
            except (LedgerUnavailable, SettingsError):
                raise
            except Exception as error:  # noqa: BLE001 - as above
                errors.append(error)
        if errors:
            raise gathered(profile, errors)
    return len(drops)


async def _take(profile: str, drop: Drop) -> None:
    sorted_out = faces.sort_drop(profile, drop)
    if sorted_out is None:
        return
    kind, made = sorted_out
    try:
        await bill(profile, str(drop.path), kind=kind, options=options_of(drop), made=made)
    finally:
        # What is in the ledger goes on from there, whatever stopped it here; what is not stays in the inbox.
        faces.close_drop(profile, drop)
