"""Station 3: find emitter, customer and template of each row; look up each of them once in a reading."""

from domain.station_result import StationResult
from tasks.runtime import Runtime
from tasks.runtime.heartbeat import heartbeats_of
from tasks.sheets.kinds import kind_of_reading


async def resolve_rows(runtime: Runtime, reading_id: int) -> StationResult:
    """Find emitter, customer and template of each row of a reading.

    Safe to repeat: it looks customers up before it creates them, and never creates emitters or templates.
    """
    async with heartbeats_of(runtime, reading_id):
        kind = await kind_of_reading(runtime, reading_id)
        return await kind.resolve(runtime, reading_id)
