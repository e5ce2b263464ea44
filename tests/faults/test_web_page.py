"""Somebody works in the provider's web page during the line's work: the line sees it, reports it, causes no harm."""

from pathlib import Path

from tasks.issuance.decide import BatchDecision, decide_batch
from tests.faults.evidence import Evidence, Record
from tests.faults.theatre import LEASE_S, ON_POSTGRESQL, ON_SQLITE, Theatre, in_turn, notes_of, rule
from tests.faults.workbooks import RIO, month_lines, write_month

_NOTES = 12
_CITY_S = 600.0
"""Largest delay of the city in seconds: longer than any machine takes to post."""


@in_turn("late_notes", {each: each for each in ("scheduled", "created", "refuse")})
def test_somebody_presses_send_while_we_post(theatre: Theatre, late_notes: str) -> None:
    """The documents do not say what the provider does with our notes that arrive after that send."""
    theatre.sandbox.switch(attach_after_send=late_notes, advance="seconds", advance_seconds=_CITY_S)
    _bill_while(theatre, rule("notes.create", "act", after=6, count=1, act={"do": "send"}))
    evidence = theatre.check_integrity(forgiven={"attached_after_send"})
    assert _batch(evidence)["state"] == "disturbed"

    _decide(theatre, "sent")
    _let_the_city_work(theatre)
    theatre.run()

    theatre.check(forgiven={"attached_after_send"})


@ON_POSTGRESQL
def test_the_rest_of_a_foreign_send_is_billed_despite_failures(theatre: Theatre) -> None:
    _bill_while(
        theatre,
        rule("notes.create", "act", after=6, count=1, act={"do": "send"}),
        rule("emitters.serie", "status_500", after=1, count=20),
    )

    _decide(theatre, "sent")
    theatre.run()
    theatre.sandbox.faults()
    theatre.pass_time(LEASE_S)
    theatre.run()

    evidence = theatre.check(forgiven={"attached_after_send"})
    assert len(evidence.ledger["batches"]) == 2


@ON_SQLITE
def test_somebody_deletes_a_note_while_we_post(theatre: Theatre) -> None:
    month = _bill_while(theatre, rule("notes.create", "act", after=6, count=1, act={"do": "delete"}))
    evidence = theatre.check_integrity()
    assert _batch(evidence)["state"] == "disturbed"
    assert _incidents(evidence) == {"batch.note_vanished"}

    _decide(theatre, "discard")
    theatre.run()
    theatre.run(month)

    numbers = [note["number"] for note in notes_of(theatre.check()) if not note["is_deleted"]]
    assert sorted(numbers) == list(range(_NOTES + 1, 2 * _NOTES + 1))


@ON_POSTGRESQL
def test_somebody_presses_send_while_we_take_the_batch_back(theatre: Theatre) -> None:
    """Notes deleted by then are no invoices; the others are followed like any other."""
    theatre.sandbox.switch(advance="seconds", advance_seconds=_CITY_S)
    _bill_while(theatre, rule("notes.create", "act", after=6, count=1, act={"do": "delete"}))
    theatre.sandbox.faults(rule("notes.delete", "act", after=4, count=1, act={"do": "send", **_page(theatre)}))
    _decide(theatre, "discard")
    theatre.run()
    evidence = theatre.check_integrity()
    assert _batch(evidence)["state"] == "disturbed"

    _decide(theatre, "sent")
    _let_the_city_work(theatre)
    theatre.run()

    evidence = theatre.check_integrity()
    states = {note["number"]: note["state"] for note in evidence.ledger["invoices"]}
    assert _batch(evidence)["state"] == "processed"
    assert len(states) == _NOTES
    assert [states[number] for number in sorted(states)][:4] == ["deleted"] * 4
    assert set(states.values()) == {"deleted", "accepted", "rejected"}


@ON_SQLITE
def test_somebody_edits_a_note_while_we_post(theatre: Theatre) -> None:
    """The counted proof cannot see it; the listing at the end does, and reports it."""
    edit = {"do": "edit", "service_values": {"service_amount": "1.00"}}
    _bill_while(theatre, rule("notes.create", "act", after=6, count=1, act=edit))

    assert _incidents(theatre.evidence()) == {"batch.note_differs"}


@ON_POSTGRESQL
def test_somebody_adds_a_note_while_we_post(theatre: Theatre) -> None:
    """It is never touched: only a person can say whose it is."""
    _bill_while(theatre, rule("notes.create", "act", after=6, count=1, act={"do": "add", "serie": "X", "number": 1}))

    evidence = theatre.evidence()
    assert _batch(evidence)["state"] == "disturbed"
    assert _incidents(evidence) == {"batch.foreign_note"}
    assert [note["status"] for note in notes_of(evidence) if note["serie"] == "X"] == ["created"]


def _bill_while(theatre: Theatre, *faults: Record) -> Path:
    theatre.sandbox.faults(*faults)
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(_NOTES, emitters=[RIO])))
    theatre.run(month)
    return month


def _decide(theatre: Theatre, decision: BatchDecision) -> None:
    with theatre.context() as context:
        decide_batch(context, _batch(theatre.evidence())["id"], decision, person="Ana", because="Rui was in the page")


def _let_the_city_work(theatre: Theatre) -> None:
    theatre.sandbox.control("clock", {"ahead_s": _CITY_S})
    theatre.sandbox.switch(advance="at_once")


def _batch(evidence: Evidence) -> Record:
    (batch,) = evidence.ledger["batches"]
    return batch


def _page(theatre: Theatre) -> Record:
    """Return the batch in the provider's page."""
    return {"batch_id": _batch(theatre.evidence())["remote_id"]}


def _incidents(evidence: Evidence) -> set[str]:
    return {incident["code"] for incident in evidence.ledger["incidents"] if incident["closed_at"] is None}
