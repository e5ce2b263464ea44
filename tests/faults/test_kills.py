"""Twenty times killed in the middle of one run, at seeded moments, and started again: as if nothing had happened."""

import random
import time
from pathlib import Path

from tasks.issuance.decide import decide_batch, decide_note
from tests.faults.theatre import Theatre
from tests.faults.workbooks import month_lines, write_month

_LONGEST_PAUSE_S = 0.03
_PATIENCE_S = 900.0
# Twenty moments, by what the provider has been asked: where they are drawn from, and how many
_DRAWN = (
    ("takers.create", range(1, 20), 4),
    ("service_values.calculate", range(1, 5), 1),
    ("batches.create", range(1, 5), 3),
    ("notes.create", range(1, 49), 7),
    ("batches.send", range(1, 4), 2),
    ("batches.notes", range(1, 6), 3),
)


def test_killed_at_twenty_seeded_moments_and_run_again(theatre: Theatre) -> None:
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(48)))
    chance = random.Random(20261120)
    moments = [(name, count) for name, counts, draws in _DRAWN for count in sorted(chance.sample(counts, draws))]
    assert len(moments) == 20

    for operation, count in moments:
        end = time.monotonic() + _PATIENCE_S
        while not _is_killed(theatre, month, operation, count, pause_s=chance.random() * _LONGEST_PAUSE_S):
            _decide_what_only_a_person_can(theatre)
            assert time.monotonic() < end, f"{operation} {count} never comes\n{theatre.said()}"
        theatre.check_integrity()
    theatre.run(month)
    while _decide_what_only_a_person_can(theatre):
        theatre.run(month)

    theatre.check()


def _is_killed(theatre: Theatre, month: Path, operation: str, count: int, *, pause_s: float) -> bool:
    """SIGKILL a moment after the provider has seen so many of these requests; False if the worker ended before."""
    process = theatre.start_alone(month)
    has_come = theatre.until(lambda: theatre.seen(operation) >= count, process)
    time.sleep(pause_s)
    process.kill()
    return theatre.finish(process) < 0 and has_come


def _decide_what_only_a_person_can(theatre: Theatre) -> bool:
    """Decide about a note that kill after kill has met while it was being posted."""
    with theatre.context() as context:
        ledger = theatre.evidence().ledger
        for invoice in ledger["invoices"]:
            if invoice["state"] == "unresolved":
                decide_note(context, invoice["id"], "retired", person="Ana", because="not in the provider's page")
        disturbed = [batch["id"] for batch in ledger["batches"] if batch["state"] == "disturbed"]
        for batch_id in disturbed:
            decide_batch(context, batch_id, "open", person="Ana", because="what was lost is retired")
    return bool(disturbed)
