"""What keeps a month open, and who acts on it."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Final

from connectors.ledger import closings as ledger_closings
from connectors.ledger.closings import OpenWork
from domain.competence import add_months, format_competence
from domain.problems import FaturistaError, Problem
from domain.states import BatchState
from tasks.contracts.month import charges_of_month
from tasks.runtime import Context

_PERSONS: Final = frozenset({BatchState.STAGED, BatchState.DISTURBED})
_CITYS: Final = frozenset({BatchState.SCHEDULED, BatchState.PROCESSING})
_SHOWN: Final = 5


def refuse_before_its_end(context: Context, competence: date) -> None:
    """Raise `FaturistaError` (`closing.not_over`) while the month goes on in Brasília."""
    end = add_months(competence, 1)
    if context.today < end:
        params = {"month": format_competence(competence), "day": f"{end:%d/%m/%Y}"}
        raise FaturistaError(Problem("closing.not_over", params=params))


def open_items(context: Context, competence: date) -> list[Problem]:
    """Return what keeps a month open, each with who acts and how; none when it can be closed."""
    work = context.ledger.read(ledger_closings.open_work, competence)
    return [*_of_ledger(work), *_of_contracts(context, competence)]


def _of_ledger(work: OpenWork) -> Iterator[Problem]:
    for number, state, count in work.batches:
        params: dict[str, str | int] = {"batch": number, "count": count}
        if state in _PERSONS:
            yield Problem("closing.batch_person", params=params)
        elif state in _CITYS:
            yield Problem("closing.batch_city", params=params)
        else:
            yield Problem("closing.batch_line", params=params)
    if work.invoices:
        yield Problem("closing.open_invoices", params=_listed(work.invoices))
    if work.incidents:
        yield Problem("closing.open_incidents", params={"count": len(work.incidents)})
    if work.cancellations:
        yield Problem("closing.open_cancellations", params=_listed(work.cancellations))
    if work.readings:
        yield Problem("closing.open_readings", params=_listed(work.readings))


def _of_contracts(context: Context, competence: date) -> Iterator[Problem]:
    charges = charges_of_month(context, competence)
    counts = Counter(each.standing for each in charges)
    del counts["billed"]
    if counts.total():
        keys = [each.contract.key for each in charges if each.standing != "billed"]
        yield Problem("closing.open_contracts", params=_listed(keys))


def _listed(things: list[str] | tuple[int, ...]) -> dict[str, str | int]:
    shown = ", ".join(map(str, things[:_SHOWN])) + (" …" if len(things) > _SHOWN else "")
    return {"count": len(things), "first": shown}
