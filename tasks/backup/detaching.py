"""Move months past their retention term into files: plan it, do it, and compare the files later."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from secrets import token_hex

from connectors.ledger.backup.encryption import Identity
from connectors.ledger.backup.seals import seal_journal
from connectors.ledger.backup.verify import Verified
from connectors.ledger.database.files import make_folder, open_new
from connectors.ledger.detached.detach import continue_emptying, detach_month
from connectors.ledger.detached.months import (
    DetachedMonth,
    MonthSize,
    attached_months,
    detach_problem,
    detached_among,
    detached_months,
    size_of,
    unemptied_months,
)
from connectors.ledger.detached.proof import broken_months, unread_months
from connectors.ledger.detached.unfinished import first_unfinished
from connectors.object_store import StoreUnavailable
from domain.competence import BRASILIA, format_competence
from domain.disk_faults import disk_fault
from domain.problems import FaturistaError, Problem
from tasks.backup.keys import identities_of, recipients_of
from tasks.runtime import Context
from tasks.runtime.shared_files import object_store
from tasks.views.detached import folder_of


@dataclass(frozen=True, slots=True)
class DetachPlan:
    """The months that can be detached, oldest first.

    Attributes:
        half_detached: Months that an interrupted process detached in part.
        detach_problem: Why the month after `months` cannot be detached; None if none is left.
        unfinished_work: The unfinished work whose old events must stay in the journal's table, or None.
    """

    months: Sequence[MonthSize]
    half_detached: Sequence[MonthSize]
    detach_problem: Problem | None
    unfinished_work: Problem | None


def plan_detaching(context: Context, before: date | None = None) -> DetachPlan:
    """Plan to detach the months before `before`, or all whose term has ended. Change nothing.

    Raises `FaturistaError` (`ledger.detach_term`) if some of these months are within their term.
    """
    end = _end_of_term(context)
    if before is not None and before > end:
        years = context.settings.retention.fiscal_years
        params: dict[str, str | int] = {"month": format_competence(end), "years": years}
        raise FaturistaError(Problem("ledger.detach_term", params=params))
    months: list[MonthSize] = []
    problem = None
    for each in context.ledger.read(attached_months, before=before or end):
        # `after`: the months planned so far are detached before this one.
        problem = context.ledger.read(detach_problem, each, after=len(months))
        if problem is not None:
            break
        months.append(context.ledger.read(size_of, each))
    half_detached = [_size_of(each) for each in context.ledger.read(unemptied_months)]
    return DetachPlan(months, half_detached, problem, _unfinished_work(context, before or end))


def detach_notices(context: Context) -> Iterator[Problem]:
    """Yield which months past their term can be detached, and what prevents others. Change nothing."""
    plan = plan_detaching(context)
    for code, months in (("ledger.detach_due", plan.months), ("ledger.detach_begun", plan.half_detached)):
        if months:
            first, last = (format_competence(each.competence) for each in (months[0], months[-1]))
            yield Problem(code, params={"count": len(months), "first": first, "last": last})
    yield from (each for each in (plan.detach_problem, plan.unfinished_work) if each is not None)


def _unfinished_work(context: Context, before: date) -> Problem | None:
    """Return the unfinished work that keeps events before `before` in the tables, or None."""
    found = context.ledger.read(first_unfinished)
    if found is None or found.at.astimezone(BRASILIA).date() >= before:
        return None
    params: dict[str, str | int] = {"day": f"{found.at.astimezone(BRASILIA):%d/%m/%Y}", "file": found.file}
    if found.batch_id is None:
        return Problem("ledger.detach_held_file", params=params)
    return Problem("ledger.detach_held", params={**params, "batch": found.batch_id})


def _size_of(month: DetachedMonth) -> MonthSize:
    return MonthSize(month.competence, month.counts["invoices"], month.service_cents)


def detach(context: Context, plan: DetachPlan, *, person: str) -> Iterator[tuple[MonthSize, Path | None]]:
    """Detach the months of a plan one by one. Yield each with its file, or None if another process did it.

    First finish the months that an interrupted process left in part. If copies are encrypted, so are these files; a
    secret key is then required, because rows are deleted only if their file can be read back. Store the files in the
    object store as well, if there is one. Safe to repeat after a crash. Raises `FaturistaError`.
    """
    recipients, identities = recipients_of(context.settings), identities_of(context.settings)
    if recipients and not identities:
        raise FaturistaError(Problem("ledger.detach_key"))
    seal_journal(context.ledger)
    yield from _continue_emptied_months(context, identities)
    for each in plan.months:
        try:
            path = detach_month(
                context.ledger,
                each.competence,
                folder_of(context),
                by=person,
                recipients=recipients,
                identities=identities,
                share=lambda path: _copy_to_object_store(context, path),
            )
        except OSError as error:
            raise FaturistaError(Problem("ledger.cannot_write", params={"disk": disk_fault(error)})) from error
        yield each, path


def _continue_emptied_months(context: Context, identities: Sequence[Identity]) -> Iterator[tuple[MonthSize, Path]]:
    """Delete the remaining rows of months that interrupted processes detached in part. Raises `FaturistaError`."""
    half_detached = context.ledger.read(unemptied_months)
    if half_detached:
        _fetch_missing(context)
    for each in half_detached:
        yield _size_of(each), continue_emptying(context.ledger, each, folder_of(context), identities)


def verify_detached_files(context: Context, found: Verified) -> Verified:
    """Compare the files of detached months, downloading those that this machine lacks, and add this to `found`."""
    identities = identities_of(context.settings)
    folder = folder_of(context)
    _fetch_missing(context)
    broken = context.ledger.read(lambda conn: tuple(broken_months(conn, folder, identities)))
    remarks = context.ledger.read(unread_months, folder, identities)
    months = context.ledger.read(detached_months)
    if months and not remarks:
        first, last = (format_competence(each.competence) for each in (months[0], months[-1]))
        params: dict[str, str | int] = {"count": len(months), "first": first, "last": last}
        remarks = [Problem("ledger.months_compared", params=params)]
    return replace(found, problems=(*found.problems, *broken), remarks=tuple(remarks))


def _copy_to_object_store(context: Context, path: Path) -> None:
    """Copy a file into the object store and read it back. Raises `FaturistaError`."""
    store = object_store(context.settings)
    if store is None:
        return
    content = path.read_bytes()
    # Not fixed: when a month is encrypted again, its file has other bytes.
    store.put(_object_name(path.name), content, is_fixed=False)
    if store.fetch(_object_name(path.name)) != content:
        raise FaturistaError(Problem("ledger.copy_damaged"))


def _fetch_missing(context: Context) -> None:
    """Download the files that this machine lacks. Skip those that the object store cannot deliver now."""
    store, folder = object_store(context.settings), folder_of(context)
    if store is None:
        return
    for each in context.ledger.read(detached_months):
        path = folder / each.file
        with suppress(StoreUnavailable):
            if not path.is_file() and (content := store.fetch(_object_name(each.file))) is not None:
                make_folder(folder)
                partial = path.with_name(f".{path.name}.{token_hex(4)}.part")
                with os.fdopen(open_new(partial), "wb") as file:
                    file.write(content)
                partial.replace(path)


def _object_name(name: str) -> str:
    return f"detached/{name}"


def refuse_detached(context: Context, competence: date) -> None:
    """Raise `FaturistaError` (`closing.detached`) if the month is detached: its reports need rows of its file."""
    for each in context.ledger.read(detached_among, {competence}):
        params = {"month": format_competence(competence), "file": each.file}
        raise FaturistaError(Problem("closing.detached", params=params))


def _end_of_term(context: Context) -> date:
    """Return the first month that has to stay: January of the earliest year whose term runs."""
    return date(context.clock().astimezone(BRASILIA).year - context.settings.retention.fiscal_years, 1, 1)
