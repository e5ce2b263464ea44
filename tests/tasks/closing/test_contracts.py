"""Each contract of a closed month, as of the closing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from connectors.ledger import closings
from connectors.ledger.database.sql import to_micros
from connectors.ledger.mirror.paid_invoices import store_paid
from tasks.closing.contracts import contracts_of
from tasks.closing.late import late_problems
from tasks.closing.reports import write_reports
from tests.ageing import age
from tests.connectors.ledger.mirror.samples import paid
from tests.tasks.closing.months import LAST_MONTH
from tests.tasks.contracts.sheets import contract
from tests.tasks.contracts.test_month import enter
from tests.tasks.payments.paid_orders import write_rules
from tests.tasks.rows import SAO_PAULO, this_month
from tests.tasks.workshop import Workshop, codes


def test_a_contract_without_an_invoice_says_why(shop: Workshop, tmp_path: Path) -> None:
    ended = f"{LAST_MONTH - timedelta(days=1):%d/%m/%Y}"
    begins = f"{this_month():%d/%m/%Y}"
    enter(shop, tmp_path, contract(1), contract(2, Início="01/01/2025", Fim=ended), contract(3, Início=begins))
    closing = shop.write(closings.close, LAST_MONTH, person="Ana")
    assert closing is not None

    def reasons() -> list[tuple[str, str, int]]:
        with shop.context() as context:
            assert closing is not None
            found = contracts_of(context, closing)
        return [(each.contract.key, each.unbilled_because, len(each.keys)) for each in found]

    unbilled = [("C-1", "entered_later", 1), ("C-2", "ended", 1), ("C-3", "no_charge", 1)]
    assert reasons() == unbilled
    # what a person changes after the closing is no part of it
    enter(shop, tmp_path, contract(1, **{"CNPJ Emitente": SAO_PAULO}))
    assert reasons() == unbilled
    entered = to_micros(datetime(LAST_MONTH.year, LAST_MONTH.month, 15, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    assert reasons()[0] == ("C-1", "unbilled", 1)
    shop.write(closings.reopen, closing.id, person="Ana", because="x")
    closing = shop.write(closings.close, LAST_MONTH, person="Ana")
    assert closing is not None
    assert reasons()[0] == ("C-1", "unbilled", 2)


def test_a_clock_that_is_set_back_changes_no_closing(shop: Workshop, tmp_path: Path) -> None:
    write_rules(shop, since=LAST_MONTH)
    paid_at = datetime(LAST_MONTH.year, LAST_MONTH.month, 10, 12, tzinfo=UTC)
    enter(shop, tmp_path, contract(1))
    shop.write(store_paid, [paid(1, paid_at=paid_at)], pull="a")
    # All of this was written while the clock was two days ahead.
    shop.write(age, -2 * 86_400)
    closing = shop.write(closings.close, LAST_MONTH, person="Ana")
    assert closing is not None
    with shop.context() as context:
        (book, *_) = write_reports(context, closing, tmp_path / "first")
        assert [each.contract.key for each in contracts_of(context, closing)] == ["C-1"]
        assert "closing.late_payments" not in codes(late_problems(context, closing))
    # And this once the clock was set back further.
    enter(shop, tmp_path, contract(1, Valor="99,00"), contract(2))
    shop.write(store_paid, [paid(2, paid_at=paid_at)], pull="b")
    shop.tamper("UPDATE contracts SET changed_at = changed_at - 432000000000 WHERE id > 1")
    shop.tamper("UPDATE mirror_paid_invoices SET mirrored_at = mirrored_at - 432000000000 WHERE number = 2")
    with shop.context() as context:
        (again, *_) = write_reports(context, closing, tmp_path / "second")
        late, *_ = late_problems(context, closing)
    assert again.read_bytes() == book.read_bytes()
    assert (late.code, late.params["count"]) == ("closing.late_payments", 1)
