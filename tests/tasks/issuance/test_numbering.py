"""Drafts become batches with the next numbers of a serie that is proved to be ours alone."""

import pytest

from connectors.ledger import invoices, numbers, parties
from domain.competence import add_months
from domain.invoice_numbers import SERVICE_NUMBERS
from domain.problems import FaturistaError
from domain.states import InvoiceState
from tasks.issuance.batch_planning import plan_drafts
from tasks.issuance.decide import start_serie
from tasks.stations.assemble import assemble_rows
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.tasks.rows import RIO, SAO_PAULO, line, lines, this_month
from tests.tasks.workshop import Workshop, fault


def test_one_batch_for_each_emitter_and_month_cut_at_the_size(each_shop: Workshop):
    shop = each_shop
    shop.set(PROTOCOL__BATCH_SIZE=3)
    last_month = add_months(this_month(), -1)
    asked = [
        *lines(4, emitter_cnpj=SAO_PAULO),
        *lines(4, first=5),
        *lines(2, first=9, competence=last_month),
    ]
    _, made = shop.assembled(*asked)
    seen = [
        (record.emitter_id, record.competence, record.count, [note.number for note in shop.notes(record.id)])
        for record in map(shop.batch, made)
    ]
    ids = {emitter.cnpj: emitter.id for emitter in shop.read(parties.emitters_all)}
    sao_paulo, rio = ids[SAO_PAULO], ids[RIO]
    assert sorted(seen) == sorted(
        [
            (sao_paulo, this_month(), 3, [1, 2, 3]),
            (sao_paulo, this_month(), 1, [4]),
            (rio, last_month, 2, [1, 2]),
            (rio, this_month(), 3, [3, 4, 5]),
            (rio, this_month(), 1, [6]),
        ]
    )
    assert [record.ordinal for record in map(shop.batch, made)] == [1, 2, 3, 4, 5]


def test_numbers_follow_the_rows_and_go_on_from_file_to_file(shop: Workshop):
    first, second = shop.planned(3), shop.assembled(*lines(2, first=11))[1][0]
    assert [note.number for note in shop.notes(first)] == [1, 2, 3]
    assert [note.number for note in shop.notes(second)] == [4, 5]
    rows = [note.row_id for note in shop.notes(first)]
    assert rows == sorted(rows)
    assert {note.state for note in shop.notes(first)} == {InvoiceState.RESERVED}


def test_a_planned_draft_is_not_planned_again(shop: Workshop):
    reading, made = shop.assembled(*lines(3))
    assert shop.run(plan_drafts, reading) == []
    assert [record.id for record in shop.batches()] == made


def test_an_emitter_may_have_a_serie_of_its_own(shop: Workshop):
    shop.set(SERIES__BY_EMITTER=f'{{"{RIO}": "Q"}}')
    _, made = shop.assembled(line(1), line(2, emitter_cnpj=SAO_PAULO))
    assert {note.serie for batch in made for note in shop.notes(batch)} == {"Q", "F"}


def test_a_serie_that_somebody_used_before_us_is_not_begun(each_shop: Workshop):
    shop = each_shop
    shop.post_as_somebody_else(number=41)
    reading = shop.reading(*lines(2))
    shop.run(resolve_rows, reading)
    with pytest.raises(FaturistaError) as raised:
        shop.run(assemble_rows, reading)
    problem = raised.value.problem
    assert (problem.code, problem.params["latest"], problem.params["start"]) == ("serie.in_use", 41, 42)
    assert problem.params["cnpj"] == RIO
    assert shop.batches() == []
    # A person confirms the number from which it is ours.
    with shop.context() as context:
        start_serie(context, emitter_cnpj=RIO, serie="F", start=42, person="Ana")
    (batch,) = shop.run(plan_drafts, reading)
    assert [note.number for note in shop.notes(batch)] == [42, 43]


def test_a_shared_serie_stops_the_next_plan(each_shop: Workshop):
    shop = each_shop
    shop.staged(2)
    shop.post_as_somebody_else(number=3)
    with pytest.raises(FaturistaError) as raised:
        shop.assembled(*lines(2, first=11))
    assert (raised.value.problem.code, raised.value.problem.params["latest"]) == ("serie.ahead", 3)
    assert len(shop.batches()) == 1


def test_a_last_note_that_is_not_ours_stops_the_next_plan(shop: Workshop):
    """It has the same number as our last one: the counter alone would not show it."""
    shop.staged(2)
    shop.act("delete", note_id=2)
    shop.post_as_somebody_else(number=2)
    with pytest.raises(FaturistaError) as raised:
        shop.assembled(*lines(2, first=11))
    assert raised.value.problem.code == "serie.foreign_note"


def test_a_last_note_that_awaits_its_answer_stops_nothing(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    (awaited,) = (note for note in shop.notes(batch) if note.state is InvoiceState.IN_DOUBT)
    shop.arrive(awaited)
    _, (planned,) = shop.assembled(*lines(2, first=11))
    assert [note.number for note in shop.notes(planned)] == [3, 4]


def test_numbers_end_before_they_are_given_out_in_part(shop: Workshop):
    shop.planned(1)
    with shop.context() as context:
        start_serie(context, emitter_cnpj=RIO, serie="F", start=SERVICE_NUMBERS.last_number - 1, person="Ana")
    with pytest.raises(FaturistaError) as raised:
        shop.assembled(*lines(3, first=11))
    assert raised.value.problem.code == "serie.exhausted"
    (emitter,) = shop.read(parties.emitters_all)
    serie = shop.read(numbers.serie_of, emitter.id, "F")
    assert serie is not None
    assert serie.next_number == SERVICE_NUMBERS.last_number - 1


def test_one_emitters_trouble_does_not_hold_up_another(shop: Workshop):
    """The first emitter's serie is somebody else's: the second one's notes are planned all the same."""
    shop.post_as_somebody_else(number=41)
    reading = shop.reading(line(1), line(2, emitter_cnpj=SAO_PAULO))
    shop.run(resolve_rows, reading)
    with pytest.raises(FaturistaError):
        shop.run(assemble_rows, reading)
    assert [shop.notes(record.id)[0].serie for record in shop.batches()] == ["F"]
    drafts = shop.read(invoices.drafts_of, reading)
    assert len(drafts) == 1
