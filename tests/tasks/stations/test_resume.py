"""A stopped import continues, and one that cannot stops no other."""

import pytest

from connectors.http.errors import Denied
from connectors.ledger import files, rows
from tasks.stations.resolve import resolve_rows
from tasks.stations.resume import resume_reading
from tasks.views.due_work import stalled_readings
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop, fault, remarks


def test_a_reading_resumes_where_it_stopped(each_shop: Workshop):
    shop = each_shop
    reading = shop.reading(*lines(2))
    result = shop.run(resume_reading, reading)
    assert (result.ending, result.counts["drafted"]) == ("done", 2)
    halfway = shop.reading(*lines(2, first=11))
    shop.run(resolve_rows, halfway)
    assert shop.run(resume_reading, halfway).counts["drafted"] == 2
    assert shop.run(resume_reading, halfway).counts["drafted"] == 0


def test_a_reading_of_another_sweep_is_left_alone(shop: Workshop):
    reading = shop.reading(*lines(2))
    shop.write(files.record_heartbeat, reading, worker="another machine:1-1")
    result = shop.run(resume_reading, reading)
    assert (result.ending, result.counts) == ("busy", {})
    assert shop.read(rows.count_rows, reading) == {"read": 2}
    shop.write(files.leave, reading, worker="another machine:1-1")
    assert shop.run(resume_reading, reading).counts["drafted"] == 2


def test_an_obstacle_is_a_remark(shop: Workshop):
    shop.post_as_somebody_else(number=41)
    result = shop.run(resume_reading, shop.reading(*lines(2)))
    assert (result.ending, remarks(result)) == ("waiting", ["serie.in_use"])
    shop.sandbox.faults(fault("emitters.list", "status_500"))
    result = shop.run(resume_reading, shop.reading(*lines(1, first=11)))
    assert (result.ending, remarks(result)) == ("waiting", ["provider.broken"])
    with shop.context() as context:
        assert len(stalled_readings(context)) == 2, "the next sweep tries again"


def test_a_refused_token_stops_the_sweep(shop: Workshop):
    reading = shop.reading(*lines(2))
    shop.run(resume_reading, reading)
    shop.lock_out()
    with pytest.raises(Denied):
        shop.run(resume_reading, shop.reading(*lines(1, first=11)))
