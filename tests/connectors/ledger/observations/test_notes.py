"""What a look at product invoices stores."""

from connectors.ledger import batches, incidents, invoices
from connectors.ledger.observations import notes
from connectors.ledger.observations.notes import NoteView
from domain.states import InvoiceState
from tests.connectors.ledger import products
from tests.connectors.ledger import scene as scenes

KEY = "35261199000003000195550070000000011000000019"


def test_a_product_invoice_has_its_number_and_access_key(ledger):
    made, lease = ledger.write(products.sending, 3)
    a, b, c = made.invoice_ids
    ledger.write(products.post, lease, "issued", "issued", "issued", ids=made.invoice_ids)
    ledger.write(batches.mark_sent, lease, counters={})
    views = [
        NoteView(invoice_id=a, state=InvoiceState.ACCEPTED, nfse_number="1", nfse_key=KEY),
        NoteView(invoice_id=b, state=InvoiceState.REJECTED, errors=[{"message": "Rejeição 539"}]),
        NoteView(invoice_id=c, state=InvoiceState.PROCESSING),
    ]
    assert ledger.write(notes.observe_notes, made.batch_id, views) == [a, b]
    accepted, rejected, _ = ledger.read(invoices.invoices_by_ids, made.invoice_ids)
    assert (accepted.nfse_number, accepted.nfse_key) == ("1", KEY)
    assert rejected.errors == [{"message": "Rejeição 539"}]
    assert ledger.read(invoices.find_invoices, nfse_number="1") == [accepted]
    assert ledger.read(invoices.accepted_cents) == products.CENTS
    assert ledger.read(incidents.incidents_open) == []
    scenes.assert_journal_tells_states(ledger)


def test_somebody_who_cancels_in_the_web_page_is_an_incident(ledger):
    made, lease = ledger.write(products.sending, 1)
    ledger.write(products.post, lease, "issued", ids=made.invoice_ids)
    view = NoteView(invoice_id=made.invoice_ids[0], state=InvoiceState.CANCELLED)
    assert ledger.write(notes.observe_notes, made.batch_id, [view]) == made.invoice_ids
    [incident] = ledger.read(incidents.incidents_open, made.batch_id)
    assert incident.code == "state.not_commanded"
