"""The mirror of paid invoices: a repeated answer changes nothing, and a contradiction overwrites nothing."""

from datetime import UTC, datetime

import pytest

from connectors.ledger.mirror import discrepancies, paid_invoices
from connectors.ledger.mirror.paid_invoices import MirrorCounts
from domain.orders.paid_invoices import Redeemed
from tests.connectors.ledger.mirror.samples import SINCE, paid


def held(ledger, *plans, **window):
    return ledger.read(paid_invoices.paid_between, plans or ("essencial",), **({"since": SINCE} | window))


def test_stored_invoices_return_unchanged_in_order_of_payment(ledger):
    invoices = [paid(3, adjustments=(), charge_on=None, client_name=None), paid(1), paid(2)]
    assert ledger.write(paid_invoices.store_paid, invoices, pull="a") == MirrorCounts(new=3)
    assert held(ledger) == sorted(invoices, key=lambda invoice: invoice.number)


def test_the_same_group_again_changes_nothing(ledger):
    group = [paid(number) for number in range(1, 6)]
    ledger.write(paid_invoices.store_paid, group, pull="a")
    assert ledger.write(paid_invoices.store_paid, [*group, paid(6)], pull="a") == MirrorCounts(new=1, known=5)
    assert len(held(ledger)) == 6


def test_changeable_fields_are_updated(ledger):
    ledger.write(paid_invoices.store_paid, [paid(1)], pull="a")
    renamed = paid(1, client_name="Padaria do Porto Ltda", payment_method="pix")
    assert ledger.write(paid_invoices.store_paid, [renamed], pull="a") == MirrorCounts(changed=1)
    assert held(ledger) == [renamed]


@pytest.mark.parametrize(
    "changes",
    [
        {"total_cents": 1},
        {"amount_cents": 1},
        {"order_number": 8},
        {"client_document": "99000000130"},
        {"adjustments": (Redeemed(1_000, "Outra coisa"),)},
        {"paid_at": datetime(2026, 10, 1, 12, 0, 1, tzinfo=UTC)},
    ],
)
def test_other_content_under_a_known_number_is_a_clash(ledger, changes):
    ledger.write(paid_invoices.store_paid, [paid(1)], pull="a")
    for _ in range(2):
        assert ledger.write(paid_invoices.store_paid, [paid(1, **changes)], pull="a") == MirrorCounts(clashes=1)
    assert held(ledger) == [paid(1)]
    (clash,) = ledger.read(discrepancies.clashes_of, ["essencial"], "paid_invoices")
    assert (clash.number, list(clash.ours), list(clash.theirs)) == (1, list(changes), list(changes))


def test_a_number_given_twice_in_one_group_is_a_clash_too(ledger):
    assert ledger.write(paid_invoices.store_paid, [paid(1), paid(1, total_cents=5)], pull="a") == MirrorCounts(
        new=1, clashes=1
    )
    assert held(ledger) == [paid(1)]


def test_a_number_belongs_to_its_plan(ledger):
    ledger.write(paid_invoices.store_paid, [paid(1)], pull="a")
    assert ledger.write(
        paid_invoices.store_paid, [paid(1, plan_slug="empresarial", total_cents=5)], pull="a"
    ) == MirrorCounts(new=1)
    assert len(held(ledger, "essencial", "empresarial")) == 2
    assert held(ledger) == [paid(1)]


def test_a_window_takes_its_first_instant_and_leaves_its_last(ledger):
    ledger.write(paid_invoices.store_paid, [paid(1), paid(2), paid(3)], pull="a")
    window = {"since": paid(2).paid_at, "until": paid(3).paid_at}
    assert held(ledger, **window) == [paid(2)]
    assert ledger.read(paid_invoices.count_paid, "essencial", since=paid(2).paid_at) == 2
    assert ledger.read(paid_invoices.newest_payment, "essencial") == paid(3).paid_at
    assert ledger.read(paid_invoices.newest_payment, "nenhum") is None


def test_nothing_is_kept_of_nothing(ledger):
    assert ledger.write(paid_invoices.store_paid, [], pull="a") == MirrorCounts()
