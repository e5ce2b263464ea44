"""Test the dashboard's form for findings: acknowledge one by one, or all, with a reason."""

import asyncio

import pytest

from domain.competence import add_months
from domain.problems import FaturistaError
from flows.acknowledge_findings import acknowledge_findings
from flows.runner import PlainRunner
from tasks import approval_entries
from tasks.stations.stage import stage_batch
from tests.tasks.rows import lines, this_month
from tests.tasks.workshop import PROFILE, Workshop


def acknowledge(*findings: str, because: str = "conferido") -> int:
    asked = {"findings": list(findings), "because": because, "person": "Ana"}
    return asyncio.run(acknowledge_findings(PlainRunner(), profile=PROFILE, **asked))  # type: ignore[arg-type]


def refused(*findings: str, because: str = "x") -> str:
    with pytest.raises(FaturistaError) as raised:
        acknowledge(*findings, because=because)
    return raised.value.problem.code


def test_the_form_offers_open_findings_and_takes_a_reason(shop: Workshop) -> None:
    assert approval_entries.offered_findings(PROFILE) == []
    for asked in (lines(2, competence=add_months(this_month(), -1)), lines(1) + lines(1, first=3)):
        (batch,) = shop.assembled(*asked)[1]
        shop.run(stage_batch, batch)
        if len(shop.batches()) == 1:
            shop.approve()
    every, first, second = approval_entries.offered_findings(PROFILE)
    assert every == "all"
    assert refused(first, because=" ") == "cli.no_reason"
    assert refused("(nothing)") == "approval.unknown_finding"
    assert (acknowledge(first), acknowledge(first)) == (1, 0)
    assert approval_entries.offered_findings(PROFILE) == ["all", second]
    assert "Ana: conferido" in asyncio.run(approval_entries.show_findings(PROFILE))
    assert acknowledge("all") == 1
    assert approval_entries.offered_findings(PROFILE) == []
    assert shop.batch(batch).state == "staged"
