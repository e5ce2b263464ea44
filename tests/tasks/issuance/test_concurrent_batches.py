"""Several batches at once: in order, each is processed, and an error common to all stops the rest."""

import asyncio

import pytest

from connectors.http.errors import Denied, Resting
from domain.station_result import StationResult, Subject
from tasks.issuance.concurrent_batches import finished_beside, run_batches


def run(ids: list[int], errors: dict[int, Exception], *, at_once: int = 2) -> tuple[list[StationResult], list[int]]:
    """Return the results, and the batches that were begun, in order."""
    begun: list[int] = []

    async def work(batch_id: int) -> StationResult:
        begun.append(batch_id)
        await asyncio.sleep(0)
        if batch_id in errors:
            raise errors[batch_id]
        return StationResult("release", Subject("batch", batch_id))

    try:
        return asyncio.run(run_batches(ids, work, at_once=at_once)), begun
    except (Denied, Resting) as error:
        error.add_note(repr(begun))
        raise


def test_the_limit_is_used_and_answers_are_in_order():
    together: list[int] = []
    most = 0

    async def work(batch_id: int) -> StationResult:
        nonlocal most
        together.append(batch_id)
        most = max(most, len(together))
        await asyncio.sleep(0)
        together.remove(batch_id)
        return StationResult("release", Subject("batch", batch_id))

    results = asyncio.run(run_batches([3, 1, 2, 5], work, at_once=3))
    assert [result.batch_id for result in results] == [3, 1, 2, 5]
    assert most == 3


def test_a_bad_batch_is_raised_when_everybody_had_a_turn():
    with pytest.raises(KeyError):
        run([1, 2, 3, 4], {2: KeyError()})
    with pytest.raises(ExceptionGroup):
        run([1, 2, 3, 4], {2: KeyError(), 4: KeyError()})


@pytest.mark.parametrize(
    "errors", [{2: KeyError()}, {2: KeyError(), 1: Resting("GET x")}, {2: KeyError(), 4: KeyError()}]
)
def test_the_reports_of_finished_batches_are_kept(errors: dict[int, Exception]):
    with pytest.raises((KeyError, Resting, ExceptionGroup)) as caught:
        run([3, 2, 1, 4], errors)
    kept = [result.batch_id for result in finished_beside(caught.value)]
    assert kept == [batch for batch in (3, 1, 4) if batch not in errors]


@pytest.mark.parametrize("error", [Denied("GET x"), Resting("GET x")], ids=["denied", "resting"])
def test_a_common_error_lets_no_further_batch_begin(error: Exception):
    with pytest.raises(type(error)) as caught:
        run([1, 2, 3, 4, 5, 6], {1: error})
    assert caught.value.__notes__ == ["[1, 2]"]
