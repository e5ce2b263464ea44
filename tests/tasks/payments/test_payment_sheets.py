"""Which payments a run bills: the present month's, what banks report late, older ones only when somebody says so."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

import pytest

from connectors.ledger import closings
from connectors.ledger.contracts import sheets_of
from domain.competence import BRASILIA, add_months, first_of_month
from tasks.alerts.conditions import conditions
from tasks.closing.checklist import month_page
from tasks.closing.late import late_problems
from tasks.closing.open_items import open_items
from tasks.orders.decide import decide_clash
from tasks.orders.payments import count_missed_payments, first_instant, payments_of_month, rules_of
from tasks.orders.sync import mirror_paid_invoices
from tasks.payments.payment_sheets import gather_payments
from tasks.runtime.order_opening import open_orders
from tasks.stations.assemble import assemble_rows
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tasks.views.contradicted_payments import contradicted_payments
from tasks.views.status import overview
from tests.tasks.payments.paid_orders import NEW, RULE, pay, today, write_rules
from tests.tasks.workshop import PROFILE, Workshop

MONTH = date(2028, 3, 1)
"""After everything that the sandbox's own customers ever paid."""
NOW = datetime(2028, 3, 5, 15, tzinfo=UTC)
FREE: Final = '[[rules]]\nplan = "essencial"\nbill = false\n'


def gather(shop: Workshop, *, is_catching_up: bool = False) -> dict[date, int]:
    """Mirror and gather as on the fifth of March. Return the number of sheets by month."""

    async def work() -> None:
        async with open_orders(PROFILE) as opened:
            runtime = replace(opened, clock=lambda: NOW)
            rules = rules_of(runtime)
            assert rules is not None
            await mirror_paid_invoices(runtime, "essencial", since=first_instant(rules.since))
            await gather_payments(runtime, competence=None, is_catching_up=is_catching_up)

    asyncio.run(work())
    months = [add_months(MONTH, back) for back in (-2, -1, 0)]
    return {month: len(shop.read(sheets_of, month, "payments")) for month in months}


def statuses(shop: Workshop, month: date) -> Sequence[str]:
    with shop.context(ahead=NOW - datetime.now(UTC)) as context:
        rules = rules_of(context)
        assert rules is not None
        return [each.status for each in payments_of_month(context, rules, month)]


def test_older_payments_wait_for_a_catch_up(shop: Workshop) -> None:
    write_rules(shop, since=date(2028, 1, 10))
    for number, at in enumerate(
        [datetime(2028, 1, 5), datetime(2028, 1, 20), datetime(2028, 2, 10), datetime(2028, 2, 29, 23)]  # noqa: DTZ001
    ):
        pay(shop.sandbox, NEW + number, at=at)
    # of February only what a bank may have reported late; nothing before the rules begin is ever billed
    assert gather(shop) == {date(2028, 1, 1): 0, date(2028, 2, 1): 1, MONTH: 0}
    assert statuses(shop, date(2028, 1, 1)) == ["due"]
    with shop.context(ahead=NOW - datetime.now(UTC)) as context:
        rules = rules_of(context)
        assert rules is not None
        assert count_missed_payments(context, rules) == {date(2028, 1, 1): 1, date(2028, 2, 1): 1}
    assert gather(shop, is_catching_up=True)[date(2028, 1, 1)] == 1


def test_free_payments_need_no_invoice_and_contradictions_wait(shop: Workshop) -> None:
    write_rules(shop, RULE, since=MONTH)
    at = NOW - timedelta(hours=5)
    pay(shop.sandbox, NEW, at=at, amount="0.00", amount_with_adjustments="0.00")
    pay(shop.sandbox, NEW + 1, at=at, amount_with_adjustments="99.90")
    assert gather(shop)[MONTH] == 0
    assert statuses(shop, MONTH) == ["free", "unknown"]
    write_rules(shop, FREE, since=MONTH)
    assert statuses(shop, MONTH) == ["free", "free"]


def test_closed_months_payments_are_billed_only_by_catch_up(shop: Workshop) -> None:
    before = add_months(MONTH, -1)
    write_rules(shop, since=before)
    with shop.context() as context:
        closing = context.ledger.write(closings.close, before, person="Ana")
    assert closing is not None
    pay(shop.sandbox, NEW, at=datetime(2028, 2, 29, 23))  # noqa: DTZ001 - the order service says Brasília's time
    assert gather(shop) == {date(2028, 1, 1): 0, before: 0, MONTH: 0}
    with shop.context(ahead=NOW - datetime.now(UTC)) as context:
        late, waiting = late_problems(context, closing)
        assert (late.code, late.params["billed"]) == ("closing.late_payments", 0)
        assert (waiting.code, waiting.params) == (
            "payment.late",
            {"month": "02/2028", "count": 1, "current": "03/2028"},
        )
    assert gather(shop, is_catching_up=True) == {date(2028, 1, 1): 0, before: 0, MONTH: 1}
    (file_id,) = shop.read(sheets_of, MONTH, "payments")
    with shop.context(ahead=NOW - datetime.now(UTC)) as context:
        reading, _ = read_file(context, file_id, ReadingOptions(operator="x", is_of_contracts=True))
    (row,) = shop.rows(reading)
    assert row.line is not None
    assert (row.line["competence"], row.line["paid_invoice"]) == ("2028-03-01", f"essencial #{NEW}")


def billed(shop: Workshop, month: date) -> list[str]:
    """Draft the invoices of the month's sheets. Return the codes of the rows' problems."""
    found: list[str] = []
    for file_id in shop.read(sheets_of, month, "payments"):
        with shop.context() as context:
            reading, _ = read_file(context, file_id, ReadingOptions(operator="x", is_of_contracts=True))
        shop.run(resolve_rows, reading)
        shop.run(assemble_rows, reading)
        found += [code for codes in shop.problems(reading).values() for code in codes]
    return found


def drop(shop: Workshop, number: int = NEW) -> None:
    """Let the order service no longer list the payment."""
    shop.sandbox.control("act", {"do": "drop_sale", "plan": "essencial", "number": number})


def give_up(shop: Workshop) -> None:
    """Let the order service no longer list the payment, and a person agree."""
    drop(shop)
    gather_now(shop)
    take(shop)
    gather_now(shop)


def take(shop: Workshop) -> None:
    with shop.context() as context:
        decide_clash(context, "paid_invoices", "essencial", NEW, "take", person="Ana", because="x")


def paid_now() -> date:
    return first_of_month(today())


def gather_now(shop: Workshop, *plans: str) -> None:
    async def work() -> None:
        async with open_orders(PROFILE) as runtime:
            for plan in plans or ("essencial",):
                await mirror_paid_invoices(runtime, plan, since=first_instant(today()))
            await gather_payments(runtime, competence=None, is_catching_up=False)

    asyncio.run(work())


def now(shop: Workshop) -> list[str]:
    with shop.context() as context:
        rules = rules_of(context)
        assert rules is not None
        return [each.status for each in payments_of_month(context, rules, paid_now())]


def test_a_refund_after_the_invoice_is_raised_until_a_person_answers(shop: Workshop) -> None:
    write_rules(shop)
    pay(shop.sandbox, NEW)
    gather_now(shop)
    assert billed(shop, paid_now()) == []
    pay(shop.sandbox, NEW + 1)
    gather_now(shop)
    assert now(shop) == ["billed", "due"]
    for number in (NEW, NEW + 1):
        drop(shop, number)
    for _ in range(2):
        gather_now(shop)
        assert now(shop) == ["billed", "unknown"]
        with shop.context() as context:
            (problem,) = contradicted_payments(context)
            assert problem in overview(context, None).notices
            assert problem in open_items(context, paid_now())
            assert problem not in open_items(context, add_months(paid_now(), -1))
            assert ("decision", problem.code, problem.params) in [
                (each.topic, each.code, each.params) for each in conditions(context)
            ]
        assert (problem.code, problem.params["first"]) == ("payment.refunded", f"essencial #{NEW}")
    with shop.context() as context:
        for number in (NEW, NEW + 1):
            decide_clash(context, "paid_invoices", "essencial", number, "take", person="Ana", because="x")
    gather_now(shop)
    assert now(shop) == ["billed", "free"]
    with shop.context() as context:
        assert list(contradicted_payments(context)) == []
        lines = " ".join(month_page(context, paid_now()).lines)
    assert f"still valid: essencial #{NEW}." in lines


def test_a_payment_is_not_billed_again_under_its_plans_new_name(shop: Workshop) -> None:
    renamed = RULE.replace("essencial", "profissional")
    write_rules(shop, RULE, renamed)
    at = datetime.now(UTC).astimezone(BRASILIA)
    for plan in ("essencial", "profissional"):
        pay(shop.sandbox, NEW, plan=plan, at=at)
    gather_now(shop, "essencial", "profissional")
    assert sorted(now(shop)) == ["due", "unknown"]
    assert billed(shop, paid_now()) == []
    write_rules(shop, renamed)
    gather_now(shop, "profissional")
    assert now(shop) == ["unknown"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (drop, "unknown"),
        (give_up, "free"),
        (lambda shop: write_rules(shop, FREE), "free"),
        (lambda shop: write_rules(shop, RULE.replace("Mensalidade Sistema", "Suporte")), "due"),
        (lambda shop: write_rules(shop, f'{RULE}description = "Outro texto"\n'), "due"),
    ],
    ids=["refunded", "given up", "free", "other rule", "other text"],
)
def test_a_payment_that_changed_is_left_out_of_its_sheet(
    each_shop: Workshop, change: Callable[[Workshop], object], status: str
) -> None:
    shop = each_shop
    write_rules(shop)
    for number in (NEW, NEW + 1):
        pay(shop.sandbox, number)
    gather_now(shop)
    change(shop)
    gather_now(shop)
    is_of_both = change not in (drop, give_up)
    assert billed(shop, paid_now()) == ["row.payment_changed"] * (1 + is_of_both)
    assert now(shop) == [status, status if is_of_both else "billed"]


@pytest.mark.parametrize("cents", ["89.90", "50.00"], ids=["as before", "otherwise"])
def test_a_payment_that_is_listed_again_is_billed(each_shop: Workshop, cents: str) -> None:
    shop = each_shop
    write_rules(shop)
    at = datetime.now(UTC).astimezone(BRASILIA)
    pay(shop.sandbox, at=at)
    gather_now(shop)
    give_up(shop)
    assert now(shop) == ["free"]
    pay(shop.sandbox, at=at, amount=cents, amount_with_adjustments=cents)
    gather_now(shop)
    if cents == "50.00":
        assert now(shop) == ["unknown"]
        take(shop)
    assert now(shop) == ["due"]


def test_a_payment_given_up_is_billed_under_its_plans_new_name(each_shop: Workshop) -> None:
    shop = each_shop
    renamed = RULE.replace("essencial", "profissional")
    write_rules(shop, RULE, renamed)
    at = datetime.now(UTC).astimezone(BRASILIA)
    pay(shop.sandbox, at=at)
    gather_now(shop)
    pay(shop.sandbox, plan="profissional", at=at)
    give_up(shop)
    gather_now(shop, "essencial", "profissional")
    assert sorted(now(shop)) == ["due", "free"]
    assert billed(shop, paid_now()) == ["row.payment_changed"]
    gather_now(shop, "essencial", "profissional")
    billed(shop, paid_now())
    assert sorted(now(shop)) == ["billed", "free"]
