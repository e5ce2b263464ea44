"""Station 3: who bills whom with which template: each distinct party of a reading is looked up once."""

from domain.run_report import Tally
from tasks.runtime import Runtime
from tasks.sheets.kinds import kind_of_reading


async def resolve_rows(runtime: Runtime, reading_id: int) -> Tally:
    """Find emitter, customer and template of each row of a reading.

    Safe to repeat: customers are looked up before they are created, issuers and templates are only looked up.
    """
    kind = await kind_of_reading(runtime, reading_id)
    return await kind.resolve(runtime, reading_id)
