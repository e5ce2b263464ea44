"""What a person sees of a run in Prefect's dashboard: its name, its tasks, its artifacts."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    ArtifactCollectionFilter,
    ArtifactCollectionFilterKey,
    FlowRunFilter,
    FlowRunFilterId,
    TaskRunFilter,
    TaskRunFilterFlowRunId,
)
from prefect.client.schemas.sorting import FlowRunSort

from tasks.views.dashboard import SITUATION


@dataclass(frozen=True)
class Run:
    """The newest flow run. `tasks` are the sorted names of its task runs; `message` is beside its state."""

    name: str
    state: str
    tasks: Sequence[str]
    message: str


def newest_run() -> Run:
    return asyncio.run(_newest_run())


def artifact(key: str) -> Any:
    """Return the newest page of this key."""
    (found,) = asyncio.run(_artifacts(key))
    return found.data


def overview() -> str:
    """Return what the page of the key `situacao` shows: the newest description."""
    (found,) = asyncio.run(_artifacts(SITUATION))
    return str(found.description)


def steps(page: str) -> list[list[str]]:
    """Return the cells, row by row, of the last list on a run's page: what each station did."""
    lines = page.partition("## What this run did")[2].strip().split("\n")
    if lines[0].startswith("- "):
        rows = [re.split(r" · [^:·]+: ", line) for line in lines]
        return [[first.removeprefix("- **Step ").removesuffix("**"), *rest] for first, *rest in rows]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in lines[2:]]


def everything() -> str:
    """Return all that the orchestrator stores about its runs, as one text: parameters, logs, artifacts, states."""
    return asyncio.run(_everything())


async def _everything() -> str:
    async with get_client() as client:
        kept: list[Any] = [*await client.read_artifacts(limit=200), *await client.read_logs(limit=200)]
        for offset in range(0, 1_000, 200):
            kept += await client.read_flow_runs(limit=200, offset=offset)
            kept += await client.read_task_runs(limit=200, offset=offset)
    return "\n".join(each.model_dump_json() for each in kept)


async def _newest_run() -> Run:
    async with get_client() as client:
        (run,) = await client.read_flow_runs(sort=FlowRunSort.START_TIME_DESC, limit=1)
        tasks = await client.read_task_runs(
            flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[run.id])),
            task_run_filter=TaskRunFilter(flow_run_id=TaskRunFilterFlowRunId(any_=[run.id])),
        )
    assert run.state is not None
    return Run(run.name, str(run.state.name), sorted(task.name for task in tasks), run.state.message or "")


async def _artifacts(key: str) -> Sequence[Any]:
    async with get_client() as client:
        wanted = ArtifactCollectionFilter(key=ArtifactCollectionFilterKey(any_=[key]))
        return await client.read_latest_artifacts(artifact_filter=wanted)
