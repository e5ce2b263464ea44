"""Several workers on one ledger: several imports at once, and the same import started twice by two schedulers."""

from tests.faults.theatre import Theatre, notes_of
from tests.faults.workbooks import month_lines, write_month


def test_imports_at_once_issue_exactly_once(theatre: Theatre) -> None:
    first, second = (
        theatre.drop(write_month(theatre.home / f"month {seed}.xlsx", month_lines(20, seed=seed))) for seed in (1, 2)
    )

    workers = [theatre.start(file) for file in (first, second, first)]

    # A worker whose sheet another one works on may report that and leave it to the other.
    ends = [theatre.finish(process) for process in workers]
    assert min(ends) >= 0, theatre.logs()
    theatre.run()
    evidence = theatre.check()
    assert len(notes_of(evidence)) == sum(len(dropped.good) for dropped in theatre.dropped)


def test_workers_without_a_sheet_share_what_is_due(theatre: Theatre) -> None:
    """They take and skip leases, renew them during slow answers, and never hold one together."""
    theatre.sandbox.switch(fixed_latency_ms=30)
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(48)))
    importer = theatre.start(month)
    assert theatre.until(lambda: theatre.seen("batches.create") >= 1, importer)

    helpers = [theatre.start() for _ in range(3)]

    assert [theatre.finish(each) for each in (importer, *helpers)] == [0] * 4, theatre.logs()
    posts = [attempt for attempt in theatre.check().ledger["attempts"] if attempt["what"] == "post"]
    assert len({attempt["batch_id"] for attempt in posts}) > 1
