"""Write both reports from the mirror, read at one instant: the same content gives the same file, name and bytes."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from connectors.ledger.mirror import snapshots
from connectors.ledger.mirror.discrepancies import Clash
from connectors.spreadsheets.reports.books import write_orders, write_paid
from domain.competence import BRASILIA, add_months, first_of_month
from domain.orders import orders, paid_invoices
from domain.orders.reports import OrdersReport, PaidReport, label_plans
from domain.problems import FaturistaError, Problem
from tasks.runtime import Context

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


def report_paid_invoices(
    context: Context, plans: Sequence[str], *, since: datetime, is_csv: bool = False, folder: Path | None = None
) -> Path:
    """Write what the plans were paid from `since` (aware) on. Return the file's path."""
    seen = context.ledger.read(snapshots.read_paid, plans, since=since)
    words = {**context.catalogue.words("report"), **context.catalogue.words("report_paid")}
    digest = paid_invoices.digest_of(seen.invoices)
    covered = {each.plan_slug for each in seen.cursors if each.covered_since and each.covered_since <= since}
    unsound = [invoice for invoice in seen.invoices if not invoice.is_sound]
    problems = [
        *_uncovered_plans(plans, covered),
        *_clash_problems(seen.clashes),
        *(Problem("report.adjustments_differ", params=_clash_params(each.plan_slug, each.number)) for each in unsound),
    ]
    report = PaidReport(
        since=since,
        made_at=max((invoice.paid_at for invoice in seen.invoices), default=since),
        labels=label_plans(plans, seen.names),
        invoices=tuple(seen.invoices),
        totals=paid_invoices.total_by_month(seen.invoices),
        digest=digest,
        words=words,
        warnings=tuple(context.catalogue.say(problem) for problem in problems),
    )
    path = _path(context, folder, f"{words['file']}-{since.astimezone(BRASILIA):%Y-%m-%d}-{digest[:8]}", is_csv=is_csv)
    write_paid(path, report)
    return path


def report_orders(context: Context, plans: Sequence[str], *, is_csv: bool = False, folder: Path | None = None) -> Path:
    """Write all orders of the plans. Return the file's path."""
    seen = context.ledger.read(snapshots.read_orders, plans)
    words = {**context.catalogue.words("report"), **context.catalogue.words("report_orders")}
    digest = orders.digest_of(seen.orders)
    covered = {each.plan_slug for each in seen.cursors if each.synced_at is not None}
    problems = [*_uncovered_plans(plans, covered), *_clash_problems(seen.clashes)]
    report = OrdersReport(
        made_at=max((each.order.created_at for each in seen.orders), default=_BEGINNING),
        labels=label_plans(plans, seen.names),
        orders=tuple(seen.orders),
        totals=orders.total_by_plan(seen.orders),
        digest=digest,
        words=words,
        warnings=tuple(context.catalogue.say(problem) for problem in problems),
    )
    path = _path(context, folder, f"{words['file']}-{digest[:8]}", is_csv=is_csv)
    write_orders(path, report)
    return path


def wanted_plans(context: Context, named: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the named plans, else the settings' plans. Raises `FaturistaError` where there are none."""
    plans = tuple(dict.fromkeys(named)) or context.settings.orders.plans
    if not plans:
        raise FaturistaError(Problem("report.no_plans"))
    return plans


def window_start(context: Context, since: date | None = None) -> datetime:
    """Return the first instant of a day in São Paulo; by default of the first day of last month."""
    day = since or add_months(first_of_month(context.clock().astimezone(BRASILIA).date()), -1)
    return datetime(day.year, day.month, day.day, tzinfo=BRASILIA)


def _uncovered_plans(plans: Iterable[str], covered: set[str]) -> Iterator[Problem]:
    yield from (Problem("report.not_covered", params={"plan": plan}) for plan in plans if plan not in covered)


def _clash_problems(clashes: Iterable[Clash]) -> Iterator[Problem]:
    for clash in clashes:
        named = _clash_params(clash.plan_slug, clash.number)
        yield Problem("report.clash", params={**named, "list": clash.kind.replace("_", "-")})


def _clash_params(plan: str, number: int) -> dict[str, str | int]:
    return {"plan": plan, "number": number}


def _path(context: Context, folder: Path | None, stem: str, *, is_csv: bool) -> Path:
    path = (folder or context.outbox) / f"{stem}.{'csv' if is_csv else 'xlsx'}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
