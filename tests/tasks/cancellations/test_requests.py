"""Which invoices can be cancelled, until when, and who must approve."""

from datetime import timedelta

import pytest

from connectors.ledger import cancellations
from connectors.ledger.invoices import InvoiceRecord
from domain.problems import FaturistaError
from domain.staff import Actor, Permission, Role
from tasks.cancellations.cancel import cancel_batch
from tasks.cancellations.requests import (
    approve,
    candidates,
    find_invoice,
    reason_problem,
    request,
    waiting_cancellations,
    withdraw,
)
from tests.tasks.cancellations.requested import REASON, outcomes, request_cancellation
from tests.tasks.services.test_replaced import numbered
from tests.tasks.staff.people import ANA, OLGA, acts, person
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop


def codes(shop: Workshop, batch: int) -> list[str | None]:
    """Return the reason why each invoice of a batch cannot be cancelled."""
    with shop.context() as context:
        found = [each.problem for each in candidates(context, shop.notes(batch))]
        return [None if problem is None else problem.code for problem in found]


def test_only_what_is_issued_and_not_asked_for_can_be_cancelled(shop: Workshop):
    waits, batch = shop.staged(1), shop.processed(3)
    assert codes(shop, waits) == ["cancel.not_sent"]
    request_cancellation(shop, batch, [0])
    for _ in range(2):
        shop.run(cancel_batch, batch)
    request_cancellation(shop, batch, [1])
    assert codes(shop, batch) == ["cancel.not_issued", "cancel.asked_before"]


def test_the_window_of_a_product_invoice_is_shown_and_ends(store: Store):
    batch = store.processed(1)
    with store.context() as context:
        (one,) = candidates(context, store.notes(batch))
        assert one.until is not None
        assert timedelta(hours=23) < one.until - context.clock() <= timedelta(hours=24)
        assert one.problem is None
    with store.context(ahead=timedelta(hours=25)) as context:
        (late,) = candidates(context, store.notes(batch))
        assert late.problem is not None
        assert late.problem.code == "cancel.too_late"


def test_without_the_extensions_nothing_is_cancelled_from_here(store: Store):
    batch = store.processed(1)
    store.without_extensions()
    assert codes(store, batch) == ["cancel.cannot"]


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("curto", "cancel.reason_length"),
        ("x" * 256, "cancel.reason_length"),
        ("cliente desistiu 中文 mesmo", "cancel.reason_letters"),
    ],
)
def test_a_reason_that_the_tax_authority_does_not_take(store: Store, reason: str, code: str):
    batch = store.processed(1)
    with store.context() as context:
        problem = reason_problem(context, reason, store.notes(batch))
        assert problem is not None
        assert problem.code == code
        with pytest.raises(FaturistaError, match=code):
            request(context, [(note, reason) for note in store.notes(batch)], actor=Actor("Ana"))


def test_with_four_eyes_another_person_agrees_first(shop: Workshop):
    shop.set(APPROVAL__FOUR_EYES="true")
    batch = shop.processed(2)
    first, second = request_cancellation(shop, batch, [0, 1])
    assert first.approved_at is None
    assert shop.run(cancel_batch, batch).ending == "done"
    assert shop.asked("notes.cancel") == 0
    with shop.context() as context:
        with pytest.raises(FaturistaError, match=r"cancel\.same_person"):
            approve(context, waiting_cancellations(context), actor=Actor("ANA"))
        assert approve(context, waiting_cancellations(context, [first.id]), actor=Actor("Bia")) == [batch]
        with pytest.raises(FaturistaError, match=r"cancel\.not_waiting"):
            waiting_cancellations(context, [first.id])
        withdraw(context, [second.id], person="Bia", because="engano")
        with pytest.raises(FaturistaError, match=r"cancel\.cannot_withdraw"):
            withdraw(context, [second.id], person="Bia", because="engano")
    for _ in range(2):
        shop.run(cancel_batch, batch)
    assert outcomes(shop, batch) == ["cancelled", "withdrawn"]
    assert shop.asked("notes.cancel") == 1


def test_an_approver_may_cancel_alone_within_a_limit(each_shop: Workshop):
    batch = each_shop.processed(3)
    with each_shop.context() as context:
        person(context, OLGA, Role.OPERATOR, Role.APPROVER, by=Actor("root", "root"), limit=20_100)
        person(context, ANA, Role.OPERATOR, by=acts(context, OLGA, Permission.OPERATE))
        first, second, third = [(note, REASON) for note in each_shop.notes(batch)]

        def decided(*wanted: tuple[InvoiceRecord, str], email: str) -> list[bool]:
            made = request(context, wanted, actor=acts(context, email, Permission.OPERATE))
            return [each.approved_at is not None for each in made]

        assert decided(first, email=OLGA) == [True]
        assert decided(second, third, email=OLGA) == [False, False]
        olga = acts(context, OLGA)
        waits = waiting_cancellations(context)
        with pytest.raises(FaturistaError, match=r"staff\.above_limit"):
            approve(context, waits, actor=olga)
        assert approve(context, waits[:1], actor=olga) == [batch]
        with pytest.raises(FaturistaError, match=r"staff\.above_limit"):
            approve(context, waits[1:], actor=olga)
        withdraw(context, [waits[1].id], person="Olga", because="engano")
        assert decided(third, email=ANA) == [False]


@pytest.mark.both_databases
def test_a_request_and_its_approval_are_stored_together_or_not(each_shop: Workshop):
    """Otherwise a crash between both leaves a cancellation that waits for another person, and nobody knows whom."""
    batch = each_shop.processed(1)
    with each_shop.context() as context:
        unenrolled = Actor("root", "root")
        person(context, OLGA, Role.OPERATOR, Role.APPROVER, by=unenrolled)
        wanted = [(note, REASON) for note in each_shop.notes(batch)]
        with pytest.raises(FaturistaError, match=r"staff\.changed"):
            request(context, wanted, actor=unenrolled)
        assert waiting_cancellations(context) == []
        (made,) = request(context, wanted, actor=acts(context, OLGA, Permission.OPERATE))
        assert made.approved_at is not None


def test_one_number_of_two_companies_is_refused(shop: Workshop):
    batch = shop.processed(2)
    note = shop.notes(batch)[0]
    with shop.context() as context:
        assert find_invoice(context, rps=("F", 1)).id == note.id
        assert find_invoice(context, remote_id=note.remote_id).id == note.id
        assert find_invoice(context, nfse=note.nfse_number).id == note.id
        with pytest.raises(FaturistaError, match=r"cancel\.unknown"):
            find_invoice(context, rps=("F", 99))
        with pytest.raises(FaturistaError, match=r"cancel\.nothing_named"):
            find_invoice(context)
        with pytest.raises(FaturistaError, match=r"cancel\.unknown"):
            find_invoice(context, rps=("F", 1), emitter_cnpj="99000052000125")


@pytest.mark.parametrize("stored", ["1234", "000001234"])
@pytest.mark.parametrize("typed", ["1234", "000001234", " 1.234 ", "001.234", "NFS-e 1234"])
def test_zeros_and_points_do_not_hide_a_number(shop: Workshop, stored: str, typed: str):
    batch = shop.processed(2)
    numbered(shop, batch, stored, "12345")
    with shop.context() as context:
        assert find_invoice(context, nfse=typed).id == shop.notes(batch)[0].id


def test_two_spellings_of_one_company_are_two_invoices(shop: Workshop):
    batch = shop.processed(2)
    numbered(shop, batch, "1234", "01234")
    first, second = shop.notes(batch)
    with shop.context() as context:
        assert find_invoice(context, nfse="1234").id == first.id
        assert find_invoice(context, nfse="01234").id == second.id
        with pytest.raises(FaturistaError, match=r"cancel\.several") as asked:
            find_invoice(context, nfse="001234")
        named = "; ".join(f"--rps F-{each.number} --note {each.remote_id}" for each in (first, second))
        assert asked.value.problem.params["named"] == named


def test_a_second_request_at_the_same_moment_is_left_out(shop: Workshop):
    batch = shop.processed(1)
    assert len(request_cancellation(shop, batch)) == 1
    assert request_cancellation(shop, batch) == []
    assert [each.reason for each in shop.read(cancellations.all_open)] == [REASON]
