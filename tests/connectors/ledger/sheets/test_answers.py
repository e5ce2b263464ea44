"""Files whose answers may be out of date, and the last change of anything about a file."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.batch_observations import observe_batch
from connectors.ledger.issuance import posting
from connectors.ledger.sheets import answers
from domain.states import BatchState
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.test_batches import send

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def file_of(ledger, made: scenes.Scene) -> int:
    query = sa.select(tables.readings.c.file_id).where(tables.readings.c.id == made.reading_id)
    return int(ledger.read(lambda conn: conn.execute(query).scalar_one()))


def test_a_file_is_under_way_until_its_last_batch_closed(ledger):
    made, lease = ledger.write(scenes.staged)
    file_id = file_of(ledger, made)
    assert ledger.read(answers.files_under_way, operator="clerk", since=LONG_AGO) == [file_id]
    assert ledger.read(answers.files_under_way, operator="somebody", since=LONG_AGO) == []
    ledger.write(send, made.batch_id, lease)
    ledger.write(observe_batch, made.batch_id, becomes=BatchState.PROCESSED, counters={}, look_s=None)
    now = datetime.now(UTC)
    assert ledger.read(answers.files_under_way, operator="clerk", since=now - timedelta(hours=1)) == [file_id]
    assert ledger.read(answers.files_under_way, operator="clerk", since=now + timedelta(hours=1)) == []


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
