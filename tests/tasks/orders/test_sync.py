"""The mirror agrees with the service despite kills, late payments, drifting pages and contradictions."""

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest

from connectors.ledger.mirror import discrepancies, orders, paid_invoices, sync_cursors
from domain.problems import FaturistaError
from domain.station_result import Ending
from tasks.orders.sync import mirror_orders, mirror_paid_invoices
from tests.house.tree import ROOT
from tests.tasks.orders.conftest import PLANS, SINCE


def sync(run, plan="essencial", since=SINCE):
    return run(lambda runtime: mirror_paid_invoices(runtime, plan, since=since))


def held(run, plan="essencial", since=SINCE):
    async def read(runtime):
        return await runtime.ledger.read_async(paid_invoices.paid_between, [plan], since=since)

    return run(read)


def asked(sandbox, operation="invoices.paid"):
    """Return the queries of an operation so far, as dictionaries."""
    requests = sandbox.record(requests=True)["requests"]
    found = [parse_qs(each["query"]) for each in requests if each["operation"] == operation]
    return [{name: values[0] for name, values in query.items()} for query in found]


def pay(sandbox, number, paid_at, **fields):
    fields = {"number": number, "paid_at": paid_at} | fields
    sandbox.control("act", {"do": "add_sale", "plan": "essencial", "like": 1, "fields": fields})


def agrees(run, sandbox, plan="essencial"):
    months: dict[str, int] = {}
    for invoice in held(run, plan):
        key = f"{invoice.month:%Y-%m}"
        months[key] = months.get(key, 0) + invoice.total_cents
    return months == sandbox.record()["sales"]["paid_cents"][plan]


def test_a_first_pull_has_all_payments_to_the_cent_and_month(run, sandbox):
    for plan in PLANS:
        result = sync(run, plan)
        assert result.ending is Ending.DONE
        assert not result.remarks
        assert agrees(run, sandbox, plan)
    assert sum(len(held(run, plan)) for plan in PLANS) == sandbox.record()["sales"]["paid_count"]
    assert all("since" in query for query in asked(sandbox))


def test_a_second_pull_starts_days_earlier_and_finds_nothing(run, sandbox):
    sync(run)
    before = len(asked(sandbox))
    result = sync(run)
    newest = max(invoice.paid_at for invoice in held(run))
    (query, check) = asked(sandbox)[before:]
    assert query["since"] == check["since"] == f"{newest - timedelta(days=7, hours=3):%Y-%m-%d %H:%M:%S}"
    assert "new" not in result.counts
    assert result.counts["known"] >= 1


def test_a_payment_reported_days_late_is_found_by_the_overlap(run, sandbox):
    sync(run)
    newest = max(invoice.paid_at for invoice in held(run))
    pay(sandbox, 900, f"{newest - timedelta(days=6, hours=3):%Y-%m-%d %H:%M:%S}")
    assert sync(run).counts["new"] == 1
    assert agrees(run, sandbox)


def test_an_earlier_window_is_pulled_from_its_beginning(run, sandbox):
    later = datetime(2026, 9, 1, 3, tzinfo=UTC)
    sync(run, since=later)
    assert min(invoice.paid_at for invoice in held(run)) >= later
    assert sync(run).counts["new"] > 100
    assert agrees(run, sandbox)


def test_a_later_window_leaves_no_hole_behind_the_covered_one(run, sandbox):
    sync(run)
    pay(sandbox, 900, "2026-11-19 10:00:00")
    sync(run, since=datetime(2026, 11, 20, 3, tzinfo=UTC))
    assert agrees(run, sandbox)


def test_a_future_payment_hides_no_earlier_one(run, sandbox):
    pay(sandbox, 900, "2099-01-01 10:00:00")
    sync(run)
    cursor = run(lambda runtime: runtime.ledger.read_async(sync_cursors.cursor_of, "essencial", "paid_invoices"))
    assert cursor.covered_until < datetime(2090, 1, 1, tzinfo=UTC)


def test_the_count_reveals_an_item_lost_between_two_pages(run, sandbox):
    """During the last pages an early payment appears: the earlier pages did not have it."""
    fields = {"number": 900, "paid_at": "2025-10-06 10:00:00"}
    act = {"do": "add_sale", "plan": "essencial", "like": 1, "fields": fields}
    sandbox.faults({"operation": "invoices.paid", "kind": "act", "after": 9, "act": act})
    assert sync(run).ending is Ending.DONE
    assert sandbox.control("faults")[0]["applied"] == 1
    assert agrees(run, sandbox)
    assert 900 in {invoice.number for invoice in held(run)}
    assert len([query for query in asked(sandbox) if query.get("page", "1") == "1"]) == 2


def test_a_list_that_always_moves_is_reported_as_incomplete(run, sandbox):
    """Each time another payment appears on an earlier page, and another one is shown twice."""
    for number, after in ((900, 9), (901, 23), (902, 37)):
        fields = {"number": number, "paid_at": f"2025-10-{number - 894:02} 10:00:00"}
        act = {"do": "add_sale", "plan": "essencial", "like": 1, "fields": fields}
        sandbox.faults(
            *sandbox.control("faults"),
            {"operation": "invoices.paid", "kind": "act", "after": after, "count": 1, "act": act},
        )
    result = sync(run)
    assert result.ending is Ending.WAITING
    assert [problem.code for problem in result.remarks] == ["mirror.unsettled"]
    assert [fault["applied"] for fault in sandbox.control("faults")] == [1, 1, 1]
    cursor = run(lambda runtime: runtime.ledger.read_async(sync_cursors.cursor_of, "essencial", "paid_invoices"))
    assert cursor.covered_until is None


def test_a_doubly_listed_invoice_is_accepted_after_two_pulls(run, sandbox):
    sync(run)
    before = len(held(run))
    for _ in range(3):
        pay(sandbox, 900, "2025-10-06 10:00:00")
    first = len(asked(sandbox))
    result = sync(run, since=SINCE - timedelta(days=1))
    assert (result.ending, result.counts["repeated"]) == (Ending.DONE, 2)
    assert [problem.code for problem in result.remarks] == ["mirror.repeated"]
    assert len([query for query in asked(sandbox)[first:] if query.get("page", "1") == "1"]) == 2
    numbers = [invoice.number for invoice in held(run)]
    assert (len(numbers), numbers.count(900)) == (before + 1, 1)
    again = sync(run, since=SINCE - timedelta(days=2))
    assert (again.ending, again.counts["repeated"]) == (Ending.DONE, 2)


def test_forbidden_changes_are_reported_and_kept_apart(run, sandbox):
    sync(run)
    victim = held(run)[-1]
    change = {"do": "change_sale", "plan": "essencial", "number": victim.number}
    sandbox.control("act", change | {"fields": {"amount_with_adjustments": "1.00"}})
    for _ in range(2):
        result = sync(run)
        assert result.ending is Ending.DONE
        assert [problem.code for problem in result.remarks] == ["mirror.clashes"]
        assert result.counts["clashes"] == 1
    assert held(run)[-1] == victim
    (clash,) = run(lambda runtime: runtime.ledger.read_async(discrepancies.clashes_of, ["essencial"], "paid_invoices"))
    assert clash.theirs == {"total_cents": 100}


def test_a_number_given_twice_is_a_clash_and_the_pull_ends(run, sandbox):
    pay(sandbox, 1, "2026-11-18 10:00:00")
    result = sync(run)
    assert (result.ending, result.counts["clashes"]) == (Ending.DONE, 1)


def test_unlisted_entries_stay_and_are_reported(run, sandbox):
    sync(run)
    victim = held(run)[-1]
    sandbox.control("act", {"do": "drop_sale", "plan": "essencial", "number": victim.number})
    result = sync(run)
    assert [problem.code for problem in result.remarks] == ["mirror.vanished"]
    assert victim in held(run)


def test_a_list_with_smaller_pages_is_still_read_completely(run, sandbox, monkeypatch):
    monkeypatch.setenv("FATURISTA_ORDERS__PAGE_SIZE", "1000")
    assert sync(run).ending is Ending.DONE
    assert agrees(run, sandbox)


def test_an_unknown_plan_is_reported_in_words(run, sandbox):
    with pytest.raises(FaturistaError) as caught:
        sync(run, "nenhum")
    assert caught.value.problem.code == "mirror.no_plan"


def test_an_answer_about_another_plan_is_refused(run, sandbox):
    change = {
        "do": "change_sale",
        "plan": "essencial",
        "number": 3,
        "fields": {"plan_data": {"slug": "outro", "name": "Outro"}},
    }
    sandbox.control("act", change)
    with pytest.raises(FaturistaError) as caught:
        sync(run)
    assert caught.value.problem.code == "mirror.other_plan"


def test_stumbles_of_the_service_are_asked_again(run, sandbox):
    sandbox.faults(
        {"operation": "invoices.paid", "kind": "status_503", "count": 2, "after": 1},
        {"operation": "invoices.paid", "kind": "lose_answer", "count": 2, "after": 4},
    )
    assert sync(run).ending is Ending.DONE
    assert agrees(run, sandbox)


PULL = """
import asyncio
from datetime import UTC, datetime
from tasks.orders.sync import mirror_paid_invoices
from tasks.runtime.order_opening import open_orders

async def main():
    async with open_orders("local") as runtime:
        await mirror_paid_invoices(runtime, "essencial", since=datetime(2025, 10, 1, 3, tzinfo=UTC))

asyncio.run(main())
"""


def test_a_killed_pull_continues_at_the_last_stored_page(run, sandbox, monkeypatch):
    """The twelfth answer never comes; by then the pages of two groups are in the ledger."""
    for name, seconds in {"REQUESTS__TIMEOUT_S": 60, "PROTOCOL__LEASE_S": 180, "PROTOCOL__QUIET_S": 120}.items():
        monkeypatch.setenv(f"FATURISTA_{name}", str(seconds))
    monkeypatch.setenv("FATURISTA_PROTOCOL__ISSUING_QUIET_S", "120")
    monkeypatch.setenv("FATURISTA_ORDERS__IN_FLIGHT", "1")
    monkeypatch.setenv("FATURISTA_ORDERS__PAGES_AT_ONCE", "5")
    sandbox.faults({"operation": "invoices.paid", "kind": "hang", "after": 11})
    with subprocess.Popen([sys.executable, "-c", PULL], cwd=ROOT) as pulling:
        try:
            end = time.monotonic() + 600
            while len(held(run)) < 200:
                assert pulling.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
        finally:
            pulling.kill()
    kept = len(held(run))
    assert kept == 200
    before = len(asked(sandbox))
    result = sync(run)
    assert result.ending is Ending.DONE
    assert agrees(run, sandbox)
    assert asked(sandbox)[before]["page"] == "10"
    assert {int(query.get("page", 1)) for query in asked(sandbox)[before:]} <= set(range(10, 20))
    assert result.counts["new"] == len(held(run)) - kept


def test_a_pull_that_continues_another_still_finds_a_refund(run, sandbox, monkeypatch):
    monkeypatch.setenv("FATURISTA_ORDERS__PAGES_AT_ONCE", "5")
    sync(run)
    victim = held(run)[-1]
    sandbox.control("act", {"do": "drop_sale", "plan": "essencial", "number": victim.number})
    earlier = SINCE - timedelta(days=1)
    sandbox.faults({"operation": "invoices.paid", "kind": "status_500", "after": 11, "count": 99})
    with pytest.raises(FaturistaError):
        sync(run, since=earlier)
    sandbox.faults()
    result = sync(run, since=earlier)
    assert (result.ending, [problem.code for problem in result.remarks]) == (Ending.DONE, ["mirror.vanished"])

    async def clashes(runtime):
        return await runtime.ledger.read_async(discrepancies.clashes_of, None, "paid_invoices")

    assert [clash.number for clash in run(clashes)] == [victim.number]


def test_two_pulls_of_one_list_do_not_mix_their_pages(run, sandbox):
    """A pull from an earlier window overtakes the first in the middle: the first stops, and nothing is missing."""

    async def overtaken(runtime):
        first = await runtime.ledger.write_async(
            sync_cursors.begin_pull, "essencial", "paid_invoices", holder="somebody", since=SINCE, page_size=20
        )
        done = await mirror_paid_invoices(runtime, "essencial", since=SINCE - timedelta(days=30))
        turned = await runtime.ledger.write_async(sync_cursors.store_next_page, first, 9)
        return done, turned

    done, turned = run(overtaken)
    assert done.ending is Ending.DONE
    assert not turned
    assert agrees(run, sandbox)


def test_orders_are_mirrored_changed_and_lost_sight_of(run, sandbox):
    async def read(runtime):
        return await runtime.ledger.read_async(orders.orders_of, PLANS)

    for plan in PLANS:
        assert run(lambda runtime, plan=plan: mirror_orders(runtime, plan)).ending is Ending.DONE
    before = run(read)
    assert len(before) == sandbox.record()["sales"]["orders"] == 60
    changed = next(each.order for each in before if each.order.plan_slug == "essencial")
    sandbox.control("act", {"do": "change_order", "number": changed.number, "fields": {"is_active": False}})
    result = run(lambda runtime: mirror_orders(runtime, "essencial"))
    assert result.counts["changed"] == 1
    after = {each.order.number: each for each in run(read)}
    assert after[changed.number].status == "inactive"
    assert not any(each.is_gone for each in after.values())


def test_a_refund_between_two_halves_of_a_pull_hides_no_payment(run, sandbox, monkeypatch):
    """Every later item moves one place forward: the first of the next page is on a page that was stored before."""
    monkeypatch.setenv("FATURISTA_ORDERS__PAGES_AT_ONCE", "5")
    sandbox.faults({"operation": "invoices.paid", "kind": "status_500", "after": 11, "count": 99})
    with pytest.raises(FaturistaError):
        sync(run)
    victim = held(run)[-1]
    sandbox.control("act", {"do": "drop_sale", "plan": "essencial", "number": victim.number})
    sandbox.faults()
    result = sync(run)
    assert (result.ending, [problem.code for problem in result.remarks]) == (Ending.DONE, ["mirror.vanished"])
    there = sum(sandbox.record()["sales"]["paid_cents"]["essencial"].values())
    assert sum(each.total_cents for each in held(run)) == there + victim.total_cents
