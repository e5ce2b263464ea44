"""Test approvals by enrolled people: limits, races, changes during a pause, and codes for the dashboard."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import sqlalchemy as sa

from connectors.ledger import approvals, tables
from connectors.ledger.staff import records
from domain.problems import FaturistaError
from domain.staff import Permission
from tasks.cancellations.requests import approve, request, waiting_cancellations
from tasks.runtime import Context
from tasks.staff.codes import issue_code, redeem_code
from tasks.staff.enrolment import change
from tasks.stations.approve import approve_batches, reject_batches, waiting_batches
from tasks.stations.stage import stage_batch
from tests.tasks.approving import approve_batch
from tests.tasks.replacements.test_settle import replaced_line
from tests.tasks.rows import lines
from tests.tasks.staff.people import ANA, BIA, OLGA, acts, office
from tests.tasks.workshop import Workshop


def two_waiting(shop: Workshop) -> list[int]:
    """Stage two batches of one company's month, of R$ 100,01 and R$ 100,02."""
    made = [shop.assembled(*lines(1, first=first))[1][0] for first in (1, 2)]
    for each in made:
        shop.run(stage_batch, each)
    return made


def refusal(context: Context, *batches: int) -> FaturistaError:
    shown = [batch for batch in waiting_batches(context) if batch.id in batches]
    with pytest.raises(FaturistaError) as raised:
        approve_batches(context, shown, actor=acts(context, ANA))
    return raised.value


def test_a_limit_holds_for_the_whole_and_for_its_parts(each_shop: Workshop) -> None:
    first, second = two_waiting(each_shop)
    with each_shop.context() as context:
        office(context, limit=10_002)
        assert refusal(context, first, second).problem.params["able"] == "Bia"
        assert len(waiting_batches(context)) == 2
        approve_batch(context, each_shop.batch(first), actor=acts(context, ANA))
        divided = refusal(context, second).problem
        assert (divided.code, divided.params["total"]) == ("staff.above_limit", "R$ 200,03")
        given = approve_batch(context, each_shop.batch(second), actor=acts(context, BIA))
        assert (given.approver, given.staff_id) == (f"Bia ({BIA})", acts(context, BIA).staff_id)


def test_a_divided_cancellation_passes_no_limit(each_shop: Workshop) -> None:
    shop = each_shop
    notes = shop.notes(shop.processed(2))
    shop.set(APPROVAL__FOUR_EYES="true")
    with shop.context() as context:
        office(context, limit=notes[0].service_cents + 1)
        first, second = request(
            context, [(note, "valor errado") for note in notes], actor=acts(context, OLGA, Permission.OPERATE)
        )
        assert len(approve(context, [first], actor=acts(context, ANA))) == 1
        with pytest.raises(FaturistaError, match=r"staff\.above_limit"):
            approve(context, [second], actor=acts(context, ANA))
        assert [each.id for each in waiting_cancellations(context)] == [second.id]
        assert len(approve(context, [second], actor=acts(context, BIA))) == 1


def test_a_small_replacement_of_a_large_invoice_is_large(shop: Workshop) -> None:
    (old,) = shop.notes(shop.processed(1))
    (batch,) = shop.assembled(replaced_line(service_cents=100))[1]
    shop.run(stage_batch, batch)
    with shop.context() as context:
        office(context, limit=old.service_cents - 1)
        assert refusal(context, batch).problem.code == "staff.above_limit"
        # Bia has no limit, and an invoice and its replacement are one charge of the month
        assert approve_batch(context, shop.batch(batch), actor=acts(context, BIA)).approver == f"Bia ({BIA})"


@pytest.mark.both_databases
def test_two_yeses_at_once_pass_no_limit(each_shop: Workshop) -> None:
    made = two_waiting(each_shop)
    with each_shop.context() as context:
        office(context, limit=10_002)
        ana = acts(context, ANA)

        def say_yes(batch: int) -> None:
            with suppress(FaturistaError):
                approve_batch(context, each_shop.batch(batch), actor=ana)

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(say_yes, made))
    assert sorted(each_shop.batch(batch).state.value for batch in made) == ["approved", "staged"]


@pytest.mark.parametrize("what", ["revoked", "role", "limit", "secret"])
def test_a_change_during_the_pause_voids_the_approval(shop: Workshop, what: str) -> None:
    batch = shop.staged(1)
    with shop.context() as context:
        office(context)
        ana, olga = acts(context, ANA), acts(context, OLGA, Permission.OPERATE)
        code = issue_code(context, [shop.batch(batch)], actor=ana)
        if what == "revoked":
            context.ledger.write(records.revoke, ANA, by=olga)
        elif what == "secret":
            context.ledger.write(records.reset, ANA, "x", by=olga, temporary_s=60.0)
        else:
            change(context, ANA, by=olga, **({"roles": ("clerk",)} if what == "role" else {"limit": 50_000}))
        with pytest.raises(FaturistaError, match=r"staff\.changed"):
            approve_batch(context, shop.batch(batch), actor=ana)
        with pytest.raises(FaturistaError, match=r"staff\.bad_code"):
            redeem_code(context, code, [shop.batch(batch)], account="dashboard")
        with pytest.raises(FaturistaError, match=r"staff\.changed"):
            reject_batches(context, [shop.batch(batch)], actor=ana, because="x")
    assert shop.batch(batch).state == "staged"


def test_an_approval_before_the_first_enrolment_is_void(shop: Workshop) -> None:
    batch = shop.staged(1)
    with shop.context() as context:
        nobodys = acts(context, ANA)
        office(context)
        with pytest.raises(FaturistaError, match=r"staff\.changed"):
            approve_batch(context, shop.batch(batch), actor=nobodys)


@pytest.mark.both_databases
def test_a_code_is_valid_once_for_what_was_shown(each_shop: Workshop) -> None:
    first, second = two_waiting(each_shop)
    with each_shop.context() as context:
        office(context)
        one, two = each_shop.batch(first), each_shop.batch(second)

        def refused(code: str, *batches: object) -> bool:
            with pytest.raises(FaturistaError, match=r"staff\.bad_code"):
                redeem_code(context, code, list(batches), account="dashboard")  # type: ignore[arg-type]
            return True

        for other in ([two], [one, two], []):
            assert refused(issue_code(context, [one], actor=acts(context, ANA)), *other)
        code = issue_code(context, [one, two], actor=acts(context, ANA))
        assert refused("", one, two)
        actor = redeem_code(context, f" {code.upper()} ", [two, one], account="dashboard")
        approve_batches(context, [one, two], actor=actor)
        assert each_shop.read(approvals.valid_approval, first).approver == f"Ana ({ANA})"  # type: ignore[union-attr]
        assert refused(code, one, two)
        query = sa.select(tables.staff_codes.c.digest)
        assert code not in str(context.ledger.read(lambda conn: conn.execute(query).all()))


def test_an_expired_code_is_refused(shop: Workshop) -> None:
    batch = shop.staged(1)
    with shop.context() as context:
        office(context)
        code = issue_code(context, [shop.batch(batch)], actor=acts(context, ANA))
    shop.tamper("UPDATE staff_codes SET expires_at = 1")
    with shop.context() as context, pytest.raises(FaturistaError, match=r"staff\.bad_code"):
        redeem_code(context, code, [shop.batch(batch)], account="dashboard")


def test_a_refusal_deletes_the_notes(shop: Workshop) -> None:
    batch = shop.staged(2)
    with shop.context() as context:
        office(context)
        reject_batches(context, [shop.batch(batch)], actor=acts(context, ANA), because="preço errado")
    assert shop.batch(batch).state == "discarding"
