"""Rows: their cells, their problems, and the state of each place of a file."""

import pytest
import sqlalchemy as sa

from connectors.ledger import files, rows, transitions
from connectors.ledger.rows import NewRow, Parties
from connectors.ledger.sheets import row_families
from connectors.ledger.sheets.answers import newest_change
from connectors.ledger.sheets.row_outcomes import newest_rows
from domain.problems import Problem, Where
from domain.states import Entity, InvoiceState, RowState
from tests.connectors.ledger import scene as scenes

BAD = Problem("amount.ambiguous", "service_cents", Where(sheet="S", row=3, column="C"), {"text": "1.234"})


def good(row_number, **changes):
    return NewRow(sheet="S", row_number=row_number, cells={"amount": "1,00"}, line={"cents": 100}, **changes)


def bad(row_number):
    return NewRow(sheet="S", row_number=row_number, cells={"amount": "1.234"}, problems=[BAD])


def test_a_row_with_problems_is_born_refused(ledger):
    reading = ledger.write(scenes.add_reading)
    assert ledger.write(scenes.add_rows, reading, [good(2, business_key="k"), bad(3)]) == 2
    first, second = ledger.read(rows.rows_of, reading)
    assert (first.state, first.cells, first.line, first.problems) == (
        RowState.READ,
        {"amount": "1,00"},
        {"cents": 100},
        [],
    )
    assert (first.business_key, second.business_key) == ("k", None)
    assert (second.state, second.line, second.problems) == (RowState.REFUSED, None, [BAD])
    assert ledger.read(rows.count_rows, reading) == {RowState.READ: 1, RowState.REFUSED: 1}
    births = ledger.read(transitions.events_of, Entity.ROW, [first.id, second.id])
    assert [(each.was, each.becomes) for each in births] == [(None, "read"), (None, "refused")]


def test_rows_come_in_pages(ledger):
    reading = ledger.write(scenes.add_reading)
    for start in (2, 102, 202):
        ledger.write(scenes.add_rows, reading, [good(start + n) for n in range(100)])
    page = ledger.read(rows.rows_of, reading, limit=150)
    rest = ledger.read(rows.rows_of, reading, after=page[-1].id)
    assert [each.row_number for each in (*page, *rest)] == list(range(2, 302))
    assert ledger.read(rows.rows_of, reading, RowState.REFUSED) == []
    scenes.assert_journal_tells_states(ledger)


def test_samples_are_a_files_first_rows_from_their_newest_reading(ledger):
    first = ledger.write(scenes.add_reading)
    ledger.write(scenes.add_rows, first, [good(4), bad(3), good(2)])
    ledger.write(files.end_reading, first, {})
    file = ledger.read(files.file_of_reading, first)
    again = ledger.write(files.begin_reading, file.id, operator="clerk", options={})
    ledger.write(scenes.add_rows, again, [good(3)])
    ledger.write(files.end_reading, again, {})
    found = ledger.read(rows.samples_of, file.id, "S", limit=2)
    assert [(each.row_number, each.reading_id, each.state) for each in found] == [
        (2, first, RowState.READ),
        (3, again, RowState.READ),
    ]
    assert ledger.read(rows.samples_of, file.id, "T", limit=2) == []


def test_a_place_is_taken_once_a_reading(ledger):
    reading = ledger.write(scenes.add_reading)
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(scenes.add_rows, reading, [good(2), good(2)])
    assert ledger.read(rows.rows_of, reading) == []


def test_a_finished_reading_gets_no_more_rows(ledger):
    reading = ledger.write(scenes.add_reading)
    ledger.write(scenes.store, reading, [good(2)])
    with pytest.raises(ValueError, match="finished"):
        ledger.write(scenes.add_rows, reading, [good(3)])


def test_rows_of_an_unfinished_reading_are_nowhere_to_be_seen(ledger):
    file = ledger.write(files.receive, sha256="a" * 64, name="nov.xlsx", size_bytes=9, kind="xlsx")
    first = ledger.write(files.begin_reading, file.id, operator="ana", options={})
    ledger.write(scenes.add_rows, first, [good(2), bad(3)])
    assert ledger.read(newest_rows, file.id) == []
    assert ledger.read(rows.rows_at, file.id, row_number=2) == []
    assert ledger.read(rows.stalled_readings, idle_s=0) == []
    assert ledger.read(newest_change, file.id) is None
    second = ledger.write(files.begin_reading, file.id, operator="ana", options={})
    ledger.write(scenes.store, second, [good(2), bad(3)])
    # Nor is it the row where the charge began.
    assert [row.origin_id for row in ledger.read(rows.rows_of, second)] == [None, None]
    assert [each.row.reading_id for each in ledger.read(newest_rows, file.id)] == [second, second]
    assert ledger.read(rows.stalled_readings, idle_s=0) == [second]
    ids = [row.id for row in ledger.read(rows.rows_of, first)]
    assert ledger.read(row_families.members_of_families, ids) == []


def test_problems_of_refused_rows_come_in_parts(ledger):
    reading = ledger.write(scenes.add_reading)
    ledger.write(scenes.store, reading, [bad(2), good(3), bad(4), bad(5)])
    first = ledger.read(rows.problems_of, reading, after=0, limit=2)
    rest = ledger.read(rows.problems_of, reading, after=first[-1].id, limit=2)
    assert [each.row_number for each in (*first, *rest)] == [2, 4, 5]
    assert {problem.code for each in (*first, *rest) for problem in each.problems} == {
        problem.code for problem in bad(2).problems
    }


def test_resolving_names_the_parties_and_skips_missing_rows(ledger):
    reading = ledger.write(scenes.add_reading)
    emitter, template, [taker, *_] = ledger.write(scenes.add_parties)
    ledger.write(scenes.store, reading, [good(2), bad(3)])
    one, two = (row.id for row in ledger.read(rows.rows_of, reading))
    parties = dict.fromkeys([one, two], Parties(emitter, taker, template))
    assert ledger.write(rows.resolve_rows, parties, keys={one: "key"}) == [one]
    resolved, refused = ledger.read(rows.rows_of, reading)
    assert (resolved.emitter_id, resolved.taker_id, resolved.template_id) == (emitter, taker, template)
    assert (resolved.state, resolved.business_key) == (RowState.RESOLVED, "key")
    assert refused.emitter_id is None
    assert ledger.write(rows.resolve_rows, {}) == []


def test_refusing_adds_to_what_is_wrong_already(ledger):
    reading = ledger.write(scenes.add_reading)
    emitter, template, [taker, *_] = ledger.write(scenes.add_parties)
    ledger.write(scenes.store, reading, [good(2), good(3), bad(4)])
    one, two, three = (row.id for row in ledger.read(rows.rows_of, reading))
    ledger.write(rows.resolve_rows, {two: Parties(emitter, taker, template)})
    why = {each: [Problem("taker.incomplete", "city")] for each in (one, two, three)}
    assert ledger.write(rows.refuse_rows, why, because="no taker") == [one, two]
    codes = [[each.code for each in row.problems] for row in ledger.read(rows.rows_of, reading)]
    assert codes == [["taker.incomplete"], ["taker.incomplete"], ["amount.ambiguous"]]
    scenes.assert_journal_tells_states(ledger)


def test_a_place_lives_as_long_as_one_of_its_invoices(ledger):
    scene = ledger.write(scenes.furnish, 2)
    [file] = ledger.read(scenes.known_files)
    assert ledger.read(rows.living_row_locations, file.id) == {("S", 2), ("S", 3)}
    first = scene.invoice_ids[:1]
    ledger.write(transitions.move, first, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="x")
    assert ledger.read(rows.living_row_locations, file.id) == {("S", 3)}


def test_the_rows_at_a_place_come_from_every_reading(ledger):
    scene = ledger.write(scenes.furnish, 2)
    [file] = ledger.read(scenes.known_files)
    again = ledger.write(files.begin_reading, file.id, operator="ana", options={})
    ledger.write(scenes.store, again, [bad(2), good(4)])
    assert [row.reading_id for row in ledger.read(rows.rows_at, file.id, row_number=2)] == [scene.reading_id, again]
    assert ledger.read(rows.rows_at, file.id, row_number=2, sheet="T") == []
    assert [row.row_number for row in ledger.read(rows.rows_by_ids, scene.row_ids)] == [2, 3]
    assert ledger.read(rows.row_locations, again) == {("S", 2), ("S", 4)}


def test_the_largest_amount_of_each_template_is_returned(ledger):
    reading = ledger.write(scenes.add_reading)
    emitter, template, [taker, *_] = ledger.write(scenes.add_parties)
    amounts = [5, 10**16, 7, None]
    news = [NewRow(sheet="S", row_number=n, cells={}, line={"cents": cents}) for n, cents in enumerate(amounts)]
    ledger.write(scenes.store, reading, [*news, good(9)])
    assert ledger.read(rows.largest, reading, RowState.RESOLVED, "cents") == {}
    ids = [row.id for row in ledger.read(rows.rows_of, reading)]
    ledger.write(rows.resolve_rows, dict.fromkeys(ids[:4], Parties(emitter, taker, template)))
    assert ledger.read(rows.largest, reading, RowState.RESOLVED, "cents") == {template: 10**16}


def test_rows_without_what_was_written_come_in_parts_by_state(ledger):
    reading = ledger.write(scenes.add_reading)
    ledger.write(scenes.store, reading, [good(2), bad(3), good(4), good(5)])
    ids = [row.id for row in ledger.read(rows.rows_of, reading)]
    first = ledger.read(rows.lines_of, reading, RowState.READ, after=0, limit=2)
    rest = ledger.read(rows.lines_of, reading, RowState.READ, after=first[-1].id, limit=2)
    assert [(row.id, row.cells, row.line) for row in (*first, *rest)] == [
        (each, {}, {"cents": 100}) for each in (ids[0], ids[2], ids[3])
    ]
    assert ledger.read(rows.numbers_of, reading, ids[:2]) == {ids[0]: 2, ids[1]: 3}
    assert ledger.read(rows.numbers_of, reading + 1, ids) == {}


@pytest.mark.parametrize("count", [0, 1, 100, 101])
def test_packed_rows_come_back_as_they_went_in(count: int):
    news = [rows.pack("S", n + 1, b"{}", b"{}" if n % 2 else None, ()) for n in range(count)]
    packed = rows.PackedRows(news)
    assert len(packed) == count
    assert list(packed) == news
    assert [packed[place] for place in range(count)] == news
