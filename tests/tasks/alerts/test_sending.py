"""Alerts go to people by real mail and a real webhook: each once, to the configured targets, without personal data."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from connectors.ledger import certificates
from connectors.ledger.alerts import raise_alert
from connectors.ledger.files import find_file
from domain.competence import BRASILIA
from tasks.alerts.conditions import sync_alerts
from tasks.alerts.sending import send_alerts
from tasks.stations.resolve import resolve_rows
from tests.mailboxes import Mailbox, smtp_server, webhook
from tests.tasks.rows import RIO, line
from tests.tasks.workshop import Workshop

TOPICS = {"approval": ["finance", "board"], "returned": ["board"]}


@pytest.fixture
def finance() -> Iterator[Mailbox]:
    with smtp_server() as box:
        yield box


@pytest.fixture
def managers() -> Iterator[Mailbox]:
    with webhook() as box:
        yield box


@pytest.fixture
def notified(shop: Workshop, finance: Mailbox, managers: Mailbox) -> Workshop:
    """Return a shop that sends approvals by mail and webhook, and returned rows by webhook alone."""
    shop.set(APPROVAL__AUTOMATIC="false")
    return notify(shop, finance, managers)


def notify(shop: Workshop, finance: Mailbox, managers: Mailbox) -> Workshop:
    mail = f"plain:mailto://127.0.0.1:{finance.port}?from=line@mail.example&to=finance@mail.example&mode=insecure"
    targets = {"finance": mail, "board": f"plain:json://127.0.0.1:{managers.port}/"}
    shop.set(NOTIFICATIONS__TARGETS=json.dumps(targets), NOTIFICATIONS__TOPICS=json.dumps(TOPICS))
    return shop


def send(shop: Workshop) -> int:
    with shop.context() as context:
        sync_alerts(context)
        return send_alerts(context)


def test_each_target_gets_its_topics_once(notified: Workshop, finance: Mailbox, managers: Mailbox):
    notified.staged(2)
    notified.run(resolve_rows, notified.reading(line(9, template_name="Errado")))
    assert send(notified) == 2
    assert send(notified) == 0
    (mail,), (hook,) = finance.received, managers.received
    assert "To: finance@mail.example" in mail
    assert "Faturista (local): 2 alerts" in hook
    first, second = (notified.read(find_file, file_id=each) for each in (1, 2))
    assert first is not None
    assert second is not None
    assert f"file {first.sha256[:8]} of {first.received_at.astimezone(BRASILIA):%d/%m/%Y}" in hook
    assert ": 1 batch waits for approval, R$ 200,03." in hook
    assert f"file {second.sha256[:8]} of " in hook
    assert ": 1 row came back to be corrected." in hook
    assert "mes-1.xlsx" not in mail + hook
    assert "Marés" not in mail + hook


def test_files_are_named_where_the_settings_allow_it(notified: Workshop, managers: Mailbox):
    notified.set(NOTIFICATIONS__NAMES="true")
    notified.staged(1)
    send(notified)
    assert "mes-1.xlsx: 1 batch waits for approval" in managers.received[0]


def test_a_missed_target_gets_its_message_later_and_once(notified: Workshop, finance: Mailbox, managers: Mailbox):
    finance.is_broken = True
    notified.staged(1)
    assert send(notified) == 1
    notified.tamper("UPDATE alerts SET claimed_until = 0")
    finance.is_broken = False
    assert send(notified) == 1
    assert (len(finance.received), len(managers.received)) == (1, 1)


def test_an_alert_without_a_target_is_sent_once_there_is_one(each_shop: Workshop, finance: Mailbox, managers: Mailbox):
    shop = each_shop
    shop.set(APPROVAL__AUTOMATIC="false")
    shop.staged(1)
    assert send(shop) == 0
    notify(shop, finance, managers)
    assert send(shop) == 2
    assert "1 batch waits for approval" in managers.received[0]
    assert send(shop) == 0


def test_an_alert_that_ended_before_it_had_a_target_is_never_sent(shop: Workshop, finance: Mailbox, managers: Mailbox):
    shop.set(APPROVAL__AUTOMATIC="false")
    shop.staged(1)
    assert send(shop) == 0
    shop.set(APPROVAL__AUTOMATIC="true")
    notify(shop, finance, managers)
    assert send(shop) == 0
    assert (finance.received, managers.received) == ([], [])


def test_each_step_to_a_certificates_end_is_sent(shop: Workshop, finance: Mailbox, managers: Mailbox):
    notify(shop, finance, managers)
    shop.set(NOTIFICATIONS__TOPICS=json.dumps({"certificate": ["board"]}))
    for days, count in ((20, 1), (18, 1), (9, 2), (3, 3), (0, 4)):
        ends_at = datetime.now(UTC) + timedelta(days=days, hours=1)
        shop.write(certificates.enter, "nfse", RIO, ends_at=ends_at, by="Ana")
        send(shop)
        assert len(managers.received) == count


def test_a_long_message_counts_what_it_leaves_out(notified: Workshop, managers: Mailbox):
    for number in range(22):
        notified.write(raise_alert, "returned", str(number), code="alert.returned", params={"file": 1, "count": 1})
    with notified.context() as context:
        assert send_alerts(context) == 1
    (hook,) = managers.received
    assert hook.count("came back to be corrected") == 20
    assert "… and 2 more." in hook
    assert "preview workbook" not in hook
