"""Canaries: the first invoices of something new go alone, and the rest waits for their acceptance or a person."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from connectors.ledger import batches, incidents, invoices, leases, tables
from domain.problems import FaturistaError
from domain.states import BatchState
from tasks.issuance.batch_planning import plan_drafts_if_possible
from tasks.issuance.decide import decide_batch, start_serie
from tasks.issuance.discard import discard_batch
from tasks.issuance.numbering import UnusableSerie
from tasks.stations.assemble import assemble_rows
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.rows import RIO, lines
from tests.tasks.workshop import Workshop, fault, remarks


def approved(shop: Workshop, count: int = 4, *, first: int = 1, **changes: Any) -> list[int]:
    """Return the batches of a sheet, approved, in the order of their plan."""
    found = shop.assembled(*lines(count, first=first, **changes))[1]
    for batch in found:
        shop.run(stage_batch, batch)
    shop.approve()
    return found


def states(shop: Workshop, found: list[int]) -> list[str]:
    return [str(shop.batch(batch).state) for batch in found]


def release(shop: Workshop, batch: int) -> list[str]:
    """Release a batch that is due, and return its remarks."""
    shop.write(age, 7_200)
    return list(remarks(shop.run(release_batch, batch)))


@pytest.fixture
def wary(shop: Workshop) -> Workshop:
    """Return a shop that sends the first two notes of anything new first."""
    shop.set(PROTOCOL__CANARY_NOTES="2")
    return shop


@pytest.mark.both_databases
def test_the_rest_goes_once_the_canary_is_accepted(each_shop: Workshop):
    wary = each_shop
    wary.set(PROTOCOL__CANARY_NOTES="2")
    canary, rest = approved(wary)
    assert [wary.batch(each).count for each in (canary, rest)] == [2, 2]
    assert release(wary, rest) == ["canary.open"]
    assert states(wary, [canary, rest]) == ["approved", "held"]
    release(wary, canary)
    assert release(wary, rest) == ["canary.open"]
    wary.follow(canary)
    assert release(wary, rest) == []
    wary.follow(rest)
    assert (states(wary, [canary, rest]), wary.incidents()) == (["processed"] * 2, [])
    assert len(wary.there()) == 4
    assert len(approved(wary, first=10)) == 1


def test_a_rejected_canary_holds_the_rest_until_a_person_decides(wary: Workshop):
    canary, rest = approved(wary)
    wary.sandbox.switch(rejection_share=1.0)
    release(wary, canary)
    wary.follow(canary)
    wary.sandbox.switch(rejection_share=0.0)
    for _ in range(2):
        assert release(wary, rest) == ["canary.rejected"]
    assert (states(wary, [rest]), wary.incidents()) == (["held"], ["canary.rejected"])
    (incident,) = wary.read(incidents.incidents_open)
    (error, *_) = wary.notes(canary)[0].errors
    assert str(incident.params["message"]).startswith(f"{error['code']}: {error['description']}")
    with wary.context() as context:
        decide_batch(context, rest, "release", person="Ana", because="only that customer")
        with pytest.raises(FaturistaError, match=r"batch\.not_held"):
            decide_batch(context, rest, "release", person="Ana", because="again")
    assert wary.incidents() == []
    assert release(wary, rest) == []
    wary.follow(rest)
    assert states(wary, [rest]) == ["processed"]


def rejected(shop: Workshop) -> tuple[int, int]:
    """Return a canary with one accepted and one rejected invoice, and the rest."""
    canary, rest = approved(shop)
    shop.sandbox.switch(advance="looks")
    release(shop, canary)
    shop.sandbox.control("act", {"do": "reject", "code": "E987", "note_id": shop.notes(canary)[0].remote_id})
    shop.follow(canary)
    assert sorted(shop.states(canary)) == ["accepted", "rejected"]
    assert release(shop, rest) == ["canary.rejected"]
    return canary, rest


@pytest.mark.both_databases
def test_a_corrected_row_does_not_free_the_rest(each_shop: Workshop):
    wary = each_shop
    wary.set(PROTOCOL__CANARY_NOTES="2")
    _, rest = rejected(wary)
    (again,) = approved(wary, 1, own_key="corrected", description="Contrato corrigido")
    release(wary, again)
    wary.follow(again)
    assert states(wary, [again]) == ["processed"]
    assert release(wary, rest) == ["canary.rejected"]


def test_a_canary_sent_again_unchanged_frees_the_rest(each_shop: Workshop):
    wary = each_shop
    wary.set(PROTOCOL__CANARY_NOTES="2")
    canary, rest = rejected(wary)
    dead = [note.id for note in wary.notes(canary) if note.state == "rejected"]
    assert wary.write(invoices.redraft, dead, because="again")
    assert release(wary, rest) == ["canary.open"]
    wary.run(plan_drafts_if_possible, wary.batch(canary).reading_id)
    again = max(batch.id for batch in wary.batches())
    wary.run(stage_batch, again)
    wary.approve()
    assert release(wary, rest) == ["canary.open"]
    release(wary, again)
    wary.follow(again)
    assert release(wary, rest) == []


def test_a_canary_that_got_too_old_goes_under_new_numbers(each_shop: Workshop):
    wary = each_shop
    wary.set(PROTOCOL__CANARY_NOTES="2")
    canary, rest = approved(wary)
    wary.write(age_emission, 4)
    assert release(wary, canary) == ["date.emission_old"]
    assert release(wary, rest) == ["canary.open"]
    wary.run(discard_batch, canary)
    assert (release(wary, rest), wary.incidents()) == (["canary.open"], [])
    send_newest(wary)
    assert release(wary, rest) == ["date.emission_old"]
    wary.run(discard_batch, rest)
    send_newest(wary)
    assert [(note["number"], note["status"]) for note in wary.there()] == [(each, "accepted") for each in range(5, 9)]


def age_emission(conn: sa.Connection, days: int) -> None:
    table = tables.batches
    conn.execute(sa.update(table).values(emission_at=datetime.now(UTC) - timedelta(days)))


def send_newest(shop: Workshop) -> None:
    newest = shop.batches()[-1].id
    shop.run(stage_batch, newest)
    shop.approve()
    shop.run(release_batch, newest)
    shop.follow(newest)


def test_a_person_refuses_the_rest(wary: Workshop):
    canary, rest = approved(wary)
    release(wary, rest)
    with wary.context() as context:
        decide_batch(context, canary, "discard", person="Ana", because="wrong template")
    assert release(wary, rest) == ["canary.withdrawn"]
    (incident,) = wary.read(incidents.incidents_open)
    assert incident.params == {"batch": rest, "count": 2, "canary": canary, "reason": "Ana: wrong template"}
    with wary.context() as context:
        decide_batch(context, rest, "discard", person="Ana", because="wrong template")
    assert states(wary, [rest]) == ["discarding"]


def test_a_refused_canary_is_named_until_a_person_releases(wary: Workshop):
    canary, rest = wary.assembled(*lines(4))[1]
    wary.sandbox.faults(fault("notes.create", "status_422", count=2))
    for batch in (canary, rest):
        wary.run(stage_batch, batch)
    wary.approve()
    assert release(wary, rest) == ["canary.refused"]
    assert wary.read(incidents.incidents_open)[0].params == {"batch": rest, "count": 2, "canary": canary}
    wary.decide(rest, "release")
    assert (release(wary, rest), wary.incidents()) == ([], [])


def test_unplanned_drafts_wait_for_the_planned_canary(wary: Workshop):
    wary.post_as_somebody_else(number=7)
    reading = wary.reading(*lines(4))
    wary.run(resolve_rows, reading)
    with pytest.raises(UnusableSerie):
        wary.run(assemble_rows, reading)
    with wary.context() as context:
        start_serie(context, emitter_cnpj=RIO, serie="F", start=8, person="Ana")
    drafts = wary.read(invoices.drafts_of, reading)
    canary = wary.write(
        batches.plan_batch,
        reading_id=reading,
        emitter_id=drafts[0].emitter_id,
        competence=drafts[0].competence,
        ordinal=1,
        invoice_ids=[draft.id for draft in drafts[:2]],
        serie="F",
        role="canary",
    )
    wary.run(assemble_rows, reading)
    (rest,) = (each for each in wary.batches() if each.id != canary)
    assert (rest.count, rest.waits_for_canary, rest.is_canary) == (2, True, False)


def test_two_workers_send_the_rest_once(wary: Workshop):
    canary, rest = approved(wary)
    release(wary, canary)
    wary.follow(canary)
    lease = wary.write(leases.claim, rest, owner="other", seconds=60, states={BatchState.APPROVED})
    assert lease is not None
    assert remarks(wary.run(release_batch, rest)) == ["batch.held"]
    wary.write(leases.give_back, lease)
    release(wary, rest)
    release(wary, rest)
    assert wary.asked("batches.send") == 2


def test_without_the_setting_nothing_waits(shop: Workshop):
    assert len(approved(shop)) == 1
