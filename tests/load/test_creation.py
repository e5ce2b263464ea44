"""The bench of the sandbox works: both servers answer each request, and the ratio decides."""

import asyncio

from tests.load import creation
from tests.sandboxes import running_sandbox


def test_the_sandbox_stores_every_note():
    with running_sandbox(in_thread=True) as sandbox:
        creation.prepare(sandbox)
        requests = creation.bodies(20, start=5)
        assert asyncio.run(creation.posted(int(sandbox.base_url.rpartition(":")[2]), requests)) > 0
        record = sandbox.record()
    assert sorted(note["number"] for note in record["notes"]) == list(range(6, 26))
    assert {note["batch_id"] for note in record["notes"]} == {1}
    assert record["violations"] == []


def test_the_echo_answers_every_request():
    with creation.running_echo() as port:
        assert asyncio.run(creation.posted(port, creation.bodies(20))) > 0


def test_memory_is_that_of_the_sandbox():
    few, many = creation.remembered(20, 40)
    assert 10 < few <= many < 500
    assert [creation.judged_memory(1, 2, (50.0, taken)).is_met for taken in (54.0, 56.0)] == [True, False]


def test_the_row_judges_by_the_ratio():
    assert [creation.judged(100, ratio, 2.0).is_met for ratio in (0.36, 0.34)] == [True, False]
