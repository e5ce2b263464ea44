"""Fill the dashboard's forms: only the deployment's own profile and files that exist, never a free path."""

from collections.abc import Sequence
from typing import Any, Final

from prefect import get_client
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import DeploymentUpdate
from prefect.exceptions import ObjectNotFound

from configs.catalogue import Catalogue
from configs.language import language_of
from tasks import entries
from tasks.runtime import PRODUCTS, SERVICES

FILE_FORMS: Final = {"bill_services": SERVICES, "bill_products": PRODUCTS}
"""The flows whose form asks for a file, with the kind of its files."""


async def offer_files(profile: str) -> None:
    """Update the list of files in the forms. A missing deployment has no form."""
    async with get_client() as client:
        for flow_name, kind in FILE_FORMS.items():
            await _offer(client, flow_name, profile, entries.offered_files(profile, kind))


async def _offer(client: PrefectClient, flow_name: str, profile: str, files: Sequence[str]) -> None:
    try:
        deployment = await client.read_deployment_by_name(f"{flow_name}/{flow_name}")
    except ObjectNotFound:
        return
    schema = deployment.parameter_openapi_schema or {}
    wanted = with_choices(schema, path=files or [Catalogue.load(language_of(profile)).text("form.no_file")])
    if wanted != schema:
        await client.update_deployment(deployment.id, DeploymentUpdate(parameter_openapi_schema=wanted))


def with_choices(schema: dict[str, Any], **choices: Sequence[str]) -> dict[str, Any]:
    """Return a form's schema in which each of these parameters is a choice from a list."""
    properties = dict(schema.get("properties", {}))
    for name, values in choices.items():
        if name in properties:
            properties[name] = {**properties[name], "enum": list(values)}
    return {**schema, "properties": properties}
