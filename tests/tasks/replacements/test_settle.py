"""Replacing issued invoices: the old one ends only as the issuer shows it, and a row never bills twice unseen."""

from typing import Any

import pytest

from connectors.ledger import incidents, leases
from domain.services.lines import ServiceLine
from domain.states import BatchState, InvoiceState
from tasks.cancellations.cancel import cancel_batch
from tasks.cancellations.requests import candidates
from tasks.replacements.settle import settle_replaced
from tasks.stations.reconcile import recheck_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tasks.views.due_work import due_batches
from tests.ageing import age
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.rows import SAO_PAULO, line
from tests.tasks.workshop import QUIET_S, Workshop, fault, remarks

ACCEPTED, CANCELLED, REPLACED = InvoiceState.ACCEPTED, InvoiceState.CANCELLED, InvoiceState.REPLACED


def replaced_line(number: int = 1, place: str = "F-1", **changes: Any) -> ServiceLine:
    return line(number, replaces=place, replaces_because="valor errado", description="Contrato corrigido", **changes)


def replacement(shop: Workshop, number: int = 1, place: str = "F-1", **changes: Any) -> int:
    """Plan the replacement of an issued invoice."""
    (batch,) = shop.assembled(replaced_line(number, place, **changes))[1]
    return batch


def issue(shop: Workshop, batch: int) -> None:
    shop.run(stage_batch, batch)
    shop.approve()
    shop.run(release_batch, batch)
    shop.follow(batch)


def due(shop: Workshop) -> list[int]:
    with shop.context() as context:
        return due_batches(context, "replace")


def refusal(shop: Workshop, **changes: Any) -> list[str]:
    """Return why this replacement is refused."""
    reading, batches = shop.assembled(replaced_line(**changes))
    assert batches == []
    (problems,) = shop.problems(reading).values()
    return problems


@pytest.mark.both_databases
def test_the_issuers_state_decides_a_replacement(each_shop: Workshop):
    shop = each_shop
    old = shop.processed(2)
    new = replacement(shop, service_cents=9_000)
    issue(shop, new)
    assert (shop.states(new), shop.states(old)) == ([ACCEPTED], [ACCEPTED, ACCEPTED])
    assert due(shop) == [old]
    assert shop.run(settle_replaced, old).ending == "done"
    assert shop.states(old) == [REPLACED, ACCEPTED]
    assert (due(shop), shop.incidents()) == ([], [])
    shop.run(recheck_batch, old)
    assert (shop.states(old), shop.incidents()) == ([REPLACED, ACCEPTED], [])


@pytest.mark.parametrize("kind", ["altered", "status_500"])
def test_an_unreadable_invoice_keeps_no_replacement_waiting(each_shop: Workshop, kind: str):
    shop = each_shop
    old = shop.processed(2)
    for number in (1, 2):
        issue(shop, replacement(shop, number, f"F-{number}", service_cents=9_000 + number))
    shop.sandbox.faults(fault("notes.read", kind, fields={"status": None}))
    result = shop.run(settle_replaced, old)
    assert (result.ending, len(remarks(result))) == ("waiting", 1)
    assert shop.states(old) == [ACCEPTED, REPLACED]
    assert shop.run(settle_replaced, old).ending == "done"
    assert shop.states(old) == [REPLACED, REPLACED]


def test_a_replaced_invoice_cannot_be_cancelled(shop: Workshop):
    old = shop.processed(1)
    issue(shop, replacement(shop))
    shop.run(settle_replaced, old)
    with shop.context() as context:
        (problem,) = (each.problem for each in candidates(context, shop.notes(old)))
    assert problem is not None
    assert (problem.code, problem.params["state"]) == ("cancel.not_issued", "replaced")


def test_a_replaced_row_is_never_billed_again(shop: Workshop):
    old = shop.processed(1)
    issue(shop, replacement(shop))
    shop.run(settle_replaced, old)
    for again in (line(1), replaced_line()):
        reading, batches = shop.assembled(again)
        assert batches == []
        assert len(shop.problems(reading)) == 1


def test_a_cancelled_successor_frees_the_row(shop: Workshop):
    old = shop.processed(1)
    new = replacement(shop)
    issue(shop, new)
    shop.run(settle_replaced, old)
    request_cancellation(shop, new)
    for _ in range(2):
        shop.run(cancel_batch, new)
    assert (shop.states(new), shop.states(old), shop.incidents()) == ([CANCELLED], [CANCELLED], [])
    assert len(shop.assembled(line(1))[1]) == 1


def test_a_lost_answer_is_looked_up_and_posted_once(shop: Workshop):
    shop.processed(1)
    new = replacement(shop)
    shop.sandbox.faults(fault("notes.create", "lose_answer"))
    shop.run(stage_batch, new)
    for _ in range(3):
        shop.run_quiet(stage_batch, new)
    assert shop.batch(new).state == "staged", shop.incidents()
    assert len(shop.there()) == 2


def test_a_dead_workers_batch_is_due_after_its_quiet_time(each_shop: Workshop):
    shop = each_shop
    old = shop.processed(1)
    issue(shop, replacement(shop))
    assert shop.write(leases.claim, old, owner="dead", seconds=60, states={BatchState.PROCESSED})
    shop.write(age, 61)
    assert due(shop) == [old]
    assert remarks(shop.run(settle_replaced, old)) == ["batch.quiet"]
    assert due(shop) == []
    shop.write(age, QUIET_S + 60)
    assert due(shop) == [old]
    assert shop.run(settle_replaced, old).ending == "done"


def test_a_clock_put_back_hides_no_replaced_invoice(each_shop: Workshop):
    shop = each_shop
    old = shop.processed(1)
    issue(shop, replacement(shop))
    assert shop.write(leases.claim, old, owner="dead", seconds=60, states={BatchState.PROCESSED})
    assert due(shop) == []
    shop.write(age, -3 * 86_400)
    assert due(shop) == [old]


def two_living(shop: Workshop) -> tuple[int, int]:
    """Replace an invoice that the issuer keeps as issued. Return the batches of both."""
    old = shop.processed(1)
    shop.sandbox.switch(replacement="keep")
    shop.set(PROTOCOL__COUNTER_PATIENCE_S=0)
    new = replacement(shop)
    issue(shop, new)
    for _ in range(2):
        shop.run(settle_replaced, old)
    (incident,) = shop.read(incidents.incidents_open)
    assert (incident.code, incident.invoice_id) == ("replace.two_living", shop.notes(old)[0].id)
    assert (shop.states(old), due(shop)) == ([ACCEPTED], [])
    return old, new


def cancel(shop: Workshop, batch: int) -> None:
    request_cancellation(shop, batch)
    for _ in range(2):
        shop.run(cancel_batch, batch)


def test_two_living_invoices_are_an_incident_until_one_ends(shop: Workshop):
    old, _ = two_living(shop)
    cancel(shop, old)
    assert (shop.states(old), shop.incidents()) == ([REPLACED], [])


@pytest.mark.both_databases
def test_an_invoice_that_is_not_shown_is_not_called_issued(shop: Workshop):
    old = shop.processed(1)
    shop.set(PROTOCOL__COUNTER_PATIENCE_S=0)
    issue(shop, replacement(shop))
    ours = shop.notes(old)[0].remote_id
    shop.sandbox.control(
        "content", {"notes": [row for row in shop.sandbox.control("content")["notes"] if row[0] != ours]}
    )
    shop.run(settle_replaced, old)
    assert (shop.incidents(), due(shop)) == (["replace.not_shown"], [])
    shop.decide(old, "seen")
    assert shop.incidents() == []


def test_each_successor_that_leaves_two_living_is_an_incident(each_shop: Workshop):
    shop = each_shop
    old, new = two_living(shop)
    cancel(shop, new)
    assert (shop.states(old), shop.incidents()) == ([ACCEPTED], [])
    issue(shop, replacement(shop, service_cents=9_000))
    assert due(shop) == [old]
    shop.run(settle_replaced, old)
    assert (shop.incidents(), due(shop)) == (["replace.two_living"], [])


def test_a_replaced_invoice_that_was_not_shown_is_no_incident(shop: Workshop):
    old = shop.processed(1)
    shop.set(PROTOCOL__COUNTER_PATIENCE_S=0)
    issue(shop, replacement(shop))
    shop.sandbox.faults(fault("notes.read", "truncated"))
    shop.run_quiet(settle_replaced, old)
    assert shop.incidents() == []
    # the failed look put the batch off for some milliseconds
    shop.run_quiet(settle_replaced, old)
    assert (shop.states(old), due(shop)) == ([REPLACED], [])


def test_an_ignored_replacement_reference_stops_the_batch(shop: Workshop):
    shop.processed(1)
    shop.sandbox.switch(replacement="ignore")
    new = replacement(shop)
    shop.run(stage_batch, new)
    assert shop.batch(new).state == "disturbed"
    assert [note["status"] for note in shop.there()] == ["accepted", "created"]


@pytest.mark.parametrize(
    ("place", "changes", "code"),
    [
        ("F-99", {}, "replace.unknown"),
        ("F-1", {"emitter_cnpj": SAO_PAULO}, "replace.other_emitter"),
    ],
)
def test_another_emitters_number_is_refused(shop: Workshop, place: str, changes: dict[str, str], code: str):
    shop.processed(1)
    assert refusal(shop, place=place, **changes) == [code]


def test_only_an_accepted_invoice_is_replaced(shop: Workshop):
    waits = shop.staged(1)
    assert refusal(shop) == ["replace.not_issued"]
    shop.approve()
    shop.run(release_batch, waits)
    shop.follow(waits)
    request_cancellation(shop, waits)
    assert refusal(shop) == ["replace.being_cancelled"]
    for _ in range(2):
        shop.run(cancel_batch, waits)
    assert refusal(shop) == ["replace.not_issued"]


def test_an_invoice_under_replacement_is_not_cancelled(shop: Workshop):
    old = shop.processed(1)
    replacement(shop)
    with shop.context() as context:
        (judged,) = candidates(context, shop.notes(old))
    assert judged.problem is not None
    assert judged.problem.code == "cancel.being_replaced"


def test_a_replacement_of_a_cancelled_invoice_is_not_sent(shop: Workshop):
    old = shop.processed(1)
    new = replacement(shop)
    shop.run(stage_batch, new)
    shop.approve()
    shop.act("cancel", note_id=shop.notes(old)[0].remote_id)
    shop.run(recheck_batch, old)
    shop.run(release_batch, new)
    assert shop.batch(new).state == "disturbed"
    assert "replace.not_issued" in shop.incidents()


def test_a_replacement_chain_keeps_one_living_invoice(shop: Workshop):
    old = shop.processed(1)
    new = replacement(shop)
    issue(shop, new)
    shop.run(settle_replaced, old)
    newest = replacement(shop, place="F-2")
    issue(shop, newest)
    shop.run(settle_replaced, new)
    assert [shop.states(each) for each in (old, new, newest)] == [[REPLACED], [REPLACED], [ACCEPTED]]
    assert refusal(shop) == ["replace.done_before"]
