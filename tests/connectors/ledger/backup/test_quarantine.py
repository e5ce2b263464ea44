"""A restored ledger waits until it is freed, once; a batch that was opened after the copy is adopted as it is."""

import uuid

import pytest
import sqlalchemy as sa

from connectors.ledger import batches, invoices, leases, tables
from connectors.ledger.backup import quarantine, restorations
from connectors.ledger.backup.verify import verify
from connectors.ledger.database.sql import clock
from domain.problems import FaturistaError, Problem
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes


def wait(conn):
    line = {"sha256": uuid.uuid4().hex, "taken_at": clock(conn), "restored_at": clock(conn), "restored_by": "Ana"}
    conn.execute(sa.insert(tables.restorations).values(**line, findings=[]))


def test_an_ordinary_ledger_does_not_wait(ledger):
    assert ledger.read(restorations.quarantine_of) is None
    assert not ledger.write(quarantine.free, by="Ana", because="x")


def test_unexplained_findings_stay_until_the_ledger_is_freed(ledger):
    ledger.write(wait)
    finding = Problem("restore.note_unknown", params={"note": 7})
    ledger.write(quarantine.store_findings, [finding])
    waiting = ledger.read(restorations.quarantine_of)
    assert waiting is not None
    assert waiting.findings == (finding,)
    assert waiting.checked_at is not None
    assert ledger.write(quarantine.free, by="Ana", because="looked at each")
    assert ledger.read(restorations.quarantine_of) is None
    (freed,) = ledger.read(restorations.restorations)
    assert (freed.freed_by, freed.freed_because) == ("Ana", "looked at each")


def test_a_ledger_is_freed_once(ledger):
    ledger.write(wait)
    ledger.write(quarantine.free, by="Ana", because="x")
    with pytest.raises(sa.exc.DBAPIError, match="freed once"):
        ledger.write(lambda conn: conn.execute(sa.update(tables.restorations).values(freed_by="Bea")))


@pytest.mark.parametrize("was", ["planned", "opening"])
def test_a_batch_opened_after_the_copy_is_adopted_with_doubts(ledger, was):
    scene = ledger.write(scenes.furnish)
    if was == "opening":
        lease = ledger.write(scenes.claimed, scene.batch_id)
        ledger.write(batches.name_opening, lease, "the name before")
        ledger.write(leases.give_back, lease)
    ledger.write(wait)
    found = {"batch": scene.batch_id, "name": "2026-11 abc 1 r1 nonce", "remote": 500}
    ledger.write(quarantine.store_findings, [Problem(quarantine.FOUND, params=found)])
    assert ledger.write(quarantine.free, by="Ana", because="x")
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.state, batch.remote_id, batch.must_list, batch.lease_owner) == ("open", 500, True, None)
    notes = ledger.read(invoices.invoices_of, scene.batch_id)
    assert {(note.state, note.doubts) for note in notes} == {(InvoiceState.IN_DOUBT, 1)}
    assert ledger.read(verify).is_sound


def test_a_batch_that_somebody_holds_is_left_to_them(ledger):
    scene = ledger.write(scenes.furnish)
    ledger.write(scenes.claimed, scene.batch_id)
    with pytest.raises(FaturistaError):
        ledger.write(quarantine.adopt_batch, scene.batch_id, name="n", remote_id=500)
