"""Fill the dashboard's forms: files that exist, never a free path, and findings that wait for an approval."""

from collections.abc import Sequence
from typing import Any, Final

from prefect import get_client
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import DeploymentUpdate
from prefect.exceptions import ObjectNotFound

from configs.catalogue import Catalogue
from configs.language import language_of
from tasks import approval_entries, entries
from tasks.runtime import PRODUCTS, SERVICES

FILE_FORMS: Final = {"bill_services": SERVICES, "bill_products": PRODUCTS}
"""The flows whose form asks for a file, with the kind of its files."""


async def offer_choices(profile: str) -> None:
    """Update the lists of files and of findings in the forms. A missing deployment has no form."""
    words = Catalogue.load(language_of(profile))
    async with get_client() as client:
        for flow_name, kind in FILE_FORMS.items():
            files = entries.offered_files(profile, kind)
            await _offer(client, flow_name, path=files or [words.text("form.no_file")])
        found = approval_entries.offered_findings(profile)
        await _offer(client, "approve_batches", findings=found or [words.text("form.no_finding")])


async def _offer(client: PrefectClient, flow_name: str, **choices: Sequence[str]) -> None:
    try:
        deployment = await client.read_deployment_by_name(f"{flow_name}/{flow_name}")
    except ObjectNotFound:
        return
    schema = deployment.parameter_openapi_schema or {}
    wanted = with_choices(schema, **choices)
    if wanted != schema:
        await client.update_deployment(deployment.id, DeploymentUpdate(parameter_openapi_schema=wanted))


def with_choices(schema: dict[str, Any], **choices: Sequence[str]) -> dict[str, Any]:
    """Return a form's schema in which each of these parameters is a choice from a list, or several of a list."""
    properties = dict(schema.get("properties", {}))
    for name, values in choices.items():
        given = properties.get(name, {})
        if given.get("type") == "array":
            properties[name] = {**given, "items": {**given.get("items", {}), "enum": list(values)}}
        elif given:
            properties[name] = {**given, "enum": list(values)}
    return {**schema, "properties": properties}
