"""Tell people of alerts, each of them once. Whom a message did not reach is told later."""

import logging
from collections import defaultdict
from typing import Any, Final

from connectors.ledger import files as ledger_files
from connectors.ledger.alerts import Alert, claim_untold, mark_told
from connectors.notifications import send_message
from domain.problems import Problem
from tasks.runtime import Desk
from tasks.runtime.secrets import resolve_secret

LOG: Final = logging.getLogger("faturista.alerts")
_CLAIM_S: Final = 300.0
"""So long after a process died while it told, another one tells again."""
_AT_ONCE: Final = 20
"""Alerts of one message that are told in words; the others are counted."""


def tell_alerts(desk: Desk) -> int:
    """Send what nobody was told yet, one message to each target. Return how many messages were sent."""
    told: defaultdict[int, list[str]] = defaultdict(list)
    claimed = desk.ledger.write(claim_untold, seconds=_CLAIM_S)
    sent = 0
    for target, alerts in _by_target(desk, claimed).items():
        if _send(desk, target, alerts):
            sent += 1
            for alert in alerts:
                told[alert.id].append(target)
    for alert in claimed:
        wanted = _targets(desk, alert)
        desk.ledger.write(mark_told, alert, told[alert.id], is_all=wanted <= {*alert.told_to, *told[alert.id]})
    return sent


def say_alert(desk: Desk, alert: Alert) -> str:
    """Return an alert's sentence. A file is named only where the settings allow it."""
    words = desk.catalogue
    params: dict[str, Any] = dict(alert.params)
    if alert.code.startswith("alert.") and isinstance(params.get("file"), int):
        params["file"] = _file(desk, params["file"])
    if "line" in params:
        params["line"] = words.text(f"line.name_{params['line']}")
    return words.say(Problem(alert.code, params=params))


def _file(desk: Desk, file_id: int) -> str:
    found = desk.ledger.read(ledger_files.find_file, file_id=file_id) if desk.settings.notifications.names else None
    return desk.catalogue.text("alert.file", file=file_id) if found is None else found.name


def _targets(desk: Desk, alert: Alert) -> set[str]:
    return {
        name for topic, names in desk.settings.notifications.topics.items() if topic == alert.topic for name in names
    }


def _by_target(desk: Desk, alerts: list[Alert]) -> dict[str, list[Alert]]:
    found: defaultdict[str, list[Alert]] = defaultdict(list)
    for alert in alerts:
        for target in sorted(_targets(desk, alert) - set(alert.told_to)):
            found[target].append(alert)
    return found


def _send(desk: Desk, target: str, alerts: list[Alert]) -> bool:
    words = desk.catalogue
    said = [f"- {say_alert(desk, alert)}" for alert in alerts[:_AT_ONCE]]
    if len(alerts) > _AT_ONCE:
        said.append(words.text("preview.more", more=len(alerts) - _AT_ONCE))
    title = words.text("alert.title", profile=desk.settings.name, count=len(alerts))
    address = resolve_secret(desk.settings.notifications.targets[target]).get_secret_value()
    is_sent = send_message(address, title=title, body="\n".join(said))
    figures = {"target": target, "topics": sorted({alert.topic for alert in alerts}), "alerts": len(alerts)}
    LOG.log(logging.INFO if is_sent else logging.WARNING, "told" if is_sent else "not told", extra={"figures": figures})
    return is_sent
