"""Station 4: draft an invoice from each resolved row or order, number it and plan its batch."""

from domain.station_result import StationResult
from tasks.runtime import Runtime
from tasks.runtime.heartbeat import heartbeats_of
from tasks.sheets.kinds import kind_of_reading


async def assemble_rows(runtime: Runtime, reading_id: int) -> StationResult:
    """Draft, number and plan the invoices of a reading's rows.

    Safe to repeat: a drafted invoice is planned once, a row with a living invoice is never drafted again.
    """
    async with heartbeats_of(runtime, reading_id):
        kind = await kind_of_reading(runtime, reading_id)
        return await kind.assemble(runtime, reading_id)
