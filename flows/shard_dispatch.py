"""Offer shards of batches to other workers of a Prefect server, each as a run of the deployment `work_batches`.

Nothing depends on an offered run: it may start late, twice or never. Leases in the ledger decide who works on a batch.
A worker that joins late takes the batches that still wait.
"""

from collections.abc import Sequence
from typing import Final

from prefect import get_client
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterDeploymentId,
    FlowRunFilterState,
    FlowRunFilterStateType,
    FlowRunFilterTags,
)
from prefect.client.schemas.objects import StateType
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import ObjectNotFound

from tasks.views.due_work import Shard, SharedStation

DEPLOYMENT: Final = "work_batches/work_batches"
_MOST: Final = 200
"""Largest number of runs of one offer; the offering run and the sweeps work on the rest."""


def work_name(verb: str, batches: Sequence[int]) -> str:
    """Return the name of a run that works on batches."""
    if not batches:
        return f"{verb} no batch"
    if len(batches) == 1:
        return f"{verb} batch {batches[0]}"
    first, last = min(batches), max(batches)
    is_gapless = last - first + 1 == len(batches)
    return f"{verb} batches {first} to {last}" if is_gapless else f"{verb} {len(batches)} of batches {first} to {last}"


async def offer_shards(profile: str, station: SharedStation, shards: Sequence[Shard], *, cause: str) -> int:
    """Offer the shards, the last one first. Return the number of runs.

    The number is 0 if the server has no such deployment of this profile, or if an earlier offer for `cause` waits.
    """
    if not shards:
        return 0
    async with get_client() as client:
        try:
            deployment = await client.read_deployment_by_name(DEPLOYMENT)
        except ObjectNotFound:
            return 0
        if deployment.parameters.get("profile") != profile or await _is_waiting(client, deployment, cause):
            return 0
        # The offering run starts with the first shard: offer the last one first, so that they meet late.
        offered = list(reversed(shards))[:_MOST]
        for shard in offered:
            await client.create_flow_run_from_deployment(
                deployment.id,
                name=work_name(station, shard.batches),
                parameters={"station": station, "batches": shard.batches},
                idempotency_key=shard.key,
                tags=[*deployment.tags, cause],
            )
    return len(offered)


async def _is_waiting(client: PrefectClient, deployment: DeploymentResponse, cause: str) -> bool:
    """Return whether an offered run of this cause has not begun yet."""
    runs = FlowRunFilter(
        deployment_id=FlowRunFilterDeploymentId(any_=[deployment.id]),
        tags=FlowRunFilterTags(all_=[cause]),
        state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED, StateType.PENDING])),
    )
    return bool(await client.read_flow_runs(flow_run_filter=runs, limit=1))
