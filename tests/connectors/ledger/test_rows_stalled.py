"""A reading is resumed only when nobody works on it: its process ended here, or was silent elsewhere for its term."""

import pytest

from connectors.ledger import files, rows
from connectors.ledger.observations.situation import stalled_files
from connectors.ledger.rows import NewRow
from connectors.process_names import process_name
from tests.ageing import age
from tests.connectors.ledger import scene as scenes

TERM_S = 60.0
ELSEWHERE = "another-machine-1:1-1"


@pytest.fixture
def reading(ledger):
    reading = ledger.write(scenes.add_reading)
    ledger.write(scenes.store, reading, [NewRow(sheet="S", row_number=2, cells={}, line={})])
    return reading


def stalled(ledger):
    found = ledger.read(rows.stalled_readings, idle_s=TERM_S)
    assert [each.reading_id for each in ledger.read(stalled_files, idle_s=TERM_S)] == found
    return found


def ended_process():
    name, _, start = process_name().rpartition("-")
    return f"{name}-{int(start) + 1}"


@pytest.mark.parametrize("worker", [process_name(), ELSEWHERE], ids=["here", "elsewhere"])
def test_a_slow_import_that_gives_signs_is_left_alone(ledger, reading, worker):
    for _ in range(3):
        ledger.write(files.record_heartbeat, reading, worker=worker)
        assert stalled(ledger) == []
        ledger.write(age, TERM_S - 5)
        assert stalled(ledger) == []
    ledger.write(age, 6)
    assert stalled(ledger) == [reading]


def test_a_clock_put_back_hides_no_stopped_import(ledger, reading):
    ledger.write(files.record_heartbeat, reading, worker=ELSEWHERE)
    ledger.write(age, -3 * 86_400)
    assert stalled(ledger) == [reading]
    ledger.write(files.record_heartbeat, reading, worker=ELSEWHERE)
    assert stalled(ledger) == []


def test_an_import_whose_process_ended_here_stalls_at_once(ledger, reading):
    ledger.write(files.record_heartbeat, reading, worker=ended_process())
    assert stalled(ledger) == [reading]
    ledger.write(files.record_heartbeat, reading, worker=process_name())
    assert stalled(ledger) == []


def test_only_its_own_process_gives_a_reading_back(ledger, reading):
    ledger.write(files.record_heartbeat, reading, worker=ELSEWHERE)
    ledger.write(files.leave, reading, worker=process_name())
    assert stalled(ledger) == []
    ledger.write(files.leave, reading, worker=ELSEWHERE)
    assert stalled(ledger) == [reading]


def test_an_unfinished_reading_is_reported_after_its_term(ledger):
    reading = ledger.write(scenes.add_reading)
    ledger.write(age, TERM_S - 5)
    ledger.write(files.record_heartbeat, reading, worker=process_name())
    ledger.write(age, TERM_S - 5)
    assert ledger.read(stalled_files, idle_s=TERM_S) == []
    ledger.write(age, 6)
    (found,) = ledger.read(stalled_files, idle_s=TERM_S)
    assert (found.reading_id, found.is_read) == (reading, False)
