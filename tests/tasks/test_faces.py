"""The faces: Prefect repeats a station only when the ledger went away, and each run has a name of its own."""

import asyncio
from collections.abc import Callable

import pytest
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import Task

from connectors.http.errors import Unreachable
from connectors.ledger.engine import LedgerUnavailable
from domain.problems import FaturistaError, Problem
from tasks import faces

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


def tries(raised: Callable[[], Exception]) -> int:
    """How often Prefect runs a station that raises this, with one retry allowed."""
    seen = []

    @task(retries=1, retry_condition_fn=faces.is_lost_machine, cache_policy=NO_CACHE)
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


def test_no_face_caches_and_each_run_has_a_name():
    found = [each for each in vars(faces).values() if isinstance(each, Task)]
    assert len(found) >= 9
    for face in found:
        assert face.cache_policy is NO_CACHE, face.name
        assert face.task_run_name, face.name
        assert not face.persist_result, face.name
