"""The checker finds every kind of planted fault in a correct month, and none in the correct month itself."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.faults.checker import find_faults, integrity
from tests.faults.evidence import HEADERS, TABLES, Dropped, Evidence, read_ledger, read_workbook
from tests.faults.legal import COMMANDED, OBSERVED, is_legal
from tests.faults.sound import CNPJ, sound_month

QUIET_S = 30
Plant = Callable[[Evidence], Any]


def _of(evidence: Evidence, table: str, **wanted: Any) -> dict[str, Any]:
    """Return the only row of a ledger table, or of the record, with these values."""
    rows = evidence.ledger.get(table) or evidence.record[table]
    return next(row for row in rows if all(row[name] == value for name, value in wanted.items()))


def _change(table: str, changes: dict[str, Any], **wanted: Any) -> Plant:
    return lambda evidence: _of(evidence, table, **wanted).update(changes)


def _drop(table: str, **wanted: Any) -> Plant:
    def drop(evidence: Evidence) -> None:
        rows = evidence.ledger.get(table) or evidence.record[table]
        rows.remove(_of(evidence, table, **wanted))

    return drop


def _copy(table: str, changes: dict[str, Any], **wanted: Any) -> Plant:
    def copy(evidence: Evidence) -> None:
        rows = evidence.ledger.get(table) or evidence.record[table]
        rows.append({**_of(evidence, table, **wanted), **changes})

    return copy


def _amount(note: int, **amounts: str) -> Plant:
    return lambda evidence: _of(evidence, "notes", id=note)["service_values"].update(amounts)


def _violate(evidence: Evidence) -> None:
    evidence.record["violations"].append({"kind": "duplicate_rps", "number": 1})


def _more_requests(evidence: Evidence) -> None:
    evidence.record["requests_by_operation"]["batches.send"] = 2


def _rename(event: dict[str, Any], **wanted: Any) -> Plant:
    return _change("events", event, **wanted)


_NOTE_1 = {"entity": "invoice", "entity_id": 1}

PLANTED: list[tuple[str, Plant, str]] = [
    # rows and notes
    ("a note is missing", _drop("notes", id=71), "row 3 has no note"),
    ("a note is deleted", _change("notes", {"is_deleted": True}, id=71), "row 3 has no note"),
    ("an invoice is missing", _drop("invoices", id=1), "row 3 has no invoice in the ledger"),
    ("a row is missing", _drop("rows", id=1), "row 3 is not in the ledger"),
    ("billed twice", _copy("notes", {"id": 79, "number": 9}, id=71), "row 3 has 2 accepted notes"),
    ("never sent", _change("notes", {"status": "created"}, id=71), "its last is not rejected: ['created']"),
    ("cancelled by the city", _change("notes", {"status": "cancelled"}, id=71), "last is not rejected: ['cancelled']"),
    ("rejection unreported", _change("invoices", {"state": "accepted"}, id=2), "the ledger's 72 accepted"),
    ("a bad row is billed", _change("invoices", {"row_id": 3}, id=3), "row 5 is bad, but has an invoice"),
    ("a bad row passes", _change("rows", {"state": "assembled"}, id=3), "row 5 is bad, but assembled"),
    ("no reason", _change("rows", {"problems": []}, id=3), "row 5 was refused without a reason"),
    ("another taker", _change("notes", {"taker_document": "00000000000"}, id=71), "note 71 is for nothing"),
    # numbers
    ("a number is shared", _change("notes", {"number": 1}, id=72), "2 different notes share the number"),
    (
        "two stand under one number",
        _copy("notes", {"id": 79}, id=71),
        f"2 notes stand under the number ('{CNPJ}', 'F', 1)",
    ),
    ("the provider saw it", _violate, "the provider saw duplicate_rps"),
    ("given out twice", _change("invoices", {"number": 1}, id=2), "number F/1 is used 2 times in invoices"),
    ("recorded twice", _change("numbers", {"number": 1}, invoice_id=2), "number F/1 is used 2 times in numbers"),
    ("not recorded", _drop("numbers", invoice_id=1), "number F/1 of invoice 1 is not recorded"),
    ("recorded for nobody", _copy("numbers", {"invoice_id": 8, "number": 8}, invoice_id=1), "for invoice 8, which"),
    ("content exchanged", _change("numbers", {"digest": "?"}, invoice_id=1), "another owner or content"),
    (
        "the dead not retired",
        _change("numbers", {"retired_at": None}, invoice_id=2),
        "of a dead invoice is not retired",
    ),
    (
        "the living retired",
        _change("numbers", {"retired_at": 1, "retired_because": "?"}, invoice_id=1),
        "of a living invoice is retired",
    ),
    ("numbers differ", _change("notes", {"number": 9}, id=71), "invoice 1 and its note 71 bear different numbers"),
    # strangers
    ("a foreign note", _copy("notes", {"id": 79, "number": 9, "digest": "?"}, id=71), "note 79 (F/9), unknown to"),
    ("an invented note", _change("invoices", {"remote_id": 99}, id=1), "claims note 99, which the provider never had"),
    ("deleted there", _change("notes", {"is_deleted": True}, id=71), "invoice 1 is accepted, but its note 71 was del"),
    ("of another batch", _change("notes", {"asked_batch_id": 8}, id=71), "its note 71 was posted for 8"),
    ("an unknown batch", _drop("orphans", id=1), "the provider holds batch 8"),
    ("an orphan with notes", _change("notes", {"batch_id": 8}, id=71), "batch 8 holds notes, but is none of the led"),
    ("an invented batch", _change("batches", {"remote_id": 99}, id=1), "claims batch 99"),
    # money
    ("an amount differs", _amount(71, iss_amount="2.01"), "note 71 has iss_amount 2.01, the ledger 200 cents"),
    ("a service amount differs", _amount(71, service_amount="100.01"), "the ledger 10000 cents"),
    ("a liquid amount differs", _amount(71, nfse_liquid_amount="99.99"), "has nfse_liquid_amount 99.99"),
    ("totals differ", _change("invoices", {"service_cents": 1}, id=1), "ledger 8001, provider 18000 cents accepted"),
    (
        "a batch's total differs",
        _change("batches", {"total_cents": 1}, id=1),
        "3 notes of 1 cents, the provider holds 3",
    ),
    ("a batch's count differs", _change("batches", {"count": 2}, id=1), "says 2 notes of 43010 cents"),
    # ends
    ("in doubt", _change("invoices", {"state": "in_doubt"}, id=1), "invoice 1 (F/1) is still in_doubt"),
    ("posting", _change("invoices", {"state": "posting"}, id=1), "invoice 1 (F/1) is still posting"),
    ("unresolved", _change("invoices", {"state": "unresolved"}, id=1), "invoice 1 (F/1) is still unresolved"),
    ("a batch hangs", _change("batches", {"state": "disturbed"}, id=1), "batch 1 is still disturbed"),
    ("a row hangs", _change("rows", {"state": "resolved"}, id=1), "row 1 is still resolved"),
    ("an incident is open", _change("incidents", {"closed_at": None}), "an incident is still open: batch.note_differs"),
    (
        "state unlike the provider's",
        _change("invoices", {"state": "rejected"}, id=1),
        "invoice 1 is rejected, its note",
    ),
    ("NFSe number differs", _change("invoices", {"nfse_number": "5"}, id=1), "invoice 1 has NFSe 5, its note 501"),
    ("errors differ", _change("notes", {"errors": [{"code": "E30"}]}, id=72), "reports the errors ['E987'], the city"),
    ("sent twice", _copy("batch_history", {}, to_status="scheduled"), "batch 1 was sent 2 times"),
    # chains
    ("a chain is cut", _rename({"was": "created"}, **_NOTE_1, becomes="posting"), "was reserved, but its next event"),
    ("an illegal step", _drop("events", **_NOTE_1, becomes="created"), "was posting, but its next event starts"),
    ("a leap by command", _rename({"becomes": "accepted"}, **_NOTE_1, was="created"), "may not go from created to acc"),
    ("no birth", _drop("events", **_NOTE_1, was=None), "invoice 1 was None, but its next event starts from drafted"),
    ("a false birth", _rename({"was": None}, **_NOTE_1, becomes="posting"), "may not go from None to posting"),
    ("an end unlike the state", _drop("events", **_NOTE_1, becomes="accepted"), "but its journal ends at processing"),
    ("a ghost", _copy("events", {"entity_id": 44}, **_NOTE_1, was=None), "the journal speaks of invoice 44"),
    ("an older fence", _rename({"fence": 99}, **_NOTE_1, was="created"), "under an older fence after a newer one"),
    # attempts
    ("no attempt", _drop("attempts", id=2), "invoice 1 went out 1 times, but 0 attempts"),
    ("an attempt too many", _copy("attempts", {"id": 9}, id=2), "went out 1 times, but 2 attempts"),
    ("an end without outcome", _change("attempts", {"outcome": None}, id=2), "an end without an outcome"),
    ("ended before it began", _change("attempts", {"ended_at": 1}, id=2), "attempt 2 ended before it began"),
    ("an unknown fence", _change("attempts", {"fence": 9}, id=2), "has a fence that was never given out"),
    ("went on otherwise", _change("attempts", {"outcome": "not_sent"}, id=2), "was not_sent, but invoice 1 became cre"),
    ("doubt forgotten", _change("attempts", {"outcome": "done"}, id=4), "invoice 3 was posted again after it was answ"),
    ("too early again", _change("attempts", {"begun_at": 20_000_000}, id=5), "again before quiet time was over"),
    ("unjournalled request", _more_requests, "the provider saw 2 batches.send, but the journal has only 1"),
    # approvals
    ("not approved", _change("approvals", {"void_at": 1}), "batch 1 was sent without an approval that stands"),
    (
        "approved afterwards",
        _change("approvals", {"approved_at": 9_000_000}),
        "batch 1 was sent before it was approved",
    ),
    ("another content approved", _change("approvals", {"digest": "?"}), "batch 1 was approved with another digest"),
    ("another total approved", _change("approvals", {"total_cents": 1}), "was approved with another total_cents"),
]


def test_a_sound_month_has_no_fault() -> None:
    assert find_faults(sound_month(), quiet_s=QUIET_S) == []


@pytest.mark.parametrize(("plant", "words"), [each[1:] for each in PLANTED], ids=[each[0] for each in PLANTED])
def test_a_planted_fault_is_found(plant: Plant, words: str) -> None:
    evidence = sound_month()
    plant(evidence)

    found = find_faults(evidence, quiet_s=QUIET_S)

    assert any(words in fault for fault in found), found


def test_unfinished_work_is_no_contradiction() -> None:
    evidence = sound_month()
    invoice, note = _of(evidence, "invoices", id=1), _of(evidence, "notes", id=71)
    invoice.update(state="posting", remote_id=None, nfse_number=None)
    _of(evidence, "attempts", id=2).update(ended_at=None, outcome=None)
    note.update(status="created", nfse_number=None)
    kept = [event for event in evidence.ledger["events"] if (event["entity"], event["entity_id"]) != ("invoice", 1)]
    begun = [each for each in evidence.ledger["events"] if each not in kept][:3]
    evidence = replace(evidence, ledger={**evidence.ledger, "events": kept + begun})

    assert integrity(evidence, quiet_s=QUIET_S) == []
    assert find_faults(evidence, quiet_s=QUIET_S) != []


def test_observed_states_may_skip_forward_but_never_back() -> None:
    assert is_legal("invoice", "in_doubt", "accepted", is_observed=True)
    assert not is_legal("invoice", "in_doubt", "accepted", is_observed=False)
    assert not is_legal("invoice", "accepted", "created", is_observed=True)
    assert is_legal("invoice", "cancelling", "accepted", is_observed=True)
    assert not any("reserved" in steps for steps in OBSERVED["invoice"].values())
    assert not any("posting" in steps for state, steps in COMMANDED["invoice"].items() if state != "reserved")


def test_a_workbook_is_read_as_its_writer_marked_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Faturamento"])
    sheet.append(list(HEADERS.values()))
    sheet.append(["99.000.001/0001-01", "99.0A0.010/0001-09", 1234.1, "Contrato 1", "11/2026"])
    sheet.append(["99000001000101", None, None, "Contrato 2", "11/2026"])
    book.save(tmp_path / "month.xlsx")

    rows = list(read_workbook(Dropped(tmp_path / "month.xlsx", good=frozenset({3}), bad=frozenset({4}))))

    assert [(row.number, row.kind, row.cents) for row in rows] == [(3, "good", 1234_10), (4, "bad", 0)]
    assert rows[0].content == (CNPJ, "990A0010000109", "Contrato 1", "2026-11-01", 1234_10)
    with pytest.raises(ValueError, match=r"has no rows \[9\]"):
        list(read_workbook(Dropped(tmp_path / "month.xlsx", good=frozenset({9}), bad=frozenset())))


def test_a_ledger_is_read_with_its_types(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with sqlite3.connect(path) as connection:
        for table in TABLES:
            columns = "emitter_id, serie, number" if table == "numbers" else "id, is_observed, problems"
            connection.execute(f"CREATE TABLE {table} ({columns})")
        connection.execute('INSERT INTO rows VALUES (1, 0, \'[{"code": "document.invalid"}]\')')
    connection.close()

    read = read_ledger(f"sqlite:///{path}")

    assert read["rows"] == [{"id": 1, "is_observed": False, "problems": [{"code": "document.invalid"}]}]
