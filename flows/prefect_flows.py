"""The flows and stations as Prefect knows them. This module alone turns orders of stations into Prefect flows.

A deployment's entrypoint is here (`flows/prefect_flows.py:bill_services`). The order itself is in the module of the
same name (`flows/bill_services.py`), which loads no Prefect.
"""

import inspect
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from prefect import Flow, State, flow, task
from prefect.artifacts import acreate_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.runtime import flow_run, task_run
from prefect.states import Failed
from prefect.tasks import Task

from configs.catalogue import Catalogue
from configs.language import language_of
from connectors.ledger.engine import LedgerUnavailable
from domain.problems import FaturistaError
from flows.account import PRIVATE_UMASK
from flows.backup_ledger import backup_ledger as order_backup_ledger
from flows.bill_products import bill_products as order_bill_products
from flows.bill_services import bill_services as order_bill_services
from flows.localized_help import localized_docstring
from flows.monthly_billing import monthly_billing as order_monthly_billing
from flows.reconcile_batches import reconcile_batches as order_reconcile_batches
from flows.release_batches import release_batches as order_release_batches
from flows.report_orders import report_orders as order_report_orders
from flows.report_paid_invoices import report_paid_invoices as order_report_paid_invoices
from flows.runner import Runner
from flows.sweep_inbox import sweep_inbox as order_sweep_inbox
from tasks import entries
from tasks.views.dashboard import say_errors

P = ParamSpec("P")
T = TypeVar("T")
Station = Callable[..., Awaitable[Any]]
Order = Callable[..., Awaitable[Any]]


def is_lost_machine(_task: Task[Any, Any], _run: TaskRun, state: State[Any]) -> bool:
    """Say whether Prefect should repeat a task: only when the ledger's database went away."""
    # The data of a failed state is the exception. `result()` would return a coroutine for an async task.
    return isinstance(state.data, LedgerUnavailable)


def _stage_name() -> str:
    batches = task_run.parameters["batches"]
    return f"stage batch {batches[0]}" if len(batches) == 1 else f"stage {len(batches)} batches from {batches[0]} on"


def _as_task(station: Station, run_name: str | Callable[[], str], name: str = "") -> Task[..., Any]:
    repeats = station in entries.REPEATABLE
    return task(
        name=name or station.__name__.replace("_", " "),
        task_run_name=run_name,
        retries=entries.REPEATS if repeats else 0,
        retry_delay_seconds=entries.REPEAT_DELAY_S if repeats else None,
        retry_condition_fn=is_lost_machine if repeats else None,
        cache_policy=NO_CACHE,
    )(station)


TASKS: Final[Mapping[Station, Task[..., Any]]] = {
    entries.gather: _as_task(entries.gather, "gather contracts", name="gather contracts"),
    entries.intake: _as_task(entries.intake, "intake {path}"),
    entries.read: _as_task(entries.read, "read file {file}"),
    entries.resolve: _as_task(entries.resolve, "resolve reading {reading}"),
    entries.assemble: _as_task(entries.assemble, "assemble reading {reading}"),
    entries.resume: _as_task(entries.resume, "resume reading {reading}"),
    entries.preview: _as_task(entries.preview, "preview reading {reading}"),
    entries.show_month: _as_task(entries.show_month, "show the month", name="show the month"),
    entries.stage: _as_task(entries.stage, _stage_name),
    entries.approve: _as_task(entries.approve, "approve as the profile says"),
    entries.write_back: _as_task(entries.write_back, "write back what failed in reading {reading}"),
    entries.release: _as_task(entries.release, "release batch {batch}"),
    entries.reconcile: _as_task(entries.reconcile, "reconcile batch {batch}"),
    entries.cancel: _as_task(entries.cancel, "cancel invoices of batch {batch}"),
    entries.discard: _as_task(entries.discard, "discard batch {batch}"),
    entries.recount: _as_task(entries.recount, "recount batch {batch}"),
    entries.compare: _as_task(entries.compare, "compare the restored ledger"),
    entries.mirror_paid: _as_task(entries.mirror_paid, "mirror paid invoices of {plan}", name="mirror paid invoices"),
    entries.mirror_orders: _as_task(entries.mirror_orders, "mirror orders of {plan}"),
    entries.write_paid: _as_task(entries.write_paid, "report paid invoices", name="report paid invoices"),
    entries.write_orders: _as_task(entries.write_orders, "report orders", name="report orders"),
    entries.answer: _as_task(entries.answer, "answer file {file}"),
    entries.back_up: _as_task(entries.back_up, "copy the ledger"),
    entries.sort_drop: _as_task(entries.sort_drop, "sort a dropped file", name="sort"),
}


class PrefectRunner:
    """Run each station as a Prefect task, and publish pages as artifacts."""

    has_pages = True

    async def run(self, station: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run one station as a task run of the current flow run."""
        made: T = await TASKS[station](*args, **kwargs)
        return made

    async def show(self, key: str, markdown: str) -> None:
        """Publish a page on the dashboard."""
        await acreate_markdown_artifact(markdown=markdown, key=key)


def _as_flow(
    order: Callable[Concatenate[Runner, P], Awaitable[T]], run_name: str | Callable[[], str], *, arguments: str = ""
) -> Flow[P, Coroutine[Any, Any, T]]:
    """Make a Prefect flow of an order of stations.

    Args:
        order: Its first parameter is the runner. The others are the flow's parameters.
        run_name: Name of a flow run.
        arguments: The command whose texts describe the parameters in the dashboard's form.
    """

    async def run(*args: P.args, **kwargs: P.kwargs) -> Any:
        os.umask(PRIVATE_UMASK)
        try:
            return await order(PrefectRunner(), *args, **kwargs)
        except (FaturistaError, ExceptionGroup) as error:
            if not is_foreseen(error):
                raise
            return _failed(error, str(kwargs.get("profile", "")))

    signature = inspect.signature(order)
    _, *parameters = signature.parameters.values()
    run.__name__ = run.__qualname__ = order.__name__
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    words = Catalogue.load(language_of())
    run.__doc__ = localized_docstring(words, words.text(f"flow.{order.__name__}"), parameters, arguments)
    return flow(name=order.__name__, flow_run_name=run_name, validate_parameters=True)(run)


def is_foreseen(error: Exception) -> bool:
    """Say whether the catalogue has words for all of an error. Prefect logs the traceback of any other."""
    return isinstance(error, FaturistaError) or (
        isinstance(error, ExceptionGroup) and all(is_foreseen(each) for each in error.exceptions)
    )


def _failed(error: Exception, profile: str) -> State[Any]:
    """Return the end state of a run. Its message is in the operator's words; its data is the error."""
    words = Catalogue.load(language_of(profile))
    return Failed(data=error, message=" ".join(dict.fromkeys(say_errors(words, [error]))))


def _bill_name() -> str:
    return f"bill {Path(flow_run.parameters['path']).name}"


bill_services = _as_flow(order_bill_services, _bill_name, arguments="bill")
bill_products = _as_flow(order_bill_products, _bill_name, arguments="bill")
monthly_billing = _as_flow(order_monthly_billing, "bill contracts for {profile}", arguments="bill_month")
sweep_inbox = _as_flow(order_sweep_inbox, "sweep the inbox of {profile}", arguments="inbox")
release_batches = _as_flow(order_release_batches, "release for {profile}", arguments="release")
reconcile_batches = _as_flow(order_reconcile_batches, "reconcile for {profile}", arguments="reconcile")
backup_ledger = _as_flow(order_backup_ledger, "copy the ledger of {profile}", arguments="backup")
report_orders = _as_flow(order_report_orders, "report orders for {profile}", arguments="report_orders")
report_paid_invoices = _as_flow(
    order_report_paid_invoices, "report paid invoices for {profile}", arguments="report_paid_invoices"
)

FLOWS: Final[Mapping[Order, Flow[..., Coroutine[Any, Any, Any]]]] = {
    order_bill_services: bill_services,
    order_bill_products: bill_products,
    order_monthly_billing: monthly_billing,
    order_sweep_inbox: sweep_inbox,
    order_release_batches: release_batches,
    order_reconcile_batches: reconcile_batches,
    order_backup_ledger: backup_ledger,
    order_report_orders: report_orders,
    order_report_paid_invoices: report_paid_invoices,
}
"""The Prefect flow of each order of stations."""
