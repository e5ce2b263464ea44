"""Answers that never come, come late or come broken: the work was done, and it must not be done again."""

import pytest

from tasks.decide import decide_batch, decide_note
from tests.faults.evidence import Evidence, Record
from tests.faults.theatre import ON_POSTGRESQL, ON_SQLITE, QUIET_S, Theatre, in_turn, notes_of, rule
from tests.faults.workbooks import RIO, month_lines, write_month

_POSTS = ("takers.create", "batches.create", "notes.create", "batches.send")
_LATER_THAN_THE_TIMEOUT = 0.6
_WITHIN_QUIET_TIME = 0.7


@ON_SQLITE
def test_answers_lost_on_a_tenth_of_the_posts(theatre: Theatre) -> None:
    theatre.sandbox.faults(*(rule(post, "lose_answer", share=0.1, seed=place) for place, post in enumerate(_POSTS)))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(60))))

    assert _outcomes(theatre.check()) >= {"done", "in_doubt"}


_TROUBLES: dict[str, list[Record]] = {
    "notes stored, and no usable answer": [
        rule("notes.create", "lose_answer", count=1),
        rule("notes.create", "status_500", when="after", share=0.1, seed=1),
        rule("notes.create", "status_503", when="after", share=0.1, seed=2),
        rule("notes.create", "truncated", share=0.1, seed=3),
        rule("notes.create", "truncated_head", share=0.1, seed=4),
        rule("notes.create", "malformed", share=0.1, seed=5),
    ],
    "notes not stored, and no usable answer": [
        rule("notes.create", "status_503", after=2, count=2),
        rule("notes.create", "reset_before", after=6, count=2),
        rule("notes.create", "reset_after", after=10, count=2),
        rule("notes.create", "close_after", after=14, count=2),
    ],
    "answers and work that come late": [
        rule("notes.create", "late", seconds=_LATER_THAN_THE_TIMEOUT, share=0.1, seed=1),
        rule("notes.create", "slow", seconds=_WITHIN_QUIET_TIME, share=0.1, seed=2),
    ],
    "batch created and sent, and no answer": [
        rule("batches.create", "lose_answer", count=2),
        rule("batches.send", "lose_answer", count=1),
        rule("batches.send", "status_500", when="after", count=1),
    ],
    "batch neither created nor sent, and no answer": [
        rule("batches.create", "close_after", count=2),
        rule("batches.send", "reset_after", count=1),
        rule("batches.send", "status_503", count=1),
    ],
    "counters that lag": [rule("batches.read", "lagging_counters", seconds=0.2, count=2)],
}


@in_turn("troubles", _TROUBLES)
def test_one_kind_of_trouble(theatre: Theatre, monkeypatch: pytest.MonkeyPatch, troubles: list[Record]) -> None:
    assert _WITHIN_QUIET_TIME < QUIET_S
    if all(each["operation"] == "notes.create" for each in troubles):
        # in one batch: what is posted again comes behind all first posts, whoever is slow, and is not met a second time
        monkeypatch.setitem(theatre.more, "PROTOCOL__BATCH_SIZE", "20")
    theatre.sandbox.faults(*troubles)

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(20, emitters=[RIO]))))

    theatre.check()
    unused = [each["kind"] for each in theatre.sandbox.control("faults") if not each["applied"]]
    assert unused == []


@ON_POSTGRESQL
def test_a_request_later_than_quiet_time_leaves_no_second_note(theatre: Theatre) -> None:
    """Nothing can tell that it is still under way. It arrives while we post, and the proof takes its note back."""
    theatre.sandbox.faults(rule("notes.create", "slow", seconds=QUIET_S + 0.8, count=1))
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12, emitters=[RIO])))

    process = theatre.start(month)
    assert theatre.until(lambda: theatre.seen("batches.create") >= 1, process)
    theatre.sandbox.switch(fixed_latency_ms=100)
    assert theatre.finish(process) == 0, theatre.said()

    notes = notes_of(theatre.check(forgiven={"duplicate_rps"}))
    # A slow machine may look only when it has arrived: then there never was a second one.
    assert {note["number"] for note in notes if note["is_deleted"]} <= {1}


@ON_SQLITE
def test_a_second_arrival_after_the_send_is_reported(theatre: Theatre) -> None:
    """What no line can prevent is at least never silent."""
    theatre.sandbox.faults(rule("batches.send", "act", act={"do": "add", "serie": "F", "number": 1}))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(1, emitters=[RIO]))))

    evidence = theatre.evidence()
    assert [(note["number"], note["status"]) for note in notes_of(evidence)] == [(1, "accepted")] * 2
    reported = {incident["code"] for incident in evidence.ledger["incidents"] if incident["closed_at"] is None}
    assert reported == {"batch.counters_differ", "batch.foreign_note"}


@ON_POSTGRESQL
def test_a_note_doubted_twice_waits_for_a_person(theatre: Theatre) -> None:
    theatre.sandbox.faults(rule("notes.create", "close_after", count=2))
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(1, emitters=[RIO])))
    theatre.run(month)
    (invoice,) = theatre.check_integrity().ledger["invoices"]
    assert invoice["state"] == "unresolved"

    with theatre.desk() as desk:
        decide_note(desk, invoice["id"], "retired", person="Ana", because="not in the provider's page")
        decide_batch(desk, invoice["batch_id"], "open", person="Ana", because="its only note was retired")
    theatre.run(month)

    assert [each["number"] for each in theatre.check().ledger["invoices"]] == [1, 2]


@ON_SQLITE
def test_the_creation_of_takers_is_never_repeated(theatre: Theatre) -> None:
    theatre.sandbox.faults(rule("takers.create", "lose_answer", share=0.5))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(14, emitters=[RIO]))))

    theatre.check()
    assert theatre.seen("takers.create") == len(
        {row.document for row in theatre.evidence().asked if row.kind == "good"}
    )


def _outcomes(evidence: Evidence) -> set[str | None]:
    return {attempt["outcome"] for attempt in evidence.ledger["attempts"]}
