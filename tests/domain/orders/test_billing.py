"""Rules that say how paid invoices are billed, and the texts of their invoices."""

from datetime import UTC, date, datetime

from domain.orders.billing import BillingRules, PlanRule, described, description_problems, payment_key
from domain.orders.orders import ListedOrder, Order
from domain.orders.paid_invoices import PaidInvoice
from domain.problems import Problem

AT = datetime(2026, 12, 1, 1, 30, tzinfo=UTC)
INVOICE = PaidInvoice(
    plan_slug="essencial",
    number=17,
    plan_name="Essencial",
    order_number=3,
    client_name="x",
    client_document=None,
    payment_method="pix",
    amount_cents=8_990,
    total_cents=8_990,
    adjustments=(),
    created_at=AT,
    paid_at=AT,
    charge_on=None,
)


def order(*, is_paid: bool = True) -> ListedOrder:
    """The order that the invoice is of."""
    one = Order(
        plan_slug="essencial",
        number=3,
        account_uuid="u",
        client_name=None,
        client_document=None,
        amount_cents=1,
        charge_day=5,
        created_at=AT,
        activated_at=AT,
        active_until=None,
        next_payment_at=None,
        is_active=True,
        is_paid=is_paid,
        is_trial=False,
        is_recurring=True,
    )
    return ListedOrder(one, is_gone=False)


def rules(*given: PlanRule) -> BillingRules:
    return BillingRules(path="plans.toml", since=date(2026, 11, 1), rules=given)


def code(found: PlanRule | Problem) -> str:
    assert isinstance(found, Problem)
    return found.code


def test_the_first_rule_that_fits_decides() -> None:
    owing = PlanRule(plan="essencial", template_name="A", statuses=frozenset({"unpaid"}))
    active = PlanRule(plan="essencial", template_name="B", statuses=frozenset({"active"}))
    rest = PlanRule(plan="essencial", template_name="C")
    assert rules(owing, active, rest).rule_of(INVOICE, order()) == active
    assert rules(owing, active, rest).rule_of(INVOICE, order(is_paid=False)) == owing
    assert rules(owing, active, rest).rule_of(INVOICE, None) == rest


def test_a_rule_may_name_the_payments_that_it_is_for() -> None:
    billed = PlanRule(plan="essencial", numbers=frozenset({INVOICE.number}), is_billed=False)
    other = PlanRule(plan="essencial", numbers=frozenset({INVOICE.number + 1}), is_billed=False)
    rest = PlanRule(plan="essencial", template_name="C")
    assert rules(other, billed, rest).rule_of(INVOICE, order()) == billed
    assert rules(other, rest).rule_of(INVOICE, order()) == rest
    assert code(rules(other).rule_of(INVOICE, order())) == "payment.unknown_plan"
    assert (rest.covers(billed), billed.covers(rest), billed.covers(other)) == (True, False, False)


def test_a_payment_without_a_rule_says_which_one_lacks() -> None:
    owing = PlanRule(plan="essencial", statuses=frozenset({"unpaid"}))
    assert code(rules(PlanRule(plan="other")).rule_of(INVOICE, order())) == "payment.unknown_plan"
    assert code(rules(owing).rule_of(INVOICE, order())) == "payment.unknown_status"
    assert code(rules(owing).rule_of(INVOICE, None)) == "payment.unknown_order"


def test_placeholders_are_filled_in_by_the_month_in_brasilia() -> None:
    rule = PlanRule(plan="essencial", description="{Plano} {fatura} {PEDIDO} {mês/ano} {month} {ano} {other}")
    assert described(rule, INVOICE) == "Essencial 17 3 11/2026 novembro 2026 {other}"
    (problem,) = description_problems(rule.description)
    assert (problem.code, problem.params["placeholder"]) == ("contract.placeholder", "other")


def test_doubled_braces_are_a_placeholder() -> None:
    rule = PlanRule(plan="essencial", description="Plano {{plano}}, {{mês/ano}}")
    assert described(rule, INVOICE) == "Plano Essencial, 11/2026"
    assert description_problems(rule.description) == []


def test_plans_and_numbers_never_share_a_key() -> None:
    assert len({payment_key("a", 11), payment_key("a 1", 1), payment_key("a1", 1), payment_key("a", 1)}) == 4
