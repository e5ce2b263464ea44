"""Test that nothing is approved before a person acknowledges each difference from the month before."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from connectors.ledger import files
from connectors.ledger.batches import BatchRecord
from domain.problems import FaturistaError
from domain.staff import Actor
from tasks.approvals.findings import ALL, acknowledge, findings_of, refuse_unacknowledged
from tasks.cancellations.cancel import cancel_batch
from tasks.runtime import Context
from tasks.stations.approve import approve_automatically, waiting_batches
from tasks.stations.stage import stage_batch
from tests.tasks.approving import approve_batch
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.earlier_months import bill_twice
from tests.tasks.replacements.test_settle import replacement
from tests.tasks.rows import company, line, lines
from tests.tasks.workshop import Workshop


@contextmanager
def waiting(shop: Workshop) -> Iterator[tuple[Context, BatchRecord]]:
    with shop.context() as context:
        (batch,) = waiting_batches(context)
        yield context, batch


@pytest.fixture
def changed(shop: Workshop) -> Workshop:
    """Bill customers 1 to 3 in the two months before; this month 1 twice, 2 for more, and 4 for the first time."""
    bill_twice(shop, 3)
    rows = [line(1), line(1, description="de novo"), line(2, service_cents=99_900), line(4)]
    (now,) = shop.assembled(*rows)[1]
    shop.run(stage_batch, now)
    return shop


def test_each_difference_is_one_finding(changed: Workshop):
    with waiting(changed) as (context, batch):
        found = findings_of(context, [batch, batch])
        assert [each.change.kind for each in found] == ["twice", "amount", "amount", "missing", "newcomer"]
        assert len({each.code for each in found}) == 5


def test_a_batch_asks_only_about_its_own_customers(shop: Workshop):
    bill_twice(shop, 3)
    shop.set(PROTOCOL__BATCH_SIZE=2)
    _, made = shop.assembled(line(1), line(1, description="de novo"), line(2, service_cents=99_900), line(4))
    with shop.context() as context:
        found = [{each.change.kind for each in findings_of(context, [shop.batch(batch)])} for batch in made]
    assert found == [{"twice", "amount", "missing"}, {"amount", "newcomer", "missing"}]


def test_an_invoice_and_its_replacement_are_one_charge(each_shop: Workshop):
    shop = each_shop
    shop.processed(1)
    shop.run(stage_batch, replacement(shop, 1, service_cents=9_000))
    with waiting(shop) as (context, batch):
        assert "twice" not in {finding.change.kind for finding in findings_of(context, [batch])}


def test_a_charge_whose_invoice_was_cancelled_is_a_finding(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(2)
    request_cancellation(shop, batch)
    for _ in range(2):
        shop.run(cancel_batch, batch)
    # The same sheet with one more row: nobody asked for the cancelled charge again.
    shop.run(stage_batch, shop.assembled(*lines(3))[1][0])
    with waiting(shop) as (context, waits):
        (found,) = findings_of(context, [waits])
        assert (found.change.kind, found.change.taker_document) == ("cancelled", company(1).number)
        with pytest.raises(FaturistaError):
            approve_batch(context, waits, actor=Actor("Ana"))
        acknowledge(context, [waits], [ALL], actor=Actor("Ana"), because="it was the wrong one")
        approve_batch(context, waits, actor=Actor("Ana"))


def test_every_finding_is_acknowledged_before_approval(changed: Workshop):
    with waiting(changed) as (context, batch):
        with pytest.raises(FaturistaError) as raised:
            approve_batch(context, batch, actor=Actor("Ana"))
        assert (raised.value.problem.code, raised.value.problem.params["count"]) == ("approval.unacknowledged", 5)

        first, *others = findings_of(context, [batch])
        assert acknowledge(context, [batch], [first.code], actor=Actor("Ana", "ana"), because="dois contratos") == 1
        with pytest.raises(FaturistaError) as raised:
            refuse_unacknowledged(findings_of(context, [batch]))
        named = ", ".join(each.code for each in others)
        assert raised.value.problem.params == {"count": 4, "finding": others[0].code, "findings": named}

        assert acknowledge(context, [batch], [ALL], actor=Actor("Ana"), because="conferido") == 4
        known = [each.acknowledged for each in findings_of(context, [batch])]
        assert [(each.person, each.because) for each in known if each][:2] == [
            ("Ana (ana)", "dois contratos"),
            ("Ana", "conferido"),
        ]
        approval = approve_batch(context, batch, actor=Actor("Ana"))
        assert sorted(approval.acknowledgements) == sorted(each.id for each in known if each)


def test_an_unknown_code_is_refused(changed: Workshop):
    with waiting(changed) as (context, batch), pytest.raises(FaturistaError) as raised:
        acknowledge(context, [batch], ["0000"], actor=Actor("Ana"), because="x")
    assert raised.value.problem.code == "approval.unknown_finding"


def test_with_four_eyes_the_dropper_acknowledges_nothing(changed: Workshop):
    changed.set(APPROVAL__FOUR_EYES="true")
    with waiting(changed) as (context, batch):
        dropper = context.ledger.read(files.reading_of, batch.reading_id).operator
        refusals = ((dropper, "", "batch.approver_is_dropper"), ("Ana", dropper, "batch.approver_shares_account"))
        for person, account, code in refusals:
            with pytest.raises(FaturistaError) as raised:
                acknowledge(context, [batch], [ALL], actor=Actor(person, account), because="x")
            assert raised.value.problem.code == code


def test_an_automatic_approval_needs_no_acknowledgement(changed: Workshop):
    changed.set(APPROVAL__AUTOMATIC="true")
    with changed.context() as context:
        assert len(approve_automatically(context)) == 1
