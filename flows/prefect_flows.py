"""The flows and stations as Prefect objects. Only this module makes them.

A deployment's entrypoint is here (`flows/prefect_flows.py:bill_services`). The flow's plain function (`order`) is in
the module of the same name (`flows/bill_services.py`), which loads no Prefect.
"""

import inspect
import logging
import os
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from prefect import Flow, State, flow, get_run_logger, tags, task
from prefect.artifacts import Artifact, acreate_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.runtime import deployment, flow_run, task_run
from prefect.settings import PREFECT_UI_URL
from prefect.states import Failed
from prefect.tasks import Task

from configs.catalogue import Catalogue
from configs.language import language_of
from configs.logs import LOGGER, configure_logs
from connectors.ledger.engine import LedgerUnavailable
from domain.disk_faults import in_words
from domain.log_context import bind_ids
from domain.problems import FaturistaError
from domain.texts import without_accents
from flows.approve_batches import approve_batches as order_approve_batches
from flows.backup_ledger import backup_ledger as order_backup_ledger
from flows.bill_products import bill_products as order_bill_products
from flows.bill_services import bill_services as order_bill_services
from flows.localized_help import localized_docstring
from flows.monthly_billing import monthly_billing as order_monthly_billing
from flows.os_account import PRIVATE_UMASK
from flows.prefect_forms import offer_choices
from flows.reconcile_batches import reconcile_batches as order_reconcile_batches
from flows.release_batches import release_batches as order_release_batches
from flows.report_adjustments import report_adjustments as order_report_adjustments
from flows.report_members import report_members as order_report_members
from flows.report_orders import report_orders as order_report_orders
from flows.report_paid_invoices import report_paid_invoices as order_report_paid_invoices
from flows.runner import REPEATABLE, Runner
from flows.server_errors import OrchestratorUnavailable, is_prefect_error, server_address, unavailable_problem
from flows.shard_dispatch import offer_shards, work_name
from flows.sweep_inbox import sweep_inbox as order_sweep_inbox
from flows.work_batches import work_batches as order_work_batches
from flows.work_log import ids_of, log_results
from tasks import approval_entries, entries, order_entries
from tasks.runtime import PLAYGROUND
from tasks.views.dashboard import SITUATION, say_errors
from tasks.views.due_work import Shard, SharedStation

LOG: Final = logging.getLogger(LOGGER)
P = ParamSpec("P")
T = TypeVar("T")
Station = Callable[..., Awaitable[Any]]
Order = Callable[..., Awaitable[Any]]


def is_ledger_unavailable(_task: Task[Any, Any], _run: TaskRun, state: State[Any]) -> bool:
    """Return whether Prefect should repeat a task: only when the ledger's database was unavailable."""
    # The data of a failed state is the exception. `result()` would return a coroutine for an async task.
    return isinstance(state.data, LedgerUnavailable)


def _name_of_run(verb: str, subject: int, name: Callable[[str, int], str]) -> str:
    """Return the name of a task run: the verb and the readable name of its file, reading or batch."""
    # A station runs even if its name cannot be found.
    try:
        return f"{verb} {name(task_run.parameters['profile'], subject)}"
    except FaturistaError:
        return f"{verb} {subject}"


def _run_namer(verb: str, parameter: str, name: Callable[[str, int], str]) -> Callable[[], str]:
    return lambda: _name_of_run(verb, task_run.parameters[parameter], name)


def _of_batches(verb: str) -> Callable[[], str]:
    """Return the naming function for a task run that works on one or several batches."""

    def run_name() -> str:
        batches = task_run.parameters["batches"]
        if len(batches) == 1:
            return _name_of_run(f"{verb} batch", batches[0], entries.batch_name)
        return work_name(verb, batches)

    return run_name


def _as_task(station: Station, run_name: str | Callable[[], str], name: str = "") -> Task[..., Any]:
    repeats = station in REPEATABLE

    @wraps(station)
    async def returning_failure(*args: Any, **kwargs: Any) -> Any:
        try:
            return await station(*args, **kwargs)
        except LedgerUnavailable:
            raise  # Prefect repeats a raised error, not a returned one.
        except FaturistaError as error:
            return _failed_state(error, str(kwargs.get("profile", args[0] if args else "")))

    return task(
        name=name or station.__name__.replace("_", " "),
        task_run_name=_drawable_name(run_name),
        retries=entries.REPEATS if repeats else 0,
        retry_delay_seconds=entries.REPEAT_DELAY_S if repeats else None,
        retry_condition_fn=is_ledger_unavailable if repeats else None,
        cache_policy=NO_CACHE,
    )(returning_failure)


def _drawable_name(run_name: str | Callable[[], str]) -> str | Callable[[], str]:
    """Return the name without accents: the graph of a run leaves out each letter that has one."""
    return without_accents(run_name) if isinstance(run_name, str) else lambda: without_accents(run_name())


def _of_file(verb: str) -> Callable[[], str]:
    return _run_namer(verb, "file", entries.file_name)


def _of_reading(verb: str) -> Callable[[], str]:
    return _run_namer(verb, "reading", entries.reading_name)


def _of_batch(verb: str) -> Callable[[], str]:
    return _run_namer(verb, "batch", entries.batch_name)


def _intake_name() -> str:
    return f"intake {Path(task_run.parameters['path']).name}"


def _sort_name() -> str:
    return f"sort {task_run.parameters['drop'].path.name}"


TASKS: Final[Mapping[Station, Task[..., Any]]] = {
    approval_entries.approve_by_code: _as_task(
        approval_entries.approve_by_code, _of_batches("approve"), name="approve"
    ),
    entries.gather: _as_task(entries.gather, "gather contracts", name="gather contracts"),
    entries.close_month: _as_task(entries.close_month, "close the month", name="close the month"),
    order_entries.gather_paid: _as_task(order_entries.gather_paid, "gather paid invoices", name="gather paid invoices"),
    entries.intake: _as_task(entries.intake, _intake_name),
    entries.read: _as_task(entries.read, _of_file("read")),
    entries.resolve: _as_task(entries.resolve, _of_reading("resolve")),
    entries.assemble: _as_task(entries.assemble, _of_reading("assemble")),
    entries.resume: _as_task(entries.resume, _of_reading("resume")),
    entries.retry: _as_task(entries.retry, _of_reading("send again")),
    entries.preview: _as_task(entries.preview, _of_reading("preview")),
    entries.show_month: _as_task(entries.show_month, "show the month", name="show the month"),
    entries.stage: _as_task(entries.stage, _of_batches("stage")),
    entries.approve: _as_task(entries.approve, "approve as the profile says"),
    entries.write_back: _as_task(entries.write_back, _of_reading("write back what failed in")),
    entries.release: _as_task(entries.release, _of_batches("release")),
    entries.reconcile: _as_task(entries.reconcile, _of_batches("reconcile")),
    entries.cancel: _as_task(entries.cancel, _of_batch("cancel invoices of batch")),
    entries.replace: _as_task(entries.replace, _of_batch("look at replaced invoices of batch")),
    entries.discard: _as_task(entries.discard, _of_batch("discard batch")),
    entries.documents: _as_task(entries.documents, _of_batch("fetch documents of batch")),
    entries.recount: _as_task(entries.recount, _of_batch("recount batch")),
    entries.compare: _as_task(entries.compare, "compare the restored ledger"),
    order_entries.mirror_paid: _as_task(
        order_entries.mirror_paid, "mirror paid invoices of {plan}", name="mirror paid invoices"
    ),
    order_entries.mirror_orders: _as_task(order_entries.mirror_orders, "mirror orders of {plan}"),
    order_entries.write_paid: _as_task(order_entries.write_paid, "report paid invoices", name="report paid invoices"),
    order_entries.write_orders: _as_task(order_entries.write_orders, "report orders", name="report orders"),
    order_entries.write_adjustments: _as_task(
        order_entries.write_adjustments, "report adjustments", name="report adjustments"
    ),
    order_entries.write_members: _as_task(order_entries.write_members, "report members", name="report members"),
    entries.answer: _as_task(entries.answer, _of_file("answer")),
    entries.back_up: _as_task(entries.back_up, "copy the ledger"),
    entries.claim_and_read: _as_task(entries.claim_and_read, _sort_name, name="sort"),
}


class PrefectRunner:
    """Run each station as a Prefect task, and publish pages as artifacts."""

    has_pages = True

    async def run(self, station: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run one station as a task run of the current flow run."""
        with bind_ids(**ids_of(station, *args, **kwargs)):
            made = await TASKS[station](*args, **kwargs)
            # A task that ends in our own state returns the state instead of raising its error.
            returned: T = await made.aresult() if isinstance(made, State) else made
            log_results(returned)
        return returned

    async def show(self, key: str, markdown: str) -> None:
        """Publish a page on the dashboard."""
        await acreate_markdown_artifact(markdown=markdown, key=key)

    async def offer(self, profile: str, station: SharedStation, shards: Sequence[Shard], *, cause: str) -> None:
        """Offer shards to the server's other workers. An error of the server costs only their help."""
        try:
            if offered := await offer_shards(profile, station, shards, cause=cause):
                get_run_logger().info("%s: %d × work_batches", station, offered)
        except Exception as error:
            if not is_prefect_error(error):
                raise
            get_run_logger().warning("work_batches: %s", type(error).__name__)


def _as_flow(
    order: Callable[Concatenate[Runner, P], Awaitable[T]], run_name: str | Callable[[], str], *, arguments: str = ""
) -> Flow[P, Coroutine[Any, Any, T]]:
    """Make a Prefect flow of a plain flow function.

    Args:
        order: The function. Its first parameter is the runner; the others are the flow's parameters.
        run_name: Name of a flow run.
        arguments: The command whose texts describe the parameters in the dashboard's form.
    """

    async def run(*args: P.args, **kwargs: P.kwargs) -> Any:
        os.umask(PRIVATE_UMASK)
        profile = str(kwargs.get("profile", PLAYGROUND))
        if deployment.id:
            # A command shows its result on the screen; a worker's run has only its log.
            configure_logs(entries.log_level(profile))
        else:
            LOG.setLevel(logging.INFO)  # for the run's page in the dashboard
        try:
            with bind_ids(run=str(flow_run.id), flow=order.__name__):
                made = await order(PrefectRunner(), *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the run ends in a state that says it in words
            if not has_message(error):
                _log_traceback(error)
            await _record_end(profile, order.__name__, error)
            return _failed_state(error, profile)
        await _record_end(profile, order.__name__, None)
        return made

    signature = inspect.signature(order)
    _, *parameters = signature.parameters.values()
    run.__name__ = run.__qualname__ = order.__name__
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    words = Catalogue.load(language_of())
    run.__doc__ = localized_docstring(words, words.text(f"flow.{order.__name__}"), parameters, arguments)
    return flow(name=order.__name__, flow_run_name=run_name, validate_parameters=True)(run)


def has_message(error: Exception) -> bool:
    """Return whether the catalogue has words for every part of an error. Prefect logs the traceback of any other."""
    return isinstance(in_words(error), FaturistaError) or (
        isinstance(error, ExceptionGroup) and all(has_message(each) for each in error.exceptions)
    )


def _failed_state(error: Exception, profile: str) -> State[Any]:
    """Return the end state of a run. Its message is in the operator's words; its data is the error."""
    words = Catalogue.load(language_of(profile))
    errors = [
        error if address is None else OrchestratorUnavailable(unavailable_problem(address))
        for address in [_lost_server(error)]
    ]
    return Failed(data=error, message=" ".join(dict.fromkeys(say_errors(words, errors))))


def _lost_server(error: Exception) -> str | None:
    """Return the server's address if the error comes from Prefect's own client, else None."""
    return server_address() or "-" if is_prefect_error(error) else None


def _log_traceback(error: Exception) -> None:
    """Log where an unexpected error was raised, without its text, which may quote what a person wrote."""
    where = "".join(traceback.format_tb(error.__traceback__))
    get_run_logger().error("%s\n%s", type(error).__name__, where)


async def _record_end(profile: str, flow_name: str, error: Exception | None) -> None:
    """Record how a run ended, and publish the overview page if it has news.

    A failure here does not change the run's end: the ledger or the server may be unavailable.
    """
    with suppress(Exception):
        if error is None:
            entries.record_end(profile, flow_name)
        else:
            entries.record_failure(profile, flow_name, error)
        page = entries.situation(profile)
        await _show_situation(page)
        if flow_name in _CHANGES_CHOICES:
            await offer_choices(profile)


_CHANGES_CHOICES: Final = frozenset(
    order.__name__
    for order in (
        order_approve_batches,
        order_bill_products,
        order_bill_services,
        order_monthly_billing,
        order_sweep_inbox,
    )
)
"""The flows that may change which files and findings wait. The dashboard's forms are updated after them."""


async def _show_situation(page: str) -> None:
    """Publish the overview page if it has news, and log its address."""
    known = await Artifact.aget(SITUATION)
    if known is None or known.description != page:
        # The page of a key shows the newest description in full; data is one click away.
        await acreate_markdown_artifact(markdown=SITUATION, description=page, key=SITUATION)
    address = f"{PREFECT_UI_URL.value() or ''}/artifacts/key/{SITUATION}"
    get_run_logger().info("%s", address)


def _bill_name() -> str:
    return f"bill {Path(flow_run.parameters['path']).name}"


def _work_name() -> str:
    given = flow_run.parameters
    return work_name(given["station"], given["batches"])


approve_batches = _as_flow(order_approve_batches, "approve for {profile}", arguments="approval")
bill_services = _as_flow(order_bill_services, _bill_name, arguments="bill")
bill_products = _as_flow(order_bill_products, _bill_name, arguments="bill")
monthly_billing = _as_flow(order_monthly_billing, "bill contracts for {profile}", arguments="bill_month")
sweep_inbox = _as_flow(order_sweep_inbox, "sweep the inbox of {profile}", arguments="inbox")
release_batches = _as_flow(order_release_batches, "release for {profile}", arguments="release")
reconcile_batches = _as_flow(order_reconcile_batches, "reconcile for {profile}", arguments="reconcile")
work_batches = _as_flow(order_work_batches, _work_name, arguments="work")
backup_ledger = _as_flow(order_backup_ledger, "copy the ledger of {profile}", arguments="backup")
report_adjustments = _as_flow(
    order_report_adjustments, "report adjustments for {profile}", arguments="report_adjustments"
)
report_members = _as_flow(order_report_members, "report members for {profile}", arguments="report_members")
report_orders = _as_flow(order_report_orders, "report orders for {profile}", arguments="report_orders")
report_paid_invoices = _as_flow(
    order_report_paid_invoices, "report paid invoices for {profile}", arguments="report_paid_invoices"
)

FLOWS: Final[Mapping[Order, Flow[..., Coroutine[Any, Any, Any]]]] = {
    order_approve_batches: approve_batches,
    order_bill_services: bill_services,
    order_bill_products: bill_products,
    order_monthly_billing: monthly_billing,
    order_sweep_inbox: sweep_inbox,
    order_release_batches: release_batches,
    order_reconcile_batches: reconcile_batches,
    order_work_batches: work_batches,
    order_backup_ledger: backup_ledger,
    order_report_adjustments: report_adjustments,
    order_report_members: report_members,
    order_report_orders: report_orders,
    order_report_paid_invoices: report_paid_invoices,
}
"""The Prefect flow of each plain flow function."""

TAGS: Final[Mapping[Order, str]] = {
    order_approve_batches: "approval",
    order_bill_services: "services",
    order_bill_products: "products",
    order_monthly_billing: "contracts",
    order_sweep_inbox: "inbox",
    order_release_batches: "sweep",
    order_reconcile_batches: "sweep",
    order_work_batches: "work",
    order_backup_ledger: "backup",
    order_report_adjustments: "report",
    order_report_members: "report",
    order_report_orders: "report",
    order_report_paid_invoices: "report",
}
"""Tag of each order's runs, by which the dashboard finds them; the deployments have the same tags."""


async def start(order: Order, *args: Any, **kwargs: Any) -> Any:
    """Run a plain flow function as a Prefect flow, tagged with its profile and kind."""
    with tags(str(kwargs.get("profile", PLAYGROUND)), TAGS[order]):
        return await FLOWS[order](*args, **kwargs)
