"""A worker is killed twenty times in one run, at seeded moments, and restarted: the result is as without a kill."""

import random
import time
from pathlib import Path

from tasks.issuance.decide import decide_batch, decide_note
from tests.faults.theatre import Theatre
from tests.faults.workbooks import month_lines, write_month

_LONGEST_PAUSE_S = 0.03
_PATIENCE_S = 900.0
# Twenty moments, by the provider's requests: the ranges to draw from, and how many.
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
            assert time.monotonic() < end, f"{operation} {count} never comes\n{theatre.logs()}"
        theatre.check_integrity()
    theatre.run(month)
    while _decide_what_only_a_person_can(theatre):
        theatre.run(month)

    theatre.check()


def _is_killed(theatre: Theatre, month: Path, operation: str, count: int, *, pause_s: float) -> bool:
    """SIGKILL a moment after the provider saw this many requests; return False if the worker ended before."""
    process = theatre.start_alone(month)
    has_come = theatre.until(lambda: theatre.seen(operation) >= count, process)
    time.sleep(pause_s)
    process.kill()
    return theatre.finish(process) < 0 and has_come


def _decide_what_only_a_person_can(theatre: Theatre) -> bool:
    """Decide unresolved notes and disturbed batches as a person would; return whether a batch was disturbed."""
    with theatre.context() as context:
        ledger = theatre.evidence().ledger
        for invoice in ledger["invoices"]:
            if invoice["state"] == "unresolved":
                decide_note(context, invoice["id"], "retired", person="Ana", because="not in the provider's page")
        disturbed = [batch["id"] for batch in ledger["batches"] if batch["state"] == "disturbed"]
        for batch_id in disturbed:
            decide_batch(context, batch_id, "open", person="Ana", because="what was lost is retired")
    return bool(disturbed)
