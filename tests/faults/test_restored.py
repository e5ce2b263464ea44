"""A ledger lost and restored from a copy of any moment of a month: nothing done since is ever repeated."""

import asyncio
from pathlib import Path

import pytest

from connectors.ledger.batches import batches_where
from domain.states import BatchState
from tasks.backup.copies import back_up, restore
from tasks.backup.restore_check import compare_restored, lift_quarantine, quarantined_since
from tasks.issuance.decide import decide_batch
from tasks.runtime import open_runtime
from tests.faults.theatre import ON_SQLITE, Theatre, notes_of
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.faults.worker import PROFILE

_AFTER_POSTS = (0, 1, 13, 20)
"""Number of posted notes at the time of the copy; a batch has twelve."""


@ON_SQLITE
def test_a_copy_of_any_moment_posts_and_sends_nothing_again(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATURISTA_PRODUCTS__BASE_URL", theatre.sandbox.base_url)
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(20, emitters=[RIO])))
    copies = [_copied(theatre, 0)]
    # A rejected row may be billed again, which is not the subject here.
    theatre.sandbox.switch(fixed_latency_ms=20, rejection_share=0)
    process = theatre.start(month)
    for posts in _AFTER_POSTS[1:]:
        theatre.until(lambda posts=posts: theatre.seen("notes.create") >= posts, process)  # type: ignore[misc]
        copies.append(_copied(theatre, posts))
    assert theatre.finish(process) == 0, theatre.logs()
    theatre.sandbox.switch(fixed_latency_ms=0)
    issued, asked = notes_of(theatre.check()), _writes(theatre)

    for copy in copies:
        _restored(theatre, copy, monkeypatch)
        theatre.run(month)
        _decide(theatre)
        theatre.run(month)

        # The run may report what was lost with the ledger, and may do nothing.
        assert _writes(theatre) == asked, f"{copy.name}\n{theatre.logs()}"
        assert [note["id"] for note in notes_of(theatre.evidence())] == [note["id"] for note in issued]


def _writes(theatre: Theatre) -> int:
    return theatre.seen("notes.create", "batches.send", "notes.delete")


def _copied(theatre: Theatre, posts: int) -> Path:
    path = theatre.home / f"after {posts} posts.jsonl.gz"
    with theatre.context() as context:
        back_up(context, path)
    return path


def _restored(theatre: Theatre, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the copy and compare it with the provider; a person frees it if something is unexplained."""
    theatre.ledger_url = f"sqlite:///{copy.with_suffix('.db')}"
    monkeypatch.setenv("FATURISTA_LEDGER__URL", theatre.ledger_url)
    restore(PROFILE, copy, person="Ana")

    async def compare() -> None:
        async with open_runtime(PROFILE, station="compare") as runtime:
            await compare_restored(runtime)

    asyncio.run(compare())
    with theatre.context() as context:
        if quarantined_since(context) is not None:
            lift_quarantine(context, person="Ana", because="they stand in the provider's page")


def _decide(theatre: Theatre) -> None:
    """Decide by the provider's page whether each stopped batch was sent or never opened."""
    with theatre.context() as context:
        for batch in context.ledger.read(batches_where, states={BatchState.DISTURBED}):
            is_there = any(each["id"] == batch.remote_id for each in theatre.sandbox.record()["batches"])
            decide_batch(context, batch.id, "sent" if is_there else "discard", person="Ana", because="looked at it")
