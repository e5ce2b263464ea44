"""Two queries give staging all it needs of a batch: before it begins, and the states of its notes."""

import json

import sqlalchemy as sa

from connectors.ledger import batches, incidents
from connectors.ledger.backup import quarantine, restorations
from connectors.ledger.issuance import posting, staging_queries
from connectors.ledger.observations.doubts import SUSPENDING
from domain.issuing import EmitterRef
from domain.problems import Problem
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.backup.test_quarantine import wait


def facts_of_batch(ledger, batch_id):
    return ledger.read(staging_queries.facts_of, ledger.read(batches.batch_of, batch_id))


def test_a_new_batch_has_its_names_and_no_obstacle(ledger):
    scene = ledger.write(scenes.furnish, sha256="b" * 64)
    assert facts_of_batch(ledger, scene.batch_id) == staging_queries.BatchFacts(
        problem=None, held=None, file_sha256="b" * 64, emitter=EmitterRef(11, "99000001000101")
    )


def test_a_batchs_incident_also_holds_back_every_other_batch(ledger):
    scene, _ = ledger.write(scenes.opened)
    other = ledger.write(scenes.furnish, sha256="c" * 64)
    incident = Problem(SUSPENDING, params={"number": 1, "field": "batch_id"})
    ledger.write(incidents.open_incident, code=incident.code, params=incident.params, batch_id=scene.batch_id)
    own, others = facts_of_batch(ledger, scene.batch_id), facts_of_batch(ledger, other.batch_id)
    assert (own.problem, own.held) == (incident, None)
    assert others.problem is None
    assert (others.held.why, others.held.batch_id) == ("decision", scene.batch_id)


def test_how_the_notes_stand_while_they_are_posted(ledger):
    scene, lease = ledger.write(scenes.opened)
    first, *others = scene.invoice_ids
    before = ledger.read(staging_queries.notes_of, scene.batch_id)
    assert (before.counts, before.is_suspect) == ({InvoiceState.RESERVED: 4}, False)
    assert [(post.id, post.number, json.loads(post.content)) for post in before.waiting] == [
        (each, number, {"row": row})
        for number, (each, row) in enumerate(zip(scene.invoice_ids, scene.row_ids, strict=True), start=1)
    ]
    begun = ledger.write(posting.begin_posting, lease, [first], seconds=60)
    halfway = ledger.read(staging_queries.notes_of, scene.batch_id)
    assert halfway.counts == {InvoiceState.RESERVED: 3, InvoiceState.POSTING: 1}
    assert [post.id for post in halfway.waiting] == others
    ledger.write(posting.end_posting, begun.lease, [scenes.answer(first, begun.attempts[first])])
    ledger.write(scenes.post_all, begun.lease, others)
    assert ledger.read(staging_queries.notes_of, scene.batch_id) == staging_queries.BatchNotes(
        {InvoiceState.CREATED: 4}, (), is_suspect=False
    )


def test_a_restored_ledgers_notes_are_suspect_until_a_decision(ledger):
    scene = ledger.write(scenes.furnish)

    def restore(conn: sa.Connection) -> None:
        wait(conn)
        lost: dict[str, str | int] = {restorations.CHARGE: "a key", "serie": "F", "number": 3}
        quarantine.store_findings(conn, [Problem("restore.note_unknown", params=lost)])
        quarantine.free(conn, by="Ana", because="looked at each")

    def decide(conn: sa.Connection) -> None:
        incidents.open_incident(conn, code=restorations.BILLED, params={"batch": 1}, batch_id=scene.batch_id)
        incidents.close_incidents(conn, by="Ana", batch_id=scene.batch_id)

    ledger.write(restore)
    assert ledger.read(staging_queries.notes_of, scene.batch_id).is_suspect
    ledger.write(decide)
    assert not ledger.read(staging_queries.notes_of, scene.batch_id).is_suspect
