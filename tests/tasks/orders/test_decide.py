"""A person's decision about contradicting answers of the order service."""

import pytest

from connectors.ledger.mirror.discrepancies import clashes_of
from connectors.ledger.mirror.paid_invoices import paid_between
from domain.problems import FaturistaError
from tasks.orders.decide import decide_clash
from tasks.orders.reports import report_paid_invoices
from tasks.orders.sync import mirror_paid_invoices
from tasks.runtime import open_context
from tests.tasks.orders.conftest import SINCE

PLAN = "essencial"


@pytest.fixture
def clashing(run, sandbox):
    """Change the newest payment of a plan. Return its number, and a function that fetches again."""

    def sync():
        return run(lambda runtime: mirror_paid_invoices(runtime, PLAN, since=SINCE))

    sync()
    with open_context("local") as context:
        number = context.ledger.read(paid_between, [PLAN], since=SINCE)[-1].number
    fields = {"amount": "1.00", "amount_with_adjustments": "1.00", "redeemed_adjustments": []}
    sandbox.control("act", {"do": "change_sale", "plan": PLAN, "number": number, "fields": fields})
    assert sync().counts["clashes"] == 1
    return number, sync


def decide(number, decision, *, because="Rui looked"):
    with open_context("local") as context:
        decide_clash(context, "paid_invoices", PLAN, number, decision, person="Ana", because=because)


@pytest.mark.parametrize("decision", ["keep", "take"])
def test_a_decided_clash_is_no_longer_reported(clashing, decision):
    number, sync = clashing
    with open_context("local") as context:
        before = report_paid_invoices(context, [PLAN], since=SINCE)
        decide(number, decision)
        after = report_paid_invoices(context, [PLAN], since=SINCE)
        assert (before == after) is (decision == "keep")
    result = sync()
    assert ("clashes" in result.counts, result.remarks) == (False, ())
    with open_context("local") as context:
        assert context.ledger.read(clashes_of, [PLAN], "paid_invoices") == []


def test_a_decision_about_nothing_is_refused(clashing):
    with pytest.raises(FaturistaError) as refused:
        decide(1, "take", because="Rui looked")
    assert refused.value.problem.code == "mirror.no_clash"
