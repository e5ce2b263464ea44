"""The provider stops honouring `batch_id`, an undocumented field: every note posted would be issued at once."""

from tasks.issuance.decide import decide_batch
from tests.faults.checker import find_faults
from tests.faults.theatre import ON_POSTGRESQL, ON_SQLITE, Theatre, notes_of, rule
from tests.faults.workbooks import month_lines, write_month


@ON_SQLITE
def test_at_most_one_note_is_lost_of_any_number_of_batches(theatre: Theatre) -> None:
    theatre.sandbox.switch(batch_id="ignore")
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(36)))

    theatre.run(month)
    theatre.run(month)

    evidence = theatre.check_integrity()
    assert len(notes_of(evidence)) == 1
    assert [batch["state"] for batch in evidence.ledger["batches"]].count("disturbed") == 1
    assert "batch.answer_differs" in [incident["code"] for incident in evidence.ledger["incidents"]]


@ON_POSTGRESQL
def test_no_second_note_is_posted_after_a_lost_first_answer(theatre: Theatre) -> None:
    """Its batch lacks it, and yet it was issued: the line asks the series record before it believes in absence."""
    theatre.sandbox.switch(batch_id="ignore")
    theatre.sandbox.faults(rule("notes.create", "lose_answer", count=1))

    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(36))))

    evidence = theatre.evidence()
    assert len(notes_of(evidence)) == 1
    assert "batch.answer_differs" in [incident["code"] for incident in evidence.ledger["incidents"]]


@ON_SQLITE
def test_the_lost_note_is_followed_once_the_provider_is_mended(theatre: Theatre) -> None:
    theatre.sandbox.switch(batch_id="ignore")
    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12))))
    theatre.sandbox.switch(batch_id="honour")
    (batch_id,) = (batch["id"] for batch in theatre.evidence().ledger["batches"] if batch["state"] == "disturbed")

    with theatre.context() as context:
        decide_batch(context, batch_id, "sent", person="Ana", because="its first note was issued")
    theatre.run()

    # The provider put the note outside of its batch: the checker shows that. All else is in order.
    shown = (
        "an incident is still open: batch.counters_differ",
        f"batch {batch_id} says 1 notes",
        f"batch {batch_id} was sent 0",
    )
    assert [
        fault for fault in find_faults(theatre.evidence(), quiet_s=theatre.quiet_s) if not fault.startswith(shown)
    ] == []
