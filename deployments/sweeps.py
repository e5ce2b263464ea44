"""Start a sweep at the Prefect server at once, before its schedule."""

import os
from typing import Final

from prefect import get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterDeploymentId,
    FlowRunFilterState,
    FlowRunFilterStateType,
    FlowRunFilterTags,
)
from prefect.client.schemas.objects import StateType
from prefect.exceptions import ObjectNotFound

DEPLOYMENT: Final = "reconcile_batches/reconcile_batches"
OCCASION: Final = "webhook"
_GOING_ON: Final = [StateType.SCHEDULED, StateType.PENDING, StateType.RUNNING]


async def start_sweep(profile: str) -> bool:
    """Start a run of `reconcile_batches` for the profile. Return whether it was started.

    Starts none without a server or a deployment for this profile, or while an earlier such run lasts. Nothing depends
    on it: the scheduled sweep looks at every due batch.
    """
    if not os.environ.get("PREFECT_API_URL"):
        return False
    async with get_client() as client:
        try:
            deployment = await client.read_deployment_by_name(DEPLOYMENT)
        except ObjectNotFound:
            return False
        runs = FlowRunFilter(
            deployment_id=FlowRunFilterDeploymentId(any_=[deployment.id]),
            tags=FlowRunFilterTags(all_=[OCCASION]),
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=_GOING_ON)),
        )
        if deployment.parameters.get("profile") != profile or await client.read_flow_runs(
            flow_run_filter=runs, limit=1
        ):
            return False
        await client.create_flow_run_from_deployment(deployment.id, tags=[*deployment.tags, OCCASION])
    return True
