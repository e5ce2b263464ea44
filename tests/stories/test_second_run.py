"""The same workbook again, and a corrected one after the city rejected some rows."""

from collections import Counter

from tests.faults.evidence import Evidence, Record
from tests.faults.theatre import Theatre, notes_of
from tests.faults.workbooks import Line, month_lines, write_month


def test_the_same_file_again_issues_nothing(theatre: Theatre) -> None:
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(24)))
    theatre.run(month)
    before = theatre.check()
    assert Counter(note["status"] for note in notes_of(before)).keys() == {"accepted", "rejected"}

    theatre.run(month)

    after = theatre.check()
    assert notes_of(after) == notes_of(before)
    reasons = Counter(_reasons_of_newest(after).values())
    assert reasons["row.rejected_unchanged"] == sum(note["status"] == "rejected" for note in notes_of(before))


def test_the_same_file_under_another_name_issues_nothing(theatre: Theatre) -> None:
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(12)))
    theatre.run(month)
    copy = theatre.home / "month (2).xlsx"
    copy.write_bytes(month.read_bytes())

    before = theatre.check()
    theatre.run(copy)

    assert notes_of(theatre.check()) == notes_of(before)


def test_a_rejected_row_is_billed_again_on_request(theatre: Theatre) -> None:
    """The city failed, the rows were right: the same content under new numbers."""
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(24)))
    theatre.run(month)
    first = theatre.check()
    theatre.sandbox.switch(rejection_share=0.0)

    theatre.run(month, retry_rejected=True)

    again = notes_of(theatre.check())[len(notes_of(first)) :]
    assert len(again) == sum(note["status"] == "rejected" for note in notes_of(first))
    assert {note["status"] for note in again} == {"accepted"}
    assert not {_number(note) for note in again} & {_number(note) for note in notes_of(first)}


def test_only_rejected_rows_of_a_corrected_workbook_are_issued(theatre: Theatre) -> None:
    """Accepted rows are not issued again. Rejected ones are, with their correction and a new number."""
    lines = month_lines(24)
    theatre.run(theatre.drop(write_month(theatre.home / "month.xlsx", lines)))
    first = theatre.check()
    rejected = {note["service_values"]["description"] for note in notes_of(first) if note["status"] == "rejected"}
    assert rejected
    theatre.sandbox.switch(rejection_share=0.0)

    corrected = [_corrected(line, rejected) for line in lines]
    theatre.run(theatre.drop(write_month(theatre.home / "month corrected.xlsx", corrected)))

    second = theatre.check()
    issued = notes_of(second)[len(notes_of(first)) :]
    assert {note["service_values"]["description"] for note in issued} == {f"{each} revisto" for each in rejected}
    assert {note["status"] for note in issued} == {"accepted"}
    assert not {_number(note) for note in issued} & {_number(note) for note in notes_of(first)}


def _corrected(line: Line, rejected: set[str]) -> Line:
    description = line.cells["Discriminação"]
    if line.kind == "bad":
        return line
    if description in rejected:
        return line.but(description=f"{description} revisto")
    return line.but("repeated")


def _number(note: Record) -> tuple[str, str, int]:
    return (note["emitter_cnpj"], note["serie"], note["number"])


def _reasons_of_newest(evidence: Evidence) -> dict[tuple[str, int], str]:
    """Return the first problem of each refused place, from the newest reading."""
    return {
        (row["sheet"], row["row_number"]): row["problems"][0]["code"]
        for row in evidence.ledger["rows"]
        if row["state"] == "refused"
    }
