"""Answers that never come, come late or come broken: the work was done, and must not be repeated."""

import pytest

from connectors.ledger.observations.patience import MOST_DOUBTS
from tasks.issuance.decide import decide_batch, decide_note
from tests.faults.evidence import Evidence, Record
from tests.faults.theatre import ON_POSTGRESQL, ON_SQLITE, Theatre, in_turn, notes_of, rule
from tests.faults.workbooks import RIO, month_lines, write_month

_POSTS = ("takers.create", "batches.create", "notes.create", "batches.send")
_A_MOMENT_S = 0.3
"""A moment after the worker gave up on an answer, and still within the quiet time."""


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
    "work that comes late": [rule("notes.create", "held", seconds=_A_MOMENT_S, share=0.2, seed=2)],
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
    "counters that lag": [rule("batches.read", "lagging_counters", seconds=3600, count=2)],
}


@in_turn("troubles", _TROUBLES)
def test_each_kind_of_trouble_issues_exactly_once(
    theatre: Theatre, monkeypatch: pytest.MonkeyPatch, troubles: list[Record]
) -> None:
    assert theatre.quiet_s > _A_MOMENT_S
    if all(each["operation"] == "notes.create" for each in troubles):
        # In one batch a repeated post follows all first posts, whoever is slow, and meets the fault only once.
        monkeypatch.setitem(theatre.more, "PROTOCOL__BATCH_SIZE", "20")
    theatre.sandbox.faults(*troubles)

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(20, emitters=[RIO]))))

    theatre.check()
    unused = [each["kind"] for each in theatre.sandbox.control("faults") if not each["applied"]]
    assert unused == []


@ON_POSTGRESQL
def test_a_request_later_than_quiet_time_leaves_no_second_note(theatre: Theatre) -> None:
    """Nothing shows that the request is still under way. It arrives while we post, and the proof deletes its note."""
    theatre.sandbox.faults(rule("notes.create", "held", count=1), rule("notes.create", "release", after=6, count=1))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12, emitters=[RIO]))))

    notes = notes_of(theatre.check(forgiven={"duplicate_rps"}))
    assert [note["number"] for note in notes if note["is_deleted"]] == [1]


@ON_SQLITE
def test_a_worker_that_gives_requests_up_finds_what_they_did(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection stays open and no answer comes: the worker's own timer ends the request."""
    monkeypatch.setitem(theatre.more, "REQUESTS__TIMEOUT_S", "1.5")
    theatre.sandbox.faults(rule("notes.create", "hang", after=3, count=2), rule("batches.send", "hang", count=1))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12, emitters=[RIO]))))

    assert _outcomes(theatre.check()) >= {"done", "in_doubt"}


@ON_SQLITE
def test_a_second_arrival_after_the_send_is_reported(theatre: Theatre) -> None:
    """No line can prevent it, but every line must report it."""
    theatre.sandbox.faults(rule("batches.send", "act", act={"do": "add", "serie": "F", "number": 1}))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(1, emitters=[RIO]))))

    evidence = theatre.evidence()
    assert [(note["number"], note["status"]) for note in notes_of(evidence)] == [(1, "accepted")] * 2
    reported = {incident["code"] for incident in evidence.ledger["incidents"] if incident["closed_at"] is None}
    assert reported == {"batch.counters_differ", "batch.foreign_note"}


@pytest.mark.parametrize("doubts", [2, MOST_DOUBTS - 1])
def test_a_note_doubted_often_settles_by_itself(theatre: Theatre, doubts: int) -> None:
    """The provider accepts nothing for a while. Nobody decides anything, and there is one invoice."""
    theatre.sandbox.faults(rule("notes.create", "close_after", count=doubts))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(1, emitters=[RIO]))))

    evidence = theatre.check()
    assert [(each["number"], each["doubts"]) for each in evidence.ledger["invoices"]] == [(1, doubts)]
    assert (len(notes_of(evidence)), evidence.ledger["incidents"]) == (1, [])


def test_slow_answers_alone_need_no_person(theatre: Theatre) -> None:
    """Two posts of one note time out and both are stored late: the first is the invoice, the other is deleted."""
    theatre.sandbox.faults(rule("notes.create", "held", count=2), rule("notes.create", "release", after=4, count=1))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12, emitters=[RIO]))))

    evidence = theatre.check(forgiven={"duplicate_rps"})
    assert evidence.ledger["incidents"] == []
    assert [note["number"] for note in notes_of(evidence) if note["is_deleted"]] == [1, 1]


@ON_POSTGRESQL
def test_after_the_last_doubt_a_person_decides(theatre: Theatre) -> None:
    theatre.sandbox.faults(rule("notes.create", "close_after", count=MOST_DOUBTS))
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(1, emitters=[RIO])))
    theatre.run(month)
    (invoice,) = theatre.check_integrity().ledger["invoices"]
    assert invoice["state"] == "unresolved"

    with theatre.context() as context:
        decide_note(context, invoice["id"], "retired", person="Ana", because="not in the provider's page")
        decide_batch(context, invoice["batch_id"], "open", person="Ana", because="its only note was retired")
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
