"""Test that a run with many batches offers them to other workers once, and depends on none of them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect import get_client
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterName
from prefect.client.schemas.objects import FlowRun
from prefect.client.schemas.sorting import FlowRunSort

from flows.prefect_flows import bill_services, release_batches, work_batches
from flows.shard_dispatch import offer_shards, work_name
from tasks import entries
from tasks.stations.stage import stage_batch
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.rows import lines
from tests.tasks.workshop import PROFILE, Workshop

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator", "deployed")]

NAME = "work_batches"


@pytest.fixture
def deployed() -> Iterator[None]:
    """Register the deployment without a work pool: its runs wait until the test ends."""
    identity = asyncio.run(_deploy())
    yield
    asyncio.run(_remove(identity))


async def _deploy() -> Any:
    deployment = await work_batches.ato_deployment(NAME, parameters={"profile": PROFILE}, tags=[PROFILE, "work"])
    return await deployment.aapply()


async def _remove(identity: Any) -> None:
    async with get_client() as client:
        await client.delete_deployment(identity)


def offered() -> list[dict[str, Any]]:
    """Return the parameters of the offered runs, oldest first."""
    return [run.parameters for run in asyncio.run(_offered())]


async def _offered() -> list[FlowRun]:
    async with get_client() as client:
        named = DeploymentFilter(name=DeploymentFilterName(any_=[NAME]))
        return await client.read_flow_runs(deployment_filter=named, sort=FlowRunSort.EXPECTED_START_TIME_ASC)


def test_a_sheet_of_many_batches_is_shared(shop: Workshop, tmp_path: Path):
    shop.set(PROTOCOL__BATCH_SIZE=1, WORKERS__BATCHES_PER_RUN=2)
    path = write_sheet(tmp_path / "novembro.csv", [cells(number) for number in range(1, 6)])
    asyncio.run(bill_services(str(path), profile=PROFILE, operator="Ana"))
    # The billing run stages all of them itself: no other worker runs.
    assert {batch.state for batch in shop.batches()} == {"approved"}
    assert offered() == [
        {"profile": PROFILE, "station": "stage", "batches": [5]},
        {"profile": PROFILE, "station": "stage", "batches": [3, 4]},
    ]
    # A late worker finds nothing to do.
    assert asyncio.run(work_batches(**offered()[0])) == 0
    assert shop.asked("notes.create") == 5


def test_a_release_of_many_batches_is_shared(shop: Workshop):
    shop.set(WORKERS__BATCHES_PER_RUN=1)
    batches = [shop.assembled(*lines(1, first=first))[1][0] for first in (1, 11)]
    for batch in batches:
        shop.run(stage_batch, batch)
    shop.approve()
    asyncio.run(release_batches(profile=PROFILE))
    assert [(run["station"], run["batches"]) for run in offered()] == [("release", batches[1:])]
    assert [run.name for run in asyncio.run(_offered())] == [f"release batch {batches[1]}"]
    assert shop.asked("batches.send") == 2


@pytest.mark.parametrize(
    ("batches", "name"),
    [
        ([7], "stage batch 7"),
        ([9, 8], "stage batches 8 to 9"),
        ([9, 4, 5], "stage 3 of batches 4 to 9"),
        ([], "stage no batch"),
    ],
)
def test_a_shared_run_is_named_by_its_batches(batches: list[int], name: str):
    assert work_name("stage", batches) == name


def test_one_shard_is_offered_to_nobody(shop: Workshop, tmp_path: Path):
    path = write_sheet(tmp_path / "novembro.csv", [cells(1), cells(2)])
    asyncio.run(bill_services(str(path), profile=PROFILE, operator="Ana"))
    assert offered() == []


def test_a_waiting_offer_is_not_repeated(shop: Workshop):
    shop.set(WORKERS__BATCHES_PER_RUN=1)
    for first in (1, 11):
        shop.assembled(*lines(1, first=first))
    shards = entries.due_shards(PROFILE, "stage")
    assert asyncio.run(offer_shards(PROFILE, "stage", shards, cause="stage")) == 2
    assert asyncio.run(offer_shards(PROFILE, "stage", shards, cause="stage")) == 0
    # The same batches for another cause are the same runs.
    asyncio.run(offer_shards(PROFILE, "stage", shards, cause="stage-1"))
    assert len(offered()) == 2


def test_another_profiles_workers_get_no_offer(shop: Workshop):
    shop.assembled(*lines(1))
    shards = entries.due_shards(PROFILE, "stage")
    assert asyncio.run(offer_shards("homologation", "stage", shards, cause="stage")) == 0
    assert offered() == []
