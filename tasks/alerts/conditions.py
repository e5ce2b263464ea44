"""What a person should be told now, as the ledger and the folder of copies have it; what ended is cleared.

Alerts hold ids and counts. A file's name is looked up when somebody is told, and only where the settings allow it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from connectors.ledger import incidents as ledger_incidents
from connectors.ledger import rate_limits
from connectors.ledger.alerts import clear_alert, open_alerts, raise_alert
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.files import first_received
from connectors.ledger.observations.situation import refused_files, stalled_files
from connectors.ledger.observations.totals import rejected_since, waiting_approval
from domain.money import format_brl
from tasks.backup.copies import newest_copy_at
from tasks.runtime import Desk

Figures: TypeAlias = Mapping[str, str | int]
OBSERVED: Final = ("approval", "returned", "rejected", "decision", "stalled", "backup", "resting")
"""Topics whose cause is looked for here; runs raise and clear the others."""
_REJECTED_DAYS: Final = 7
_HOUR_S: Final = 3_600
_BRIEF_REST_S: Final = 60
"""A provider that rests for less stumbled only."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing to tell: the fields of an alert."""

    topic: str
    subject: str
    code: str
    params: Figures


def sync_alerts(desk: Desk) -> None:
    """Raise an alert for each condition that holds, and clear those that hold no longer."""
    found = {(each.topic, each.subject): each for each in conditions(desk)}
    opened = {(each.topic, each.subject): each for each in desk.ledger.read(open_alerts) if each.topic in OBSERVED}
    for topic, subject in opened.keys() - found.keys():
        desk.ledger.write(clear_alert, topic, subject)
    for key, each in found.items():
        known = opened.get(key)
        if known is None or known.params != each.params:
            desk.ledger.write(raise_alert, each.topic, each.subject, code=each.code, params=each.params)


def conditions(desk: Desk) -> Iterator[Condition]:
    """Yield what should be told of now."""
    if not desk.settings.approval.automatic:
        for waiting in desk.ledger.read(waiting_approval):
            total = format_brl(waiting.total_cents)
            figures: Figures = {"file": waiting.file_id, "count": waiting.batches, "total": total}
            yield Condition("approval", str(waiting.reading_id), "alert.approval", figures)
    for refused in desk.ledger.read(refused_files, days=desk.settings.retention.refused_days):
        figures = {"file": refused.file_id, "count": refused.count}
        yield Condition("returned", str(refused.file_id), "alert.returned", figures)
    for rejected in desk.ledger.read(rejected_since, days=_REJECTED_DAYS):
        figures = {"file": rejected.file_id, "count": rejected.count, "batch": rejected.batch_id}
        yield Condition("rejected", str(rejected.batch_id), "alert.rejected", figures)
    for incident in desk.ledger.read(ledger_incidents.incidents_open):
        yield Condition("decision", str(incident.id), incident.code, incident.params)
    for stalled in desk.ledger.read(stalled_files, idle_s=desk.settings.protocol.lease_s):
        yield Condition("stalled", str(stalled.reading_id), "alert.stalled", {"file": stalled.file_id})
    yield from _resting(desk)
    yield from _backup(desk)


def _resting(desk: Desk) -> Iterator[Condition]:
    at = desk.ledger.read(ledger_now)
    for pace in desk.ledger.read(rate_limits.resting):
        since = pace.resting_since
        if since is not None and (at - since).total_seconds() >= _BRIEF_REST_S:
            yield Condition("resting", pace.line, "alert.resting", {"line": pace.line})


def _backup(desk: Desk) -> Iterator[Condition]:
    hours = desk.settings.notifications.backup_hours
    # where there is no copy yet, the first file began what a copy would hold
    newest = newest_copy_at(desk) or desk.ledger.read(first_received)
    if newest is not None and (desk.clock() - newest).total_seconds() > hours * _HOUR_S:
        yield Condition("backup", "ledger", "alert.backup", {"hours": hours})
