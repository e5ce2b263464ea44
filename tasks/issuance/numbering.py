"""Find the next numbers in a serie that only we use, and the size of a batch."""

from dataclasses import dataclass

from connectors.ledger import numbers as ledger_numbers
from connectors.ledger.backup.restorations import quarantine_of
from connectors.ledger.numbers import SerieRecord
from connectors.ledger.parties import EmitterRecord
from domain.invoice_numbers import SerieReading, check_serie, number_problem
from domain.problems import FaturistaError, Problem
from tasks.runtime import Runtime


class UnusableSerie(FaturistaError):
    """No number of this serie may be used before a person has decided."""


@dataclass(frozen=True, slots=True)
class NextNumbers:
    """The serie of an emitter and its next number. `is_unused`: nobody has ever used the serie."""

    serie: str
    first: int
    is_unused: bool


def batch_size(runtime: Runtime, issuer: str) -> int:
    """Return the largest number of invoices in one batch of this issuer."""
    wanted, largest = runtime.settings.protocol.batch_size, runtime.issuer(issuer).capabilities.largest_batch
    return wanted if largest is None else min(wanted, largest)


async def ready_serie(runtime: Runtime, emitter: EmitterRecord, *, count: int) -> str:
    """Return the emitter's serie, after a check that only we use it and that `count` numbers are left.

    Start a serie that nobody has used. Raises `UnusableSerie` if the check fails: a person then confirms a new start,
    or gives us another serie.
    """
    found = await next_numbers(runtime, emitter, count=count)
    if found.is_unused:
        await runtime.ledger.write_async(
            ledger_numbers.start_serie, emitter.id, found.serie, start=found.first, by="first use, unused before"
        )
    return found.serie


async def next_numbers(runtime: Runtime, emitter: EmitterRecord, *, count: int) -> NextNumbers:
    """Return where the emitter's next `count` numbers would begin; reserve nothing. Raises `UnusableSerie`."""
    serie = runtime.serie_of(emitter.issuer, emitter.cnpj)
    if await runtime.ledger.read_async(quarantine_of) is not None:
        raise UnusableSerie(Problem("ledger.quarantined"))
    start, ours = await look_at_serie(runtime, emitter, serie)
    first = (start or 1) if ours is None else ours.next_number
    exhausted = number_problem(first + count - 1, runtime.issuer(emitter.issuer).capabilities.numbers)
    if exhausted is not None:
        raise UnusableSerie(exhausted)
    return NextNumbers(serie, first, is_unused=ours is None)


async def look_at_serie(runtime: Runtime, emitter: EmitterRecord, serie: str) -> tuple[int | None, SerieRecord | None]:
    """Return where a new serie may start (see `check_serie`), and our record of the serie. Raises `UnusableSerie`."""
    # Read our record after the provider's: it has other workers' latest posts, so none of them looks foreign.
    shown = await read_serie(runtime, emitter, serie)
    ours = await runtime.ledger.read_async(ledger_numbers.serie_of, emitter.id, serie)
    verdict = check_serie(
        shown,
        highest_posted=0 if ours is None else ours.highest_posted,
        is_started=ours is not None,
        first_number=1 if ours is None else ours.first_number,
    )
    if verdict.problem is not None:
        where = {"cnpj": emitter.cnpj, "serie": serie, **verdict.problem.params}
        raise UnusableSerie(Problem(verdict.problem.code, "serie", params=where))
    return verdict.start, ours


async def read_serie(runtime: Runtime, emitter: EmitterRecord, serie: str) -> SerieReading:
    """Return the issuer's latest number of a serie, and whether the ledger knows that note as ours; None if unknown."""
    record = await runtime.issuer(emitter.issuer).serie(emitter.ref, serie)
    if record is None:
        return SerieReading(None, None)
    if record.latest_id is None:
        return SerieReading(record.latest_number, None)
    place = emitter.id, serie, record.latest_number or 0
    is_ours = await runtime.ledger.read_async(ledger_numbers.is_ours, *place, remote_id=record.latest_id)
    return SerieReading(record.latest_number, is_ours)
