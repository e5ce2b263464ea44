"""Register the receiver at the provider, test it, and remove it. The journal records each write."""

import asyncio
from typing import Final

from connectors.ledger import hints
from tasks.records.carry_out import Requester, carry_out
from tasks.records.kinds import OpenResource, open_resource
from tasks.records.plans import RecordPlan, list_records, plan_write
from tasks.runtime import Context
from tasks.webhooks.address import TRIAL, receiver_address

_NAME: Final = "Faturista"
_PAUSE_S: Final = 0.2


async def register(profile: str, person: Requester) -> RecordPlan:
    """Register the receiver's address unless it is registered already. The provider first tests whether it answers."""
    async with open_resource(profile, "webhook") as opened:
        return await _create(opened, receiver_address(opened.context).address, person)


async def remove(profile: str, person: Requester) -> list[RecordPlan]:
    """Remove every registration of the receiver's address and of its trial address."""
    async with open_resource(profile, "webhook") as opened:
        receiver = receiver_address(opened.context)
        return [
            *await _remove(opened, receiver.address, person),
            *await _remove(opened, receiver.address + TRIAL, person),
        ]


async def try_out(profile: str, person: Requester, *, patience_s: float) -> tuple[RecordPlan, bool]:
    """Register a trial address, so that the provider sends its test delivery, and remove it again.

    Return the registration, and whether the delivery reached the ledger within `patience_s` seconds.
    """
    async with open_resource(profile, "webhook") as opened:
        address = receiver_address(opened.context).address + TRIAL
        await _remove(opened, address, person)
        before = await _tests(opened.context)
        plan = await _create(opened, address, person)
        has_arrived = plan.status == "done" and await _arrives(opened.context, before, patience_s)
        await _remove(opened, address, person)
    return plan, has_arrived


async def _create(opened: OpenResource, address: str, person: Requester) -> RecordPlan:
    plan = await plan_write(opened, "create", (), {"name": _NAME, "url": address})
    return await carry_out(opened, plan, person)


async def _remove(opened: OpenResource, address: str, person: Requester) -> list[RecordPlan]:
    found = [each for each in await list_records(opened, (), {}) if each.values.get("url") == address]
    return [await carry_out(opened, await plan_write(opened, "remove", each.path, {}), person) for each in found]


async def _tests(context: Context) -> int:
    deliveries = await context.ledger.read_async(hints.delivery_counts)
    return deliveries["test"][0] if "test" in deliveries else 0


async def _arrives(context: Context, before: int, patience_s: float) -> bool:
    end = asyncio.get_running_loop().time() + patience_s
    while await _tests(context) <= before:
        if asyncio.get_running_loop().time() > end:
            return False
        await asyncio.sleep(_PAUSE_S)
    return True
