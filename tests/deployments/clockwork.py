"""Run a flow that does nothing, then put it on a schedule: the client's side of the version traps' smoke test.

Run it as a program against the server named in PREFECT_API_URL; it prints one line of JSON.
"""

import asyncio
import json
import os

from prefect import flow, get_client, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.schedules import CronSchedule
from prefect.settings import get_current_settings

CRON, ZONE = "30 6 * * *", "America/Sao_Paulo"


@task(cache_policy=NO_CACHE)
def swing(times: int) -> int:
    return times + 1


@flow
def clockwork(times: int = 1) -> int:
    return swing(times)


async def put_on_schedule() -> str:
    """Register the flow with a cron schedule. Return the deployment's id."""
    async with get_client() as client:
        deployment = await client.create_deployment(
            flow_id=await client.create_flow(clockwork),
            name="clockwork",
            schedules=[DeploymentScheduleCreate(schedule=CronSchedule(cron=CRON, timezone=ZONE))],
            enforce_parameter_schema=False,
        )
    return str(deployment)


def main() -> None:
    swung = clockwork(times=41)
    in_force = get_current_settings().to_environment_variables(exclude_unset=True)
    ignored = [name for name in os.environ if name.startswith("PREFECT_") and name not in in_force]
    print(json.dumps({"swung": swung, "deployment": asyncio.run(put_on_schedule()), "ignored_settings": ignored}))


if __name__ == "__main__":
    main()
