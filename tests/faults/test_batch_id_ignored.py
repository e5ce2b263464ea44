"""The provider stops honouring `batch_id`, an undocumented field: every note posted would be issued at once."""

from tests.faults.theatre import Theatre, notes_of
from tests.faults.workbooks import RIO, month_lines, write_month


def test_at_most_one_note_is_lost_to_it(theatre: Theatre) -> None:
    theatre.sandbox.switch(batch_id="ignore")
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12, emitters=[RIO])))

    theatre.run(month)
    theatre.run(month)

    evidence = theatre.check_integrity()
    assert len(notes_of(evidence)) == 1
    assert [batch["state"] for batch in evidence.ledger["batches"]] == ["disturbed"]
    assert "batch.answer_differs" in [incident["code"] for incident in evidence.ledger["incidents"]]
