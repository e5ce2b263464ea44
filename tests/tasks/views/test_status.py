"""The overview: counts and sums as the ledger has them, of all or of one reading."""

from domain.left_rows import LeftRows
from domain.states import InvoiceState, RowState
from tasks.stations.assemble import assemble_rows
from tasks.stations.resolve import resolve_rows
from tasks.views.left_rows import left_rows, skipped_rows
from tasks.views.status import Overview, overview
from tests.tasks.rows import SAO_PAULO, line, lines
from tests.tasks.workshop import Workshop


def seen(shop: Workshop, reading: int | None = None) -> Overview:
    with shop.context() as context:
        return overview(context, reading)


def test_an_empty_ledger_shows_nothing(shop: Workshop):
    empty = seen(shop)
    assert (empty.batches, empty.incidents, empty.rows, empty.notes, empty.accepted_cents) == ([], [], {}, {}, 0)
    assert empty.requests_per_invoice is None


def test_issued_invoices_are_counted_and_summed(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(3)
    shop.assembled(line(9, emitter_cnpj=SAO_PAULO))
    everything = seen(shop)
    assert everything.notes == {InvoiceState.ACCEPTED: 3, InvoiceState.RESERVED: 1}
    assert everything.accepted_cents == 30_006
    assert [(view.emitter_name, view.notes) for view in everything.batches] == [
        ("Marés Consultoria Ltda", {InvoiceState.ACCEPTED: 3}),
        ("Aurora Serviços Digitais S.A.", {InvoiceState.RESERVED: 1}),
    ]
    assert everything.batches[0].batch == shop.batch(batch)
    total = sum(shop.record()["requests_by_operation"].values())
    assert everything.requests == total
    assert everything.requests_per_invoice == total / 3


def test_one_reading_shows_its_own(each_shop: Workshop):
    shop = each_shop
    shop.processed(2)
    reading, (batch,) = shop.assembled(line(7), line(8), line(1), line(9, template_name="Errado"))
    own = seen(shop, reading)
    assert [view.batch.id for view in own.batches] == [batch]
    assert own.rows == {RowState.ASSEMBLED: 2, RowState.REFUSED: 2}
    assert (own.notes, own.accepted_cents) == ({InvoiceState.RESERVED: 2}, 0)
    assert seen(shop, 1).notes == {InvoiceState.ACCEPTED: 2}
    assert seen(shop, 1).requests_per_invoice is None


def test_incidents_are_shown_until_somebody_decides(shop: Workshop):
    batch = shop.staged(1)
    shop.disturb(batch)
    assert [incident.code for incident in seen(shop).incidents] == ["batch.foreign_note"]
    shop.decide(batch, "open")
    assert seen(shop).incidents == []


def test_rows_left_out_because_they_have_an_invoice_are_counted(shop: Workshop):
    file = shop.file(77)
    first = shop.reading(*lines(3), file_id=file)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, first)
    second = shop.reading(line(9), file_id=file, first_row=9)
    with shop.context() as context:
        assert skipped_rows(context, first) == 0
        assert skipped_rows(context, second) == 3


def test_rows_are_counted_apart_by_what_they_wait_for(shop: Workshop):
    shop.processed(2)
    unusual = line(12, iss_bp=700)
    reading, _ = shop.assembled(*lines(2), line(7), line(7), line(9, template_name="Errado"), unusual)
    with shop.context() as context:
        assert left_rows(context, reading) == LeftRows(held=1, refused=2, repeated=2)
