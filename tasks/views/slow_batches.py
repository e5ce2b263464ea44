"""Report batches that take too long, by age, and open an incident for the slowest. Never send them again.

Maintenance can stop a city for days, so waiting is no fault of ours; only its length is reported.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from connectors.ledger import incidents as ledger_incidents
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.observations.ages import UnderWay, batches_under_way, unended_numbers
from domain.competence import BRASILIA
from domain.problems import Problem
from tasks.runtime import Context

STUCK: Final = "batch.stuck"
_LISTED: Final = 50
_MINUTE_S: Final = 60
_HOUR_S: Final = 3_600


def notices_by_age(context: Context) -> Iterator[Problem]:
    """Yield a problem for each batch that takes longer than the settings allow, oldest first.

    A batch that only waits for its turn is reported later than others, at the warning limit.
    """
    looks, at = context.settings.reconcile, context.ledger.read(ledger_now)
    for each in context.ledger.read(batches_under_way):
        age_s = (at - each.since).total_seconds()
        if age_s >= looks.stuck_warning_s:
            hours = int(age_s // _HOUR_S)
            yield Problem("batch.very_slow", params={"batch": each.batch_id, "hours": hours, "state": each.state})
        elif age_s >= looks.stuck_info_s and not each.is_in_turn:
            minutes = int(age_s // _MINUTE_S)
            yield Problem("batch.slow", params={"batch": each.batch_id, "minutes": minutes, "state": each.state})


def escalate_stuck(context: Context) -> int:
    """Open an incident with the list of invoices for each batch that takes too long. Return the number of such batches.

    Close the incident of a batch that is no longer stuck.
    """
    at = context.ledger.read(ledger_now)
    stuck = {each.batch_id: each for each in context.ledger.read(batches_under_way) if _is_stuck(context, each, at)}
    opened = [each for each in context.ledger.read(ledger_incidents.incidents_open) if each.code == STUCK]
    for batch_id in stuck.keys() - {incident.batch_id for incident in opened}:
        params = _params(context, stuck[batch_id])
        context.ledger.write(ledger_incidents.open_incident, code=STUCK, params=params, batch_id=batch_id)
    for incident in opened:
        if incident.batch_id not in stuck:
            context.ledger.write(
                ledger_incidents.close_incidents, by=ledger_incidents.BY_ITSELF, incident_id=incident.id
            )
    return len(stuck)


def _is_stuck(context: Context, each: UnderWay, at: datetime) -> bool:
    return (at - each.since).total_seconds() >= context.settings.reconcile.stuck_incident_s


def _params(context: Context, each: UnderWay) -> dict[str, str | int]:
    numbers = context.ledger.read(unended_numbers, each.batch_id)
    listed = ", ".join(f"{serie}-{number}" for serie, number in numbers[:_LISTED])
    return {
        "batch": each.batch_id,
        "since": each.since.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M"),
        "count": len(numbers),
        "numbers": listed + (" …" if len(numbers) > _LISTED else ""),
    }
