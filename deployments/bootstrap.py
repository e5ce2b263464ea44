"""Register the work pool, the deployments and the automations at a Prefect server. Safe to repeat.

Run `python -m deployments.bootstrap --profile NAME`, with PREFECT_API_URL set. The lists are `prefect.yaml` and
`automations.yaml` beside this file. Flows are named by their modules, so that an installed wheel can be deployed from
any folder.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Mapping, Sequence
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final
from uuid import UUID

import yaml
from prefect import Flow
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.client.schemas.schedules import CronSchedule
from prefect.context import AsyncClientContext
from prefect.events.schemas.automations import AutomationCore
from prefect.exceptions import ObjectAlreadyExists, PrefectHTTPStatusError
from prefect.types.entrypoint import EntrypointType
from prefect.utilities.callables import ParameterSchema

from configs.catalogue import Catalogue
from configs.language import language_of
from domain.problems import FaturistaError
from flows import prefect_flows
from flows.prefect_forms import offer_choices, with_choices
from tasks.runtime import PLAYGROUND, open_context

POOL_TYPE: Final = "process"
# Prefect's own template lets anybody who starts a run choose its command, environment and folder. Ours has no
# variables: a run is our flow, in the worker's environment.
JOB_TEMPLATE: Final[dict[str, Any]] = {
    "job_configuration": {
        "command": None,
        "env": {},
        "labels": {},
        "name": None,
        "stream_output": True,
        "working_dir": None,
    },
    "variables": {"type": "object", "properties": {}, "additionalProperties": False},
}


async def bootstrap(profile: str) -> list[str]:
    """Register everything for the profile; return the names of the deployments.

    Raises `FaturistaError` for a profile that cannot be used, before anything is registered.
    """
    with open_context(profile):
        pass
    wanted = _listed("prefect.yaml")
    # Prefect reuses this client. Otherwise it opens one for each deployment, and each reads all certificates.
    async with AsyncClientContext.get_or_create() as connected:
        client = connected.client
        await _make_pool(client, wanted["definitions"]["work"]["name"])
        for automation in _automations():
            await put_automation(client, automation)
        names = []
        for deployment in wanted["deployments"]:
            await _deploy(deployment, profile)
            names.append(deployment["name"])
        await offer_choices(profile)
    return names


async def _make_pool(client: PrefectClient, name: str) -> None:
    try:
        pool = WorkPoolCreate(name=name, type=POOL_TYPE, base_job_template=JOB_TEMPLATE)
        await client.create_work_pool(pool)
    except ObjectAlreadyExists:
        # a pool of another type was made by a person with its own template: deployments/kubernetes-pods
        if (await client.read_work_pool(name)).type == POOL_TYPE:
            await client.update_work_pool(name, WorkPoolUpdate(base_job_template=JOB_TEMPLATE))


async def _deploy(wanted: Mapping[str, Any], profile: str) -> None:
    """Create or replace one deployment.

    A scheduled flow runs at most once at a time: Prefect drops a late run, because each sweep catches up from the
    ledger.
    """
    name = wanted["name"]
    flow: Flow[..., Any] = getattr(prefect_flows, name)
    schedules = [CronSchedule(cron=each["cron"], timezone=each["timezone"]) for each in wanted["schedules"]]
    deployment = await flow.ato_deployment(
        name,
        schedules=schedules,
        parameters={"profile": profile},
        work_pool_name=wanted["work_pool"]["name"],
        concurrency_limit=_one_at_a_time() if schedules else None,
        entrypoint_type=EntrypointType.MODULE_PATH,
        tags=[profile, *wanted["tags"]],
    )
    # The form offers only this deployment's profile.
    schema = with_choices(deployment._parameter_openapi_schema.model_dump(), profile=[profile])  # noqa: SLF001
    deployment._parameter_openapi_schema = ParameterSchema(**schema)  # noqa: SLF001 - no public way to change a form
    await deployment.aapply()


def _one_at_a_time() -> ConcurrencyLimitConfig:
    return ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)


async def put_automation(client: PrefectClient, automation: AutomationCore) -> None:
    """Create or replace the automation, and remove copies of the same name.

    Two bootstraps at once may both create it: then both keep the one with the least id, and both remove the others.
    """
    known = await _copies(client, automation.name)
    if not (known and await _is_found(client.update_automation(known[0], automation))):
        await client.create_automation(automation)
    for copy in (await _copies(client, automation.name))[1:]:
        await _is_found(client.delete_automation(copy))


async def _is_found(request: Awaitable[None]) -> bool:
    """Await a request about one automation; return False if another bootstrap has removed that automation."""
    try:
        await request
    except PrefectHTTPStatusError as refused:
        if refused.response.status_code != HTTPStatus.NOT_FOUND:
            raise
        return False
    return True


async def _copies(client: PrefectClient, name: str) -> list[UUID]:
    """Return the ids of the automations with this name, the least first."""
    return sorted(each.id for each in await client.read_automations_by_name(name))


def _automations() -> Sequence[AutomationCore]:
    read = _listed("automations.yaml")
    return [AutomationCore.model_validate(each) for each in (read if isinstance(read, list) else [read])]


def _listed(name: str) -> Any:
    return yaml.safe_load(files("deployments").joinpath(name).read_text(encoding="utf-8"))


def main() -> None:
    """Register a profile's objects at the Prefect server and print their names, one a line. Exit with 2 on an error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=PLAYGROUND)
    profile = parser.parse_args().profile
    try:
        names = asyncio.run(bootstrap(profile))
    except FaturistaError as error:
        print(*Catalogue.load(language_of(profile)).explain(error), sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    print(*names, sep="\n")  # noqa: T201


if __name__ == "__main__":
    main()
