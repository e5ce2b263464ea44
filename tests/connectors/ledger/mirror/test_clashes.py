"""Contradictions of the order service, each noted once."""

from dataclasses import replace

from connectors.ledger.mirror.clashes import Clash, clashes_of, keep_clashes

CLASH = Clash(plan_slug="p", kind="orders", number=2, digest="d", ours={"a": 1}, theirs={"a": None})


def test_each_contradiction_is_noted_once_and_told_in_order(ledger):
    others = [replace(CLASH, digest="e"), replace(CLASH, number=1), replace(CLASH, plan_slug="q")]
    for _ in range(2):
        ledger.write(keep_clashes, [CLASH, *others, replace(CLASH, kind="paid_invoices")])
    assert ledger.read(clashes_of, ["p"], "orders") == [others[1], CLASH, others[0]]
    assert ledger.read(clashes_of, ["p", "q"], "orders") == [others[1], CLASH, others[0], others[2]]
