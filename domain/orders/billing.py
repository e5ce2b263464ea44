"""Choose the billing rule of paid order invoices and write their descriptions.

Known placeholders of a rule's description: `{plano}`, `{fatura}`, `{pedido}`, `{mês}`, `{mês/ano}`, `{ano}`; accents
and letter case do not count. The English `{plan}`, `{invoice}`, `{order}`, `{month}`, `{month/year}`, `{year}` mean the
same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from domain.competence import month_name
from domain.keys import paid_key
from domain.orders.orders import ListedOrder, OrderStatus
from domain.orders.paid_invoices import PaidInvoice
from domain.placeholders import fill_placeholders, has_stray_brace, normalize_name, placeholders_in
from domain.problems import Problem

SHOWN: Final = "{plano}, {fatura}, {pedido}, {mês}, {mês/ano}, {ano}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRule:
    """The billing rule for paid invoices of one plan.

    `statuses` are the accepted statuses of their orders, `numbers` the accepted numbers of the paid invoices; an empty
    set accepts all. An empty `description` stands for the template's.
    """

    plan: str
    emitter_cnpj: str = ""
    template_name: str = ""
    description: str = ""
    statuses: frozenset[OrderStatus] = frozenset()
    numbers: frozenset[int] = frozenset()
    is_billed: bool = True

    def covers(self, other: "PlanRule") -> bool:
        """Return whether this rule applies to every payment to which the other rule applies."""
        is_every_status = not self.statuses or (bool(other.statuses) and other.statuses <= self.statuses)
        is_every_number = not self.numbers or (bool(other.numbers) and other.numbers <= self.numbers)
        return self.plan == other.plan and is_every_status and is_every_number


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingRules:
    """The content of the rule file at `path`. Payments before the day `since` are not billed."""

    path: str
    since: date
    rules: tuple[PlanRule, ...]

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the plans that the rules name, in the order of the file."""
        return tuple(dict.fromkeys(rule.plan for rule in self.rules))

    def rule_of(self, invoice: PaidInvoice, order: ListedOrder | None) -> PlanRule | Problem:
        """Return the first matching rule, or a problem if no rule matches."""
        ours = [
            rule
            for rule in self.rules
            if rule.plan == invoice.plan_slug and (not rule.numbers or invoice.number in rule.numbers)
        ]
        params: dict[str, str | int] = {"plan": invoice.plan_slug, "path": self.path}
        if not ours:
            return Problem("payment.unknown_plan", params=params)
        status = None if order is None else order.status
        for rule in ours:
            if not rule.statuses or status in rule.statuses:
                return rule
        if status is None:
            return Problem("payment.unknown_order", params=params | {"order": invoice.order_number})
        return Problem("payment.unknown_status", params=params | {"status": status})


def payment_key(plan_slug: str, number: int) -> str:
    """Return the key of a paid invoice in sheets and in the ledger. Each key has one NFS-e, ever."""
    return f"{plan_slug} #{number}"


def key_of_payment(plan_slug: str, number: int) -> str:
    """Return the business key of the NFS-e of a paid invoice."""
    return paid_key(payment_key(plan_slug, number))


def unfit_payment(invoice: PaidInvoice) -> Problem | None:
    """Return the problem that prevents the billing of a payment, or None."""
    params: dict[str, str | int] = {"plan": invoice.plan_slug, "number": invoice.number}
    return None if invoice.is_sound else Problem("report.adjustments_differ", params=params)


def description_problems(description: str) -> list[Problem]:
    """Return one Problem for each unknown placeholder, and one for braces that enclose none."""
    problems = [
        Problem("contract.placeholder", "description", params={"placeholder": name[:40], "known": SHOWN})
        for name in placeholders_in(description)
        if normalize_name(name) not in _VALUES
    ]
    if has_stray_brace(description):
        problems.append(Problem("contract.stray_brace", "description", params={"known": SHOWN}))
    return problems


def described(rule: PlanRule, invoice: PaidInvoice) -> str:
    """Return the description of a payment's invoice; unknown placeholders stay unchanged."""

    def fill(written: str) -> str | None:
        value = _VALUES.get(normalize_name(written))
        return None if value is None else value(invoice)

    return fill_placeholders(rule.description, fill)


_VALUES: Final[Mapping[str, Callable[[PaidInvoice], str]]] = {
    "plano": lambda invoice: invoice.plan_name,
    "plan": lambda invoice: invoice.plan_name,
    "fatura": lambda invoice: str(invoice.number),
    "invoice": lambda invoice: str(invoice.number),
    "pedido": lambda invoice: str(invoice.order_number),
    "order": lambda invoice: str(invoice.order_number),
    "mes": lambda invoice: month_name(invoice.month),
    "month": lambda invoice: month_name(invoice.month),
    "mes/ano": lambda invoice: f"{invoice.month:%m/%Y}",
    "month/year": lambda invoice: f"{invoice.month:%m/%Y}",
    "ano": lambda invoice: str(invoice.month.year),
    "year": lambda invoice: str(invoice.month.year),
}
