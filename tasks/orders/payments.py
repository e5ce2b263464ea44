"""Decide for each payment of a month: billed, to be billed, or not to be billed and why."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal

from configs.plan_rules import load_plan_rules
from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.closings import closed_months
from connectors.ledger.mirror.discrepancies import clashes_of, given_up
from connectors.ledger.mirror.orders import orders_of
from connectors.ledger.mirror.paid_invoices import mirrored_plans, paid_between
from domain.competence import BRASILIA, add_months, first_of_month
from domain.orders.billing import BillingRules, PlanRule, key_of_payment, payment_key, unfit_payment
from domain.orders.orders import ListedOrder
from domain.orders.paid_invoices import PaidInvoice
from domain.problems import Problem
from tasks.runtime import Context

PaymentStatus = Literal["billed", "cancelled", "due", "unknown", "free"]
"""`cancelled`: a person ended its invoice, as after a refund. `unknown`: its problem says why it cannot be billed.

`free`: its rule or its amount needs no invoice.
"""


@dataclass(frozen=True, slots=True)
class MonthPayment:
    """A paid invoice of a month. A due one has a `rule`, an unknown one a `problem`.

    `is_given_up`: a person agreed that the order service no longer lists it, under any plan.
    """

    invoice: PaidInvoice
    status: PaymentStatus
    rule: PlanRule | None = None
    problem: Problem | None = None
    order: ListedOrder | None = None
    is_given_up: bool = False

    @property
    def key(self) -> str:
        """Return the key of the payment in sheets."""
        return payment_key(self.invoice.plan_slug, self.invoice.number)

    @property
    def paid_on(self) -> date:
        """Return the day of the payment in Brasília."""
        return self.invoice.paid_at.astimezone(BRASILIA).date()


def rules_of(context: Context) -> BillingRules | None:
    """Return the profile's rules, or None if it bills no payments. Raises `SettingsError` for an invalid file."""
    orders = context.settings.orders
    return load_plan_rules(Path(orders.rules)) if orders.rules and orders.base_url else None


def configured_plans(context: Context, rules: BillingRules) -> tuple[str, ...]:
    """Return the plans of the rule file, and those of the settings, which only the reports need."""
    return tuple(dict.fromkeys((*rules.plans, *context.settings.orders.plans)))


def plans_with_unbilled_payments(context: Context, rules: BillingRules) -> tuple[str, ...]:
    """Return the plans with a payment that is due or cannot be billed."""
    found = known_payments(context, rules)
    return tuple(sorted({each.invoice.plan_slug for each in found if each.status in ("due", "unknown")}))


def known_payments(context: Context, rules: BillingRules) -> list[MonthPayment]:
    """Return every payment since the rules begin, oldest first."""
    return _payments(context, rules, rules.since, until=add_months(first_of_month(context.today), 1))


def refundable_since(context: Context, rules: BillingRules) -> datetime | None:
    """Return the first instant whose payments a refund may still change: of a due one, or in an open month; or None.

    The present month and the one before it are looked at: a refund comes later than banks report payments.
    """
    month = first_of_month(context.today)
    open_months = {month, add_months(month, -1)} - context.ledger.read(closed_months)
    due = [each.invoice.paid_at for each in known_payments(context, rules) if each.status == "due"]
    return min([*map(first_instant, open_months), *due], default=None)


def first_instant(day: date) -> datetime:
    """Return the first instant of a day in Brasília, aware."""
    return datetime(day.year, day.month, day.day, tzinfo=BRASILIA)


def payments_of_month(context: Context, rules: BillingRules, competence: date) -> list[MonthPayment]:
    """Return the payments of a month by Brasília's time, oldest first, without those before the rules begin."""
    since = max(competence, rules.since)
    return _payments(context, rules, since, until=add_months(competence, 1))


def count_missed_payments(context: Context, rules: BillingRules) -> dict[date, int]:
    """Return the number of unbilled payments of past months, by first day of the month.

    Payments that banks may report late are not counted, unless their month is closed.
    """
    return dict(Counter(each.invoice.month for each in missed_payments(context, rules)))


def missed_payments(context: Context, rules: BillingRules) -> list[MonthPayment]:
    """Return the payments that `count_missed_payments` counts, oldest first."""
    closed, late = context.ledger.read(closed_months), first_reportable_day(context)
    found = _payments(context, rules, rules.since, until=first_of_month(context.today))
    return [each for each in found if each.status == "due" and (each.paid_on < late or each.invoice.month in closed)]


def first_reportable_day(context: Context) -> date:
    """Return the earliest day of payment that a bank may still report today."""
    return context.today - timedelta(days=context.settings.orders.overlap_days)


def _payments(context: Context, rules: BillingRules, since: date, *, until: date) -> list[MonthPayment]:
    plans = configured_plans(context, rules)
    ledger = context.ledger
    every = ledger.read(
        paid_between, ledger.read(mirrored_plans), since=first_instant(since), until=first_instant(until)
    )
    orders = {(each.order.plan_slug, each.order.number): each for each in ledger.read(orders_of, plans)}
    clashing = {(each.plan_slug, each.number) for each in ledger.read(clashes_of, plans, "paid_invoices")}
    keys = {key_of_payment(invoice.plan_slug, invoice.number) for invoice in every}
    billed = ledger.read(ledger_contracts.living_keys, keys)
    ended = ledger.read(ledger_contracts.cancelled_charges, keys - billed.keys())
    gone = {key_of_payment(plan, number) for plan, number in ledger.read(given_up, "paid_invoices")}
    known: dict[str, PaymentStatus] = {
        **dict.fromkeys(gone, "free"),
        **dict.fromkeys(ended, "cancelled"),
        **dict.fromkeys(billed, "billed"),
    }
    wanted = [each for each in every if each.plan_slug in plans]
    unlisted = gone - ended.keys() - billed.keys()
    listed = [each for each in every if key_of_payment(each.plan_slug, each.number) not in unlisted]
    present = {_identity(each) for each in every if key_of_payment(each.plan_slug, each.number) not in gone}
    return [
        _once(payment, renamed)
        if payment.status == "due" and renamed
        else replace(payment, is_given_up=_identity(payment.invoice) not in present)
        for payment, renamed in zip(
            _judge_payments(rules, wanted, orders, clashing, known),
            _other_names(listed, wanted, known),
            strict=True,
        )
    ]


def _other_names(
    listed: Sequence[PaidInvoice], wanted: Sequence[PaidInvoice], known: Mapping[str, PaymentStatus]
) -> Iterator[str | None]:
    """Yield for each wanted payment the other plan that has the very same payment and bills it, or None.

    Somebody renamed the plan: its payments came again under the new name. Numbers alone may repeat in two plans.
    `listed` has no payment that a person agreed is no longer listed: it bills none.
    """
    names: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for each in listed:
        names[_identity(each)].append(each.plan_slug)
    slugs = {each.plan_slug for each in wanted}
    for each in wanted:
        others = [name for name in names[_identity(each)] if name != each.plan_slug]
        yield next(
            (name for name in others if key_of_payment(name, each.number) in known),
            next((name for name in others if name in slugs and name < each.plan_slug), None),
        )


def _identity(invoice: PaidInvoice) -> tuple[object, ...]:
    return invoice.number, invoice.client_document, invoice.amount_cents, invoice.total_cents, invoice.paid_at


def _once(payment: MonthPayment, other: str) -> MonthPayment:
    params: dict[str, str | int] = {"plan": payment.invoice.plan_slug, "number": payment.invoice.number, "other": other}
    return replace(payment, status="unknown", rule=None, problem=Problem("payment.of_other_plan", params=params))


def _judge_payments(
    rules: BillingRules,
    paid: Sequence[PaidInvoice],
    orders: Mapping[tuple[str, int], ListedOrder],
    clashing: set[tuple[str, int]],
    known: Mapping[str, PaymentStatus],
) -> Iterator[MonthPayment]:
    for invoice in paid:
        order = orders.get((invoice.plan_slug, invoice.order_number))
        status = known.get(key_of_payment(invoice.plan_slug, invoice.number))
        if status is not None:
            yield MonthPayment(invoice, status, order=order)
            continue
        rule = rules.rule_of(invoice, order)
        if isinstance(rule, Problem):
            yield MonthPayment(invoice, "unknown", problem=rule, order=order)
        elif not rule.is_billed or invoice.total_cents <= 0:
            yield MonthPayment(invoice, "free", order=order)
        elif (invoice.plan_slug, invoice.number) in clashing:
            named: dict[str, str | int] = {"plan": invoice.plan_slug, "number": invoice.number}
            clash = Problem("report.clash", params=named | {"list": "paid-invoices"})
            yield MonthPayment(invoice, "unknown", problem=clash, order=order)
        elif unfit := unfit_payment(invoice):
            yield MonthPayment(invoice, "unknown", problem=unfit, order=order)
        else:
            yield MonthPayment(invoice, "due", rule, order=order)
