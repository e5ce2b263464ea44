"""Files whose answers may be out of date, and the last change of anything about a file."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.batch_observations import observe_batch
from connectors.ledger.issuance import posting
from connectors.ledger.rows import NewRow
from connectors.ledger.sheets import answers
from domain.states import BatchState
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.test_batches import send

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def file_of(ledger, made: scenes.Scene) -> int:
    query = sa.select(tables.readings.c.file_id).where(tables.readings.c.id == made.reading_id)
    return int(ledger.read(lambda conn: conn.execute(query).scalar_one()))


def to_answer(ledger, *, operator: str = "clerk", since: datetime = LONG_AGO, every_s: float = 60) -> list[int]:
    found: list[int] = ledger.read(answers.files_to_answer, operator=operator, since=since, every_s=every_s)
    return found


def test_a_file_is_followed_until_its_last_batch_closed(ledger):
    made, lease = ledger.write(scenes.staged)
    file_id = file_of(ledger, made)
    now = datetime.now(UTC)
    assert to_answer(ledger, since=now + timedelta(hours=1)) == [file_id]
    assert to_answer(ledger, operator="somebody") == []
    ledger.write(send, made.batch_id, lease)
    ledger.write(observe_batch, made.batch_id, becomes=BatchState.PROCESSED, counters={}, look_s=None)
    assert to_answer(ledger, since=now - timedelta(hours=1)) == [file_id]
    assert to_answer(ledger, since=now + timedelta(hours=1)) == []


def test_one_process_writes_an_answer_at_a_time(ledger):
    made = ledger.write(scenes.furnish)
    file_id = file_of(ledger, made)
    assert ledger.write(answers.claim_answer, file_id, every_s=60)
    assert not ledger.write(answers.claim_answer, file_id, every_s=60)
    assert ledger.read(answers.newest_answered_change, file_id) is None
    change = ledger.read(answers.newest_change, file_id)
    ledger.write(answers.note_answer, file_id, change_at=change)
    assert ledger.read(answers.newest_answered_change, file_id) == change
    assert to_answer(ledger) == []
    assert to_answer(ledger, every_s=0) == [file_id]
    assert ledger.write(answers.claim_answer, file_id, every_s=0)
    assert ledger.read(answers.newest_answered_change, file_id) == change


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_correction_changes_the_answer_to_its_file(ledger, *, is_answered: bool):
    made = ledger.write(scenes.furnish)
    first = file_of(ledger, made)
    before = ledger.read(answers.newest_change, first)
    ledger.write(lambda conn: conn.execute(sa.update(tables.readings).values(operator="another")))
    if is_answered:
        ledger.write(answers.note_answer, first, change_at=before)

    def correct(conn):
        file = files.receive(conn, sha256="b" * 64, name="certo.xlsx", size_bytes=9, kind="xlsx")
        reading = files.begin_reading(conn, file.id, operator="clerk", options={})
        scenes.store(conn, reading, [NewRow(sheet="S", row_number=9, cells={}, line={}, follows_id=made.row_ids[0])])
        return file.id

    second = ledger.write(correct)
    after = ledger.read(answers.newest_change, first)
    assert after > before
    assert after == ledger.read(answers.newest_change, second)
    assert to_answer(ledger, every_s=0) == ([first, second] if is_answered else [second])
    assert to_answer(ledger) == [second]


def test_the_newest_change_moves_with_rows_and_invoices(ledger):
    made, lease = ledger.write(scenes.opened, 2)
    file_id = file_of(ledger, made)
    before = ledger.read(answers.newest_change, file_id)
    assert before is not None
    ledger.write(posting.begin_posting, lease, made.invoice_ids, seconds=60)
    after = ledger.read(answers.newest_change, file_id)
    assert after is not None
    assert after > before
    assert ledger.read(answers.newest_change, file_id + 1) is None
