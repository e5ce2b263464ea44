"""The dashboard's form for a yes: once, for the content that was shown, with what differs from the month before."""

import asyncio

import pytest

from connectors.ledger import approvals
from domain.problems import FaturistaError
from flows.approve_batches import approve_batches
from flows.os_account import account_name
from flows.runner import DirectRunner
from tasks import approval_entries
from tasks.approvals.findings import findings_of
from tasks.staff.codes import issue_code
from tasks.stations.stage import stage_batch
from tests.tasks.earlier_months import bill_twice
from tests.tasks.rows import lines
from tests.tasks.staff.people import ANA, acts, office
from tests.tasks.workshop import PROFILE, Workshop


def approve(batch: int, total: str, code: str = "", *findings: str, because: str = "") -> int:
    asked = {"batches": [batch], "total": total, "code": code, "findings": findings, "because": because}
    return asyncio.run(approve_batches(DirectRunner(), profile=PROFILE, **asked))  # type: ignore[arg-type]


def refused(batch: int, total: str, code: str = "", *findings: str, because: str = "x") -> FaturistaError:
    with pytest.raises(FaturistaError) as raised:
        approve(batch, total, code, *findings, because=because)
    return raised.value


def changed(shop: Workshop) -> int:
    """Stage a month in which customer 2 is missing and customer 3 is new."""
    bill_twice(shop, 2)
    (batch,) = shop.assembled(*lines(1), *lines(1, first=3))[1]
    shop.run(stage_batch, batch)
    return batch


def test_a_code_and_the_total_approve_once(shop: Workshop) -> None:
    batch = shop.staged(2)
    with shop.context() as context:
        office(context)
        code = issue_code(context, [shop.batch(batch)], actor=acts(context, ANA))
    for total, given, code_end in (("200,04", code, "wrong_total"), ("200,03", "aaaa-aaaa-aaaa-aaaa", "bad_code")):
        assert refused(batch, total, given).problem.code.endswith(code_end)
    assert approve(batch, "R$ 200,03", code) == 1
    assert shop.batch(batch).state == "approved"
    before = refused(batch, "200,03", code).problem
    assert before.code == "batch.approved_before"
    assert str(before.params["person"]).startswith("Ana")


def test_the_codes_owner_acknowledges_in_the_same_act(each_shop: Workshop) -> None:
    batch = changed(each_shop)
    with each_shop.context() as context:
        office(context)
        code = issue_code(context, [each_shop.batch(batch)], actor=acts(context, ANA))
    every, first, second = approval_entries.offered_findings(PROFILE)
    left = refused(batch, "200,04", code, first).problem
    assert (left.code, left.params["findings"]) == ("approval.unacknowledged", second.partition(" ")[0])
    assert refused(batch, "200,04", code, "(nothing)").problem.code == "approval.unknown_finding"
    assert refused(batch, "200,04", code, every, because=" ").problem.code == "cli.no_reason"
    assert len(approval_entries.offered_findings(PROFILE)) == 3
    assert approve(batch, "200,04", code, first, second, because="conferido") == 1
    with each_shop.context() as context:
        known = [each.acknowledged for each in findings_of(context, [each_shop.batch(batch)])]
    assert {(each.person, each.because) for each in known if each} == {(f"Ana ({ANA})", "conferido")}
    given = each_shop.read(approvals.valid_approval, batch)
    assert given is not None
    assert sorted(given.acknowledgements) == sorted(each.id for each in known if each)
    assert approval_entries.offered_findings(PROFILE) == []


def test_a_yes_that_is_refused_leaves_no_acknowledgement(shop: Workshop) -> None:
    batch = changed(shop)
    with shop.context() as context:
        office(context, limit=10_000)
        code = issue_code(context, [shop.batch(batch)], actor=acts(context, ANA))
    assert refused(batch, "200,04", code, "all").problem.code == "staff.above_limit"
    assert len(approval_entries.offered_findings(PROFILE)) == 3


def test_the_workers_user_approves_if_nobody_is_enrolled(shop: Workshop) -> None:
    batch = changed(shop)
    with shop.context() as context, pytest.raises(FaturistaError, match=r"staff\.no_code_needed"):
        issue_code(context, [shop.batch(batch)], actor=acts(context, ANA))
    assert approve(batch, "200,04", "", "all", because="conferido") == 1
    given = shop.read(approvals.valid_approval, batch)
    assert given is not None
    assert (given.approver, given.staff_id) == (account_name(), None)


def test_an_empty_code_approves_nothing_once_somebody_is_enrolled(shop: Workshop) -> None:
    batch = shop.staged(1)
    with shop.context() as context:
        office(context)
    assert refused(batch, "100,01").problem.code == "staff.bad_code"
    assert shop.batch(batch).state == "staged"
