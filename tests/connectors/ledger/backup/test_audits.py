"""The ledger's own state of each number."""

from connectors.ledger import batches, invoices, leases, withdrawals
from connectors.ledger.backup.audits import numbers_of, series_of
from connectors.ledger.issuance import posting
from domain.number_audit import Explanation
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes


def test_every_number_has_an_explanation(ledger):
    def work(conn):
        scene, lease = scenes.opened(conn, 5)
        begun = posting.begin_posting(conn, lease, scene.invoice_ids, seconds=60)
        outcomes = ["created", "refused", "in_doubt", "created", "created"]
        posting.end_posting(
            conn,
            begun.lease,
            [
                scenes.answer(each, begun.attempts[each], outcome=outcome)
                for each, outcome in zip(scene.invoice_ids, outcomes, strict=True)
            ],
        )
        return scene

    scene = ledger.write(work)
    (serie,) = ledger.read(series_of, scene.emitter_id)
    assert (serie.serie, serie.next_number) == ("F", 6)
    lines = ledger.read(numbers_of, scene.emitter_id, "F")
    assert [each.number for each in lines] == [1, 2, 3, 4, 5]
    assert [each.explanation for each in lines] == ["living", "retired", "unknown", "living", "living"]
    assert lines[1].because == "refused: refused by the provider"
    assert ledger.read(numbers_of, scene.emitter_id, "G") == []


def test_a_number_whose_charge_was_billed_again_is_replaced(ledger):
    def work(conn):
        scene, lease = scenes.staged(conn, 2)
        withdrawals.give_up(conn, lease, because="too old", renews=True)
        for each in scene.invoice_ids:
            scenes_delete(conn, lease, each)
        drafts = withdrawals.close_discarded(conn, lease)
        leases.give_back(conn, lease)
        batches.plan_batch(
            conn, reading_id=scene.reading_id, emitter_id=scene.emitter_id, competence=scenes.MONTH, ordinal=2,
            invoice_ids=drafts[:1], serie="F",
        )  # fmt: skip
        return scene

    def scenes_delete(conn, lease, invoice_id):
        leases.move_under(
            conn, lease, [invoice_id], was=InvoiceState.CREATED, becomes=InvoiceState.DELETED, because="taken back"
        )

    scene = ledger.write(work)
    lines = ledger.read(numbers_of, scene.emitter_id, "F")
    assert [(each.number, each.explanation, each.replaced_by) for each in lines] == [
        (1, Explanation.REPLACED, "F-3"),
        (2, Explanation.REPLACED, ""),
        (3, Explanation.LIVING, ""),
    ]
    assert len(ledger.read(invoices.invoices_by_ids, [each.invoice_id for each in lines])) == 3
