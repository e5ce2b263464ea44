"""Send each alert once to each target. If a message was not delivered, a later run sends it again."""

import logging
from collections import defaultdict
from typing import Any, Final

from configs.catalogue import Catalogue
from configs.language import language_of
from connectors.ledger import files as ledger_files
from connectors.ledger.alerts import Alert, claim_unsent, mark_delivered
from connectors.notifications import send_message
from domain.competence import BRASILIA
from domain.problems import Problem
from tasks.corrections.file_names import file_code
from tasks.runtime import Context, settings_of
from tasks.runtime.secrets import resolve_secret

LOG: Final = logging.getLogger("faturista.alerts")
LEDGER: Final = "ledger"
"""Topic of the messages about a ledger that cannot be used."""
_CLAIM_S: Final = 300.0
"""Seconds after which another process may send an alert that a dead process had claimed."""
_AT_ONCE: Final = 20
"""Largest number of alerts that one message writes out; it only counts the others."""


def send_alerts(context: Context) -> int:
    """Send the unsent alerts, one message to each target. Return the number of messages that were delivered.

    An alert whose topic has no target waits for one: it counts as delivered only when a target received it.
    """
    delivered: defaultdict[int, list[str]] = defaultdict(list)
    topics = [topic for topic, names in context.settings.notifications.topics.items() if names]
    claimed = context.ledger.write(claim_unsent, topics, seconds=_CLAIM_S)
    sent = 0
    for target, alerts in _by_target(context, claimed).items():
        if _send(context, target, alerts):
            sent += 1
            for alert in alerts:
                delivered[alert.id].append(target)
    for alert in claimed:
        wanted = _targets(context, alert)
        context.ledger.write(
            mark_delivered, alert, delivered[alert.id], is_all=wanted <= {*alert.delivered_to, *delivered[alert.id]}
        )
    return sent


def alert_ledger_unreachable(profile: str, problem: Problem) -> bool:
    """Send people the reason why the ledger cannot be used. Return whether every target received it.

    The ledger cannot record this alert, so the caller must remember that it was sent.
    """
    settings, words = settings_of(profile), Catalogue.load(language_of(profile))
    title = words.text("alert.title", profile=settings.name, count=1)
    body = f"- {words.say(problem)}"
    sent = []
    for name in settings.notifications.topics.get(LEDGER, ()):
        address = resolve_secret(settings.notifications.targets[name]).get_secret_value()
        sent.append(send_message(address, title=title, body=body))
    return all(sent)


def say_alert(context: Context, alert: Alert) -> str:
    """Return an alert's sentence. Name a file only where the settings allow it (`notifications.names`)."""
    words = context.catalogue
    params: dict[str, Any] = dict(alert.params)
    if alert.code.startswith("alert.") and isinstance(params.get("file"), int):
        params["file"] = _file(context, params["file"])
    if "system" in params:
        params["system"] = words.text(f"system.name_{params['system']}")
    return words.say(Problem(alert.code, params=params))


def _file(context: Context, file_id: int) -> str:
    """Return the name of a file, or the code that its answers in the outbox bear, and when it came."""
    found = context.ledger.read(ledger_files.find_file, file_id=file_id)
    if found is None:
        return str(file_id)
    if context.settings.notifications.names:
        return found.name
    at = f"{found.received_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}"
    return context.catalogue.text("alert.file", file=file_code(found), at=at)


def _targets(context: Context, alert: Alert) -> set[str]:
    return {
        name for topic, names in context.settings.notifications.topics.items() if topic == alert.topic for name in names
    }


def _by_target(context: Context, alerts: list[Alert]) -> dict[str, list[Alert]]:
    found: defaultdict[str, list[Alert]] = defaultdict(list)
    for alert in alerts:
        for target in sorted(_targets(context, alert) - set(alert.delivered_to)):
            found[target].append(alert)
    return found


def _send(context: Context, target: str, alerts: list[Alert]) -> bool:
    words = context.catalogue
    lines = [f"- {say_alert(context, alert)}" for alert in alerts[:_AT_ONCE]]
    if len(alerts) > _AT_ONCE:
        lines.append(words.text("list.more", more=len(alerts) - _AT_ONCE))
    title = words.text("alert.title", profile=context.settings.name, count=len(alerts))
    address = resolve_secret(context.settings.notifications.targets[target]).get_secret_value()
    is_sent = send_message(address, title=title, body="\n".join(lines))
    figures = {"target": target, "topics": sorted({alert.topic for alert in alerts}), "alerts": len(alerts)}
    LOG.log(
        logging.INFO if is_sent else logging.WARNING,
        "delivered" if is_sent else "not delivered",
        extra={"figures": figures},
    )
    return is_sent
