"""A reading is stored as a whole or not at all, despite kills and other processes that read the file."""

from collections.abc import Iterable

import pytest
import sqlalchemy as sa

from connectors.ledger import files, rows, tables
from connectors.ledger.backup.verify import verify
from connectors.ledger.engine import Ledger
from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import PackedRow, pack
from connectors.ledger.sheets.row_import import ReadMeanwhile, store_reading
from connectors.ledger.sheets.row_outcomes import newest_rows
from connectors.process_names import process_name
from tests.connectors.ledger import scene as scenes

COUNT = 10_100


class Killed(BaseException):
    """Represents the end of the process."""


def received(ledger: Ledger) -> int:
    return ledger.write(files.receive, sha256="a" * 64, name="n", size_bytes=1, kind="csv").id


def store(ledger: Ledger, file: int, *, news: Iterable[PackedRow], after: int | None = None) -> int:
    options, understood = {"competence": "2026-11"}, {"sheet": "S"}
    return store_reading(ledger, file, operator="ana", options=options, understood=understood, news=news, after=after)


def last(ledger: Ledger, file: int) -> ReadingRecord:
    found = ledger.read(files.last_reading, file)
    assert found is not None
    return found


def news(count=COUNT, *, then=None):
    """Yield this many rows; call `then` before the last one."""
    for number in range(count):
        if then is not None and number == count - 1:
            then()
        yield pack("S", number + 2, b"{}", b"{}", ())


def signs(conn):
    readings = tables.readings
    return conn.execute(sa.select(readings.c.started_at, readings.c.alive_at, readings.c.worker)).all()


def stored_rows(conn) -> int:
    return int(conn.execute(sa.text("SELECT count(*) FROM rows")).scalar_one())


def test_a_reading_of_many_parts_keeps_the_order_of_its_rows(ledger):
    file = received(ledger)
    reading = store(ledger, file, news=news())
    stored = last(ledger, file)
    assert (stored.id, stored.ordinal, stored.understood) == (reading, 1, {"sheet": "S"})
    assert [row.row_number for row in ledger.read(rows.rows_of, reading, limit=COUNT)] == list(range(2, COUNT + 2))
    scenes.assert_journal_tells_states(ledger)


def test_each_part_is_a_sign_of_life(ledger):
    file = received(ledger)
    alive = []
    store(ledger, file, news=news(then=lambda: alive.extend(ledger.read(signs))))
    ((began, sign, worker),) = alive
    assert (sign > began, worker) == (True, process_name())
    ((_, last_sign, _),) = ledger.read(signs)
    assert last_sign > sign


def test_a_reading_of_no_rows_is_one(ledger):
    file = received(ledger)
    reading = store(ledger, file, news=[])
    assert (last(ledger, file).id, ledger.read(rows.rows_of, reading)) == (reading, [])


def test_a_reading_that_is_refused_leaves_nothing(ledger):
    file = received(ledger)
    twice = [next(news(1))] * 2
    with pytest.raises(sa.exc.IntegrityError):
        store(ledger, file, news=twice)
    assert (ledger.read(files.last_reading, file), ledger.read(stored_rows)) == (None, 0)


def test_a_stopped_reading_counts_nothing_and_is_read_again(ledger_url):
    def die():
        raise Killed

    with Ledger.open(ledger_url) as ledger:
        file = received(ledger)
        with pytest.raises(Killed):
            store(ledger, file, news=news(then=die))
    with Ledger.open(ledger_url) as ledger:
        left = ledger.read(stored_rows)
        assert 0 < left < COUNT
        assert ledger.read(files.last_reading, file) is None
        assert ledger.read(newest_rows, file) == []
        assert ledger.read(rows.stalled_readings, idle_s=0) == []
        reading = store(ledger, file, news=news())
        assert ledger.read(rows.stalled_readings, idle_s=0) == [reading]
        assert {row.origin_id for row in ledger.read(rows.rows_of, reading)} == {None}
        assert ledger.read(stored_rows) == left + COUNT
        assert ledger.read(verify).is_sound


def test_while_a_reading_is_stored_others_write(ledger_url):
    """A second process reads and writes in the middle of it."""
    with Ledger.open(ledger_url) as ledger, Ledger.open(ledger_url) as other:
        file = received(ledger)
        added = []
        reading = store(ledger, file, news=news(then=lambda: added.append(other.write(scenes.add_reading, "b" * 64))))
        assert added
        assert len(ledger.read(rows.rows_of, reading, limit=COUNT)) == COUNT


def test_the_first_of_two_simultaneous_readings_to_end_counts(ledger_url):
    """The second would not know that its rows were charged before."""
    with Ledger.open(ledger_url) as ledger, Ledger.open(ledger_url) as other:
        file = received(ledger)
        won = []
        with pytest.raises(ReadMeanwhile):
            store(
                ledger,
                file,
                news=news(then=lambda: won.append(store(other, file, news=news(3)))),
            )
        assert last(ledger, file).id == won[0]
        assert len(ledger.read(newest_rows, file)) == 3
        # A second reading has the same charges.
        again = store(ledger, file, news=news(4))
        first = [row.id for row in ledger.read(rows.rows_of, won[0])]
        assert [row.origin_id for row in ledger.read(rows.rows_of, again)] == [*first, None]


def test_a_reading_that_answers_another_follows_it_at_once(ledger):
    file = received(ledger)
    asked = store(ledger, file, news=news(3))
    assert store(ledger, file, news=news(3), after=asked) > asked
    with pytest.raises(ReadMeanwhile):
        store(ledger, file, news=news(3), after=asked)
