"""Charges that a city could not take are sent again within limits; a charge has at most one living invoice."""

import json

from domain.states import InvoiceState
from tasks.stations.release import release_batch
from tasks.stations.retry import retriable, retry_reading
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.rows import line, lines
from tests.tasks.workshop import Workshop

ACCEPTED, REJECTED, RESERVED = InvoiceState.ACCEPTED, InvoiceState.REJECTED, InvoiceState.RESERVED
HOUR = 3_700.0


def rejected(shop: Workshop, batch: int, *codes: str) -> None:
    """Issue a planned batch; the city rejects its first notes for these reasons."""
    shop.sandbox.switch(advance="looks", advance_looks=1)
    shop.run(stage_batch, batch)
    shop.approve()
    shop.run(release_batch, batch)
    for note, code in zip(shop.notes(batch), codes, strict=False):
        shop.act("reject", note_id=note.remote_id, code=code)
    shop.follow(batch)
    shop.sandbox.switch(advance="at_once")


def waiting(shop: Workshop) -> int:
    """Return how many invoices would be sent again now."""
    with shop.context() as context:
        return sum(map(len, retriable(context).values()))


def test_an_invoice_not_taken_is_sent_again_after_an_hour(each_shop: Workshop):
    shop = each_shop
    reading, (batch,) = shop.assembled(*lines(3))
    rejected(shop, batch, "500", "E30")
    assert shop.states(batch) == [REJECTED, REJECTED, ACCEPTED]
    assert waiting(shop) == 0
    shop.write(age, HOUR)
    assert waiting(shop) == 1
    assert dict(shop.run(retry_reading, reading).counts) == {"drafted": 1}
    assert dict(shop.run(retry_reading, reading).counts) == {"drafted": 0}
    again = shop.batches()[-1].id
    (note,) = shop.notes(again)
    assert (note.state, note.follows_id, note.number) == (RESERVED, shop.notes(batch)[0].id, 4)
    assert shop.batch(again).state == "planned"
    rejected(shop, again)
    assert shop.states(again) == [ACCEPTED]
    assert len({each["number"] for each in shop.there()}) == 4


def test_retries_end_after_the_allowed_tries(shop: Workshop):
    shop.set(RETRY__TRIES=2)
    reading, (batch,) = shop.assembled(line(1))
    for _ in range(3):
        rejected(shop, batch, "500")
        shop.write(age, HOUR)
        before = batch
        shop.run(retry_reading, reading)
        batch = shop.batches()[-1].id
    assert before == batch
    assert len(shop.there()) == 3
    assert waiting(shop) == 0


def test_a_row_that_came_back_corrected_does_not_go_again(shop: Workshop):
    _, (batch,) = shop.assembled(line(1))
    rejected(shop, batch, "500")
    shop.write(age, HOUR)
    assert waiting(shop) == 1
    # A person dropped it again and asked for another try.
    reading, (again,) = shop.assembled(line(1, retry=True))
    assert shop.problems(reading) == {}
    assert waiting(shop) == 0
    rejected(shop, again, "E30")
    assert waiting(shop) == 0


def test_one_word_of_a_person_sends_an_unchanged_row_again(each_shop: Workshop):
    shop = each_shop
    reading, (batch,) = shop.assembled(line(1), line(2))
    rejected(shop, batch, "E30", "E30")
    reading, batches = shop.assembled(line(1, retry=True), line(2))
    assert shop.problems(reading) == {6: ["row.rejected_unchanged"]}
    (again,) = batches
    shop.run(stage_batch, again)
    assert len(shop.notes(again)) == 1
    second, none = shop.assembled(line(1, retry=True))
    assert (shop.problems(second), none) == ({5: ["row.living"]}, [])


def test_the_customer_gets_the_invoice_of_a_second_try_as_well(shop: Workshop):
    reading, (batch,) = shop.assembled(line(1, send_to_taker=True))
    rejected(shop, batch, "500")
    shop.write(age, HOUR)
    shop.run(retry_reading, reading)
    (note,) = shop.notes(shop.batches()[-1].id)
    assert json.loads(note.content)["send_to_taker"] is True


def test_nothing_goes_again_where_the_profile_wants_none(shop: Workshop):
    _, (batch,) = shop.assembled(line(1))
    rejected(shop, batch, "500")
    shop.write(age, HOUR)
    shop.set(RETRY__TRIES=0)
    assert waiting(shop) == 0
    shop.set(RETRY__TRIES=2, RETRY__WITHIN_S=60)
    assert waiting(shop) == 0
