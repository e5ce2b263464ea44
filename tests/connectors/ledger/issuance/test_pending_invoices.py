"""The small queries of posting and proving agree with the whole records."""

from connectors.ledger import invoices
from connectors.ledger.issuance import pending_invoices
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes


def test_invoices_to_post_are_in_order_of_number(ledger):
    scene, lease = ledger.write(scenes.opened)
    ledger.write(scenes.post_all, lease, scene.invoice_ids[:1])
    waiting = ledger.read(invoices.invoices_of, scene.batch_id, states={InvoiceState.RESERVED})
    assert len(waiting) == 3
    assert ledger.read(pending_invoices.posts_of, scene.batch_id) == [
        pending_invoices.PendingInvoice(each.id, each.serie, each.number, each.content, each.digest, each.amounts)
        for each in waiting
    ]


def test_answered_amounts_are_summed_and_digests_kept(ledger):
    scene, lease = ledger.write(scenes.opened)
    assert ledger.read(pending_invoices.created_invoices, scene.batch_id) == pending_invoices.Answered(0, ())
    ledger.write(scenes.post_all, lease, scene.invoice_ids[1:])
    created = ledger.read(invoices.invoices_of, scene.batch_id, states={InvoiceState.CREATED})
    sums = ledger.read(pending_invoices.created_invoices, scene.batch_id)
    assert sums.service_cents == sum(each.service_cents for each in created) > 0
    assert sorted(sums.digests) == sorted(each.answer_digest for each in created)
