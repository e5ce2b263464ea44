"""An offered run works on those of its batches that are still due, and on nothing else."""

import asyncio
from pathlib import Path

from flows.runner import DirectRunner
from flows.work_batches import work_batches
from tasks import entries
from tasks.runtime import SERVICES
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.stage import stage_batch
from tasks.views.due_work import Shard
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.rows import lines
from tests.tasks.workshop import PROFILE, Workshop, fault


def work(station, *batches: int) -> int:
    return asyncio.run(work_batches(DirectRunner(), profile=PROFILE, station=station, batches=list(batches)))


def three_planned(shop: Workshop) -> list[int]:
    return [shop.assembled(*lines(1, first=first))[1][0] for first in (1, 11, 21)]


def test_an_offered_run_works_only_on_its_batches(shop: Workshop):
    first, second, third = three_planned(shop)
    assert work("stage", second, third) == 2
    assert [batch.state for batch in shop.batches()] == ["planned", "approved", "approved"]
    assert work("release", first, second) == 1
    assert [batch.state for batch in shop.batches()] == ["planned", "scheduled", "approved"]


def test_a_late_run_sends_no_request(shop: Workshop):
    batches = three_planned(shop)
    for batch in batches:
        shop.run(stage_batch, batch)
    asked = len(shop.record()["requests"])
    assert work("stage", *batches) == 0
    assert work("stage", 999) == 0
    assert len(shop.record()["requests"]) == asked


def test_a_paused_provider_fails_no_run(shop: Workshop):
    shop.set(NFSE__PACE__RESTS_S="[600]", NFSE__PACE__FAILURES_BEFORE_REST=2)
    batch = shop.planned(1)
    shop.sandbox.faults(fault("*", "status_500", count=9))
    work("stage", batch)
    assert work("stage", batch) == 0
    assert shop.batch(batch).state in {"planned", "opening"}


def test_an_offered_run_writes_refused_rows_back(shop: Workshop, tmp_path: Path):
    (shard,) = asyncio.run(planned(write_sheet(tmp_path / "novembro.csv", [cells(1), cells(2)])))
    shop.sandbox.faults(fault("notes.create", "status_422", after=1))
    work("stage", *shard.batches)
    with shop.context() as context:
        assert [path.suffix for path in context.outbox.rglob("*novembro*")] == [".xlsx"]


async def planned(sheet: Path) -> list[Shard]:
    file = await entries.intake(PROFILE, str(sheet), SERVICES)
    reading, _ = await entries.read(PROFILE, file, ReadingOptions(operator="Ana"))
    await entries.resolve(PROFILE, reading)
    await entries.assemble(PROFILE, reading)
    return entries.unstaged_shards(PROFILE, reading)
