"""Open and close the alerts about failed flows, about a Prefect server that does not answer, and about late runs."""

from collections.abc import Collection
from typing import Final

from connectors.ledger.alerts import RUN_FAILED, clear_alert, open_alerts, raise_alert
from domain.disk_faults import in_words
from domain.problems import FaturistaError, Problem
from tasks.runtime import Context

SERVER: Final = "server"
"""Topic of the alert about Prefect's server."""
LATE: Final = "late"
"""Topic of the alert about runs that no worker takes."""
_LOST: Final = "alert.lost_run"


def problem_of(error: BaseException) -> Problem:
    """Return an error as a problem; of an exception group, take the first error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = in_words(error)
    if isinstance(error, FaturistaError):
        return error.problem
    return Problem("board.unforeseen", params={"kind": type(error).__name__})


def record_failure(context: Context, flow: str, error: BaseException) -> None:
    """Open the alert of a flow whose run failed."""
    problem = problem_of(error)
    context.ledger.write(raise_alert, RUN_FAILED, flow, code=problem.code, params=problem.params)


def record_end(context: Context, flow: str) -> None:
    """Close the alert of a flow whose run succeeded."""
    if any(alert.subject == flow for alert in context.ledger.read(open_alerts, RUN_FAILED)):
        context.ledger.write(clear_alert, RUN_FAILED, flow)


def alert_silent_server(context: Context, *, is_up: bool) -> None:
    """Open the alert about a Prefect server that does not answer, or close it."""
    if not is_up:
        context.ledger.write(raise_alert, SERVER, "prefect", code="alert.server", params={})
    elif context.ledger.read(open_alerts, SERVER):
        context.ledger.write(clear_alert, SERVER, "prefect")


def alert_late_runs(context: Context, *, are_late: bool) -> None:
    """Open the alert about runs that should have started, or close it."""
    if are_late:
        context.ledger.write(raise_alert, LATE, "prefect", code="alert.late", params={})
    elif context.ledger.read(open_alerts, LATE):
        context.ledger.write(clear_alert, LATE, "prefect")


def alert_lost_runs(context: Context, flows: Collection[str]) -> None:
    """Open an alert for each of these flows, whose newest run stored no result; close other flows' alerts."""
    for flow in flows:
        context.ledger.write(raise_alert, RUN_FAILED, flow, code=_LOST, params={"flow": flow})
    for alert in context.ledger.read(open_alerts, RUN_FAILED):
        if alert.code == _LOST and alert.subject not in flows:
            context.ledger.write(clear_alert, RUN_FAILED, alert.subject)
