"""The release flow: each approved batch that is due is sent once."""

import asyncio

import pytest

from connectors.ledger import batch_observations
from domain.staff import Actor
from flows.prefect_flows import release_batches
from tasks.stations.stage import stage_batch
from tests.flows.dashboard import artifact, newest_run, overview
from tests.tasks.approving import approve_batch
from tests.tasks.rows import lines
from tests.tasks.workshop import PROFILE, Workshop

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


def test_only_approved_batches_are_sent(shop: Workshop):
    first = shop.approved(2)
    shop.set(APPROVAL__AUTOMATIC="false")
    (second,) = shop.assembled(*lines(2, first=11))[1]
    shop.run(stage_batch, second)
    (later,) = shop.assembled(*lines(1, first=21))[1]
    shop.run(stage_batch, later)
    with shop.context() as context:
        approve_batch(context, shop.batch(later), actor=Actor("Ana"))
    shop.write(batch_observations.schedule_look, later, seconds=300)
    assert asyncio.run(release_batches(profile=PROFILE)) == 1
    assert [record.state for record in shop.batches()] == ["scheduled", "staged", "approved"]
    run = newest_run()
    assert (run.name, run.state) == ("release for local", "Completed")
    assert [task.partition(":")[0] for task in run.tasks] == [f"release batch {first}"]
    assert "# Overview (local)" in overview()
    assert "Marés Consultoria" in overview()
    page = artifact("release")
    assert f"| Send | batch {first} | Done | sent 2 |" in page
    assert "**1 batch waits for approval**" in page


def test_run_again_it_sends_nothing(shop: Workshop):
    shop.approved(1)
    asyncio.run(release_batches(profile=PROFILE))
    assert asyncio.run(release_batches(profile=PROFILE)) == 0
    assert shop.asked("batches.send") == 1
