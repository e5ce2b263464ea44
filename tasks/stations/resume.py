"""Repeat stations 3 and 4 for an import that stopped before its end."""

from connectors.http.errors import Denied
from connectors.ledger import files as ledger_files
from connectors.ledger.engine import LedgerUnavailable
from connectors.process_names import process_name
from domain.problems import FaturistaError
from domain.station_result import Ending, StationResult, Subject
from tasks.runtime import Runtime
from tasks.stations.assemble import assemble_rows
from tasks.stations.resolve import resolve_rows


async def resume_reading(runtime: Runtime, reading_id: int) -> StationResult:
    """Repeat stations 3 and 4 for a reading, unless another process works on it.

    An error becomes a remark, so that it does not stop the sweep. Raises only `Denied` and `LedgerUnavailable`, which
    would stop every reading.
    """
    # two sweeps may have found the reading: the ledger gives it to one of them
    term, worker = runtime.settings.protocol.lease_s, process_name()
    if not await runtime.ledger.write_async(ledger_files.claim_reading, reading_id, worker=worker, idle_s=term):
        return StationResult("resume", Subject("reading", reading_id), Ending.BUSY)
    try:
        await resolve_rows(runtime, reading_id)
        return await assemble_rows(runtime, reading_id)
    except (Denied, LedgerUnavailable):
        raise
    except FaturistaError as error:
        # the next sweep tries again
        await runtime.ledger.write_async(ledger_files.leave, reading_id, worker=worker)
        return StationResult("resume", Subject("reading", reading_id), Ending.WAITING, remarks=(error.problem,))
