"""What emitters billed in a month: their living invoices, by taker and template."""

from datetime import date

from connectors.ledger import invoices
from connectors.ledger.observations.months import billed_in
from tests.connectors.ledger import products
from tests.connectors.ledger import scene as scenes


def test_living_invoices_of_these_emitters_and_months_are_found(ledger):
    made = ledger.write(scenes.furnish, 4)
    found = ledger.read(billed_in, {made.emitter_id}, {scenes.MONTH})
    assert [(each.emitter_name, each.taker_name, each.template) for each in found] == [
        ("Marés", f"T{n}", "Consultoria") for n in (0, 1, 2, 0)
    ]
    assert {each.competence for each in found} == {scenes.MONTH}
    assert ledger.read(billed_in, {made.emitter_id}, {date(2026, 10, 1)}) == []
    assert ledger.read(billed_in, {made.emitter_id + 1}, {scenes.MONTH}) == []
    assert len(ledger.read(billed_in, {made.emitter_id}, {scenes.MONTH}, leaving_out=made.invoice_ids[:3])) == 1


def test_a_product_invoice_names_no_taker(ledger):
    made, _ = ledger.write(products.sending, 1)
    emitters = {note.emitter_id for note in ledger.read(invoices.invoices_by_ids, made.invoice_ids)}
    (found,) = ledger.read(billed_in, emitters, {scenes.MONTH})
    assert (found.kind, found.taker_document, found.template) == ("nfe", None, None)
