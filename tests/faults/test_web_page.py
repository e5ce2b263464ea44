"""Somebody works in the provider's web page while the line works: seen, shown to a person, and never made worse."""

import pytest

from tasks.decide import decide_batch
from tests.faults.theatre import Theatre, notes_of, rule
from tests.faults.workbooks import RIO, month_lines, write_month

_NOTES = 12


@pytest.mark.parametrize("late_notes", ["scheduled", "created", "refuse"])
def test_somebody_presses_send_while_we_post(theatre: Theatre, late_notes: str) -> None:
    """What the provider makes of our notes that arrive after that send is not documented."""
    theatre.sandbox.switch(attach_after_send=late_notes, advance="seconds", advance_seconds=0.5)
    theatre.sandbox.faults(rule("notes.create", "act", after=6, count=1, act={"do": "send"}))
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(_NOTES, emitters=[RIO])))
    theatre.run(month)
    evidence = theatre.check_integrity(forgiven={"attached_after_send"})
    (batch,) = evidence.ledger["batches"]
    assert batch["state"] == "disturbed"
    assert len(notes_of(evidence)) < _NOTES

    with theatre.desk() as desk:
        decide_batch(desk, batch["id"], "sent", person="Ana", because="Rui sent it in the page")
    theatre.run()

    theatre.check(forgiven={"attached_after_send"})
