"""Stations as Prefect tasks: repeated only if the ledger was unavailable, each run named, nothing cached."""

import asyncio
import inspect
from collections.abc import Callable

import pytest
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.runtime import task_run

from connectors.http.errors import Unreachable
from connectors.ledger.engine import LedgerUnavailable
from domain.problems import FaturistaError, Problem
from flows.prefect_flows import TASKS, _drawable_name, is_ledger_unavailable
from flows.runner import REPEATABLE
from tasks import approval_entries, entries, order_entries

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


def tries(raised: Callable[[], Exception]) -> int:
    """Return how often Prefect runs a station that raises this, with one retry allowed."""
    seen = []

    @task(retries=1, retry_condition_fn=is_ledger_unavailable, cache_policy=NO_CACHE)
    async def station() -> None:
        seen.append(1)
        raise raised()

    @flow
    async def run() -> None:
        await station()

    with pytest.raises(FaturistaError):
        asyncio.run(run())
    return len(seen)


def test_only_a_ledger_that_went_away_is_tried_again():
    assert tries(lambda: LedgerUnavailable(Problem("ledger.unavailable", params={"reason": "gone"}))) == 2
    assert tries(lambda: Unreachable("GET x")) == 1


def test_no_task_caches_and_each_run_has_a_name():
    assert len(TASKS) >= 9
    for station, task_ in TASKS.items():
        assert task_.cache_policy is NO_CACHE, task_.name
        assert task_.task_run_name, task_.name
        assert not task_.persist_result, task_.name
        assert (task_.retries > 0) == (station in REPEATABLE), task_.name


def test_a_name_of_a_run_has_no_accents():
    @task(task_run_name=_drawable_name(lambda: "intake março.xlsx"))
    async def station() -> str:
        return str(task_run.name)

    @flow
    async def run() -> str:
        return await station()

    assert asyncio.run(run()) == "intake marco.xlsx"


def test_every_station_that_works_is_a_task():
    modules = (approval_entries, entries, order_entries)
    found = {each for module in modules for each in vars(module).values() if inspect.iscoroutinefunction(each)}
    ours = {module.__name__ for module in modules}
    assert {each for each in found if each.__module__ in ours} == TASKS.keys()
