"""Two workers on one batch: one is frozen past its lease, the other takes over, the first is thawed."""

import pytest

from tests.faults.freezing import freeze, thaw
from tests.faults.theatre import LATE_S, Theatre, notes_of, rule
from tests.faults.workbooks import RIO, month_lines, write_month

_NOTES = 12


@pytest.mark.parametrize("is_met", [True, False], ids=["thawed while the other posts", "thawed when all is done"])
def test_a_worker_frozen_past_its_lease_posts_nothing_more(theatre: Theatre, is_met: bool) -> None:
    theatre.shorten_leases()
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(_NOTES, emitters=[RIO])))
    # Slow answers: the first worker is frozen with requests in flight, the second while it posts.
    theatre.sandbox.faults(rule("notes.create", "late", seconds=LATE_S, after=1, count=_NOTES))
    frozen = theatre.start(month)
    assert theatre.until(lambda: theatre.seen("notes.create") >= 2, frozen)
    freeze(theatre, frozen)
    theatre.sandbox.faults()
    theatre.sandbox.switch(fixed_latency_ms=100)
    posted = theatre.seen("notes.create")
    assert posted < _NOTES, "it was frozen too late"
    theatre.outlive_lease()

    other = theatre.start()
    assert theatre.until(lambda: theatre.seen("notes.create") > posted, other)
    if not is_met:
        assert theatre.finish(other) == 0, theatre.logs()
    thaw(frozen)
    assert theatre.finish(frozen) == 0, theatre.logs()
    assert theatre.finish(other) == 0, theatre.logs()

    evidence = theatre.check()
    assert len(notes_of(evidence)) == _NOTES
    assert len({attempt["fence"] for attempt in evidence.ledger["attempts"] if attempt["what"] == "post"}) > 1


def test_two_workers_at_once_issue_exactly_once(theatre: Theatre) -> None:
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(48)))

    workers = [theatre.start(month) for _ in range(2)]

    assert [theatre.finish(process) for process in workers] == [0, 0], theatre.logs()
    theatre.check()
