"""Find conditions that need an alert, in the ledger and the folder of backups; clear the alerts of those that ended.

Alerts hold ids and counts. The message looks up a file's name, and only where the settings allow it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from connectors.ledger import certificates, rate_limits
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger.alerts import clear_alert, open_alerts, raise_alert
from connectors.ledger.closings import closed_lately
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.files import first_received
from connectors.ledger.observations.situation import refused_files, stalled_files
from connectors.ledger.observations.totals import rejected_since, waiting_approval
from domain.competence import format_competence
from domain.money import format_brl
from tasks.backup.copies import newest_copy_at
from tasks.issuance.certificate_term import end_params
from tasks.runtime import Context
from tasks.views.contradicted_payments import contradicted_payments

Figures: TypeAlias = Mapping[str, str | int]
OBSERVED: Final = (
    "approval",
    "returned",
    "rejected",
    "decision",
    "stalled",
    "backup",
    "resting",
    "certificate",
    "closed",
)
"""Topics that this module raises and clears; `tasks.alerts.runs` does so for the others."""
_REJECTED_DAYS: Final = 7
_CLOSED_DAYS: Final = 1
_HOUR_S: Final = 3_600
_CERTIFICATE_STEPS: Final = (1, 7, 15, 30)
"""Days. Each time that a certificate has fewer days left than one of these, it gets a new alert."""
_BRIEF_REST_S: Final = 60
"""Seconds. A shorter pause of the provider is a brief failure and raises no alert."""


@dataclass(frozen=True, slots=True)
class AlertCondition:
    """Something to alert people about. The fields are those of the stored alert; `code` is a problem's."""

    topic: str
    subject: str
    code: str
    params: Figures


def sync_alerts(context: Context) -> None:
    """Raise an alert for each condition that holds, and clear the alerts of conditions that ended."""
    found = {(each.topic, each.subject): each for each in conditions(context)}
    opened = {(each.topic, each.subject): each for each in context.ledger.read(open_alerts) if each.topic in OBSERVED}
    for topic, subject in opened.keys() - found.keys():
        context.ledger.write(clear_alert, topic, subject)
    for key, each in found.items():
        known = opened.get(key)
        if known is None or known.params != each.params:
            context.ledger.write(raise_alert, each.topic, each.subject, code=each.code, params=each.params)


def conditions(context: Context) -> Iterator[AlertCondition]:
    """Yield the conditions that need an alert now."""
    if not context.settings.approval.automatic:
        for waiting in context.ledger.read(waiting_approval):
            total = format_brl(waiting.total_cents)
            figures: Figures = {"file": waiting.file_id, "count": waiting.batches, "total": total}
            yield AlertCondition("approval", str(waiting.reading_id), "alert.approval", figures)
    for refused in context.ledger.read(refused_files, days=context.settings.retention.refused_days):
        figures = {"file": refused.file_id, "count": refused.count}
        yield AlertCondition("returned", str(refused.file_id), "alert.returned", figures)
    for rejected in context.ledger.read(rejected_since, days=_REJECTED_DAYS):
        figures = {"file": rejected.file_id, "count": rejected.count, "batch": rejected.batch_id}
        yield AlertCondition("rejected", str(rejected.batch_id), "alert.rejected", figures)
    for incident in context.ledger.read(ledger_incidents.incidents_open):
        yield AlertCondition("decision", str(incident.id), incident.code, incident.params)
    for problem in contradicted_payments(context):
        yield AlertCondition("decision", problem.code, problem.code, problem.params)
    for stalled in context.ledger.read(stalled_files, idle_s=context.settings.protocol.lease_s):
        yield AlertCondition("stalled", str(stalled.reading_id), "alert.stalled", {"file": stalled.file_id})
    for month in context.ledger.read(closed_lately, days=_CLOSED_DAYS):
        yield AlertCondition("closed", f"{month:%Y-%m}", "alert.closed", {"month": format_competence(month)})
    yield from _resting_systems(context)
    yield from _backup(context)
    yield from _certificates(context)


def _certificates(context: Context) -> Iterator[AlertCondition]:
    """Yield the certificates that end soon. Each step is an alert of its own: an open one is sent only once."""
    for each in context.ledger.read(certificates.ends_all):
        step = next((days for days in _CERTIFICATE_STEPS if each.days_left < days), None)
        if step is not None:
            figures: Figures = {**end_params(each), "days": step}
            yield AlertCondition("certificate", f"{each.system} {each.cnpj} {step}", "alert.certificate", figures)


def _resting_systems(context: Context) -> Iterator[AlertCondition]:
    at = context.ledger.read(ledger_now)
    for rate in context.ledger.read(rate_limits.paused_after_failures):
        since = rate.resting_since
        if since is not None and (at - since).total_seconds() >= _BRIEF_REST_S:
            yield AlertCondition("resting", rate.system, "alert.resting", {"system": rate.system})


def _backup(context: Context) -> Iterator[AlertCondition]:
    hours = context.settings.notifications.backup_hours
    # Without a backup, measure its age from the first file: before that, the ledger had nothing to lose.
    newest = newest_copy_at(context) or context.ledger.read(first_received)
    if newest is not None and (context.clock() - newest).total_seconds() > hours * _HOUR_S:
        yield AlertCondition("backup", "ledger", "alert.backup", {"hours": hours})
