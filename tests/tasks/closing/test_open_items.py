"""What keeps a month open, and who acts."""

from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from openpyxl.worksheet.worksheet import Worksheet

from connectors.ledger import closings
from connectors.ledger.database.sql import to_micros
from connectors.ledger.mirror.paid_invoices import store_paid
from connectors.ledger.mirror.sync_cursors import begin_pull, end_pull
from tasks.closing.close import close_month
from tasks.closing.open_items import open_items
from tasks.persons.forget import forget_person
from tasks.replacements.settle import settle_replaced
from tasks.stations.release import release_batch
from tests.connectors.ledger.mirror.samples import paid
from tests.tasks.closing.months import LAST_MONTH, billed_last_month, staged_last_month
from tests.tasks.contracts.sheets import contract
from tests.tasks.contracts.test_month import enter
from tests.tasks.corrections.rounds import FIRST, HEADER_ROW, bill, edited, issue, returned, write_month
from tests.tasks.dropped_sheets import cells
from tests.tasks.held_back import hold_back
from tests.tasks.payments.paid_orders import RULE, write_rules
from tests.tasks.persons.people import ANA, refused_row
from tests.tasks.replacements.test_settle import issue as issue_batch
from tests.tasks.replacements.test_settle import replaced_line
from tests.tasks.rows import line, this_month
from tests.tasks.workshop import Workshop, codes


def found(shop: Workshop) -> list[str]:
    with shop.context() as context:
        return codes(open_items(context, LAST_MONTH))


def test_each_open_batch_says_who_acts(shop: Workshop):
    batch = staged_last_month(shop)
    assert found(shop) == ["closing.batch_person"]
    shop.approve()
    assert found(shop) == ["closing.batch_line"]
    shop.run(release_batch, batch)
    assert found(shop) == ["closing.batch_city"]
    with shop.context() as context:
        made = close_month(context, LAST_MONTH, person="Ana")
    assert isinstance(made, list)
    shop.follow(batch)
    assert found(shop) == []


def test_a_batch_behind_a_stopped_one_waits_for_a_person(shop: Workshop):
    hold_back(shop)
    with shop.context() as context:
        assert codes(open_items(context, this_month()))[:2] == ["closing.batch_person"] * 2


def test_a_stopped_import_and_an_unbilled_contract_keep_it_open(shop: Workshop, tmp_path: Path):
    shop.reading(line(1, competence=LAST_MONTH))
    enter(shop, tmp_path, contract(1), contract(2))
    # Earlier months of a contract are nobody's omission: another system billed them.
    assert found(shop) == ["closing.open_readings"]
    entered = to_micros(datetime(LAST_MONTH.year, LAST_MONTH.month, 15, tzinfo=UTC))
    shop.tamper(f"UPDATE contracts SET changed_at = {entered}")
    with shop.context() as context:
        readings, contracts = open_items(context, LAST_MONTH)
    assert codes([readings, contracts]) == ["closing.open_readings", "closing.open_contracts"]
    assert contracts.params == {"month": f"{LAST_MONTH:%m/%Y}", "count": 2, "first": "C-1, C-2"}


def test_refused_rows_keep_it_open_until_corrected(shop: Workshop, tmp_path: Path):
    month = f"{LAST_MONTH:%m/%Y}"
    rows = [cells(number, Competência=month, Valor=value) for number, value in ((1, "10,00"), (2, "muito"))]
    path = write_month(tmp_path / "a.xlsx", rows)
    bill(shop, path)
    issue(shop)
    with shop.context() as context:
        (item,) = open_items(context, LAST_MONTH)
    assert (item.code, item.params) == ("closing.open_rows", {"file": "a.xlsx", "count": 1, "first": str(FIRST + 1)})

    def leave_out(page: Worksheet) -> None:
        column = page.max_column + 1
        page.cell(HEADER_ROW, column).value, page.cell(FIRST, column).value = "Emitir", "Não"

    bill(shop, edited(returned(shop, path), tmp_path / "b.xlsx", leave_out))
    assert found(shop) == []


def test_rejected_invoices_keep_it_open_until_corrected(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    month = f"{LAST_MONTH:%m/%Y}"
    paths = [tmp_path / "a.xlsx", tmp_path / "other" / "a.xlsx"]
    paths[1].parent.mkdir()
    for number, path in enumerate(paths, start=1):
        write_month(path, [cells(number, Competência=month)])
    shop.sandbox.switch(rejection_share=1.0)
    for path in paths:
        bill(shop, path)
    issue(shop)
    shop.sandbox.switch(rejection_share=0.0)
    with shop.context() as context:
        items = open_items(context, LAST_MONTH)
    # two files of one name are two items
    assert [each.params for each in items] == [{"file": "a.xlsx", "count": 1, "first": str(FIRST)}] * 2
    assert codes(items) == ["closing.open_rows"] * 2

    def correct(page: Worksheet) -> None:
        column = page.max_column + 1
        page.cell(HEADER_ROW, column).value, page.cell(FIRST, column).value = "Emitir", "Não"

    for path in paths:
        bill(shop, edited(returned(shop, path), tmp_path / f"{path.parent.name}.xlsx", correct))
    assert found(shop) == []


def test_rows_of_an_erased_person_keep_no_month_open(shop: Workshop):
    refused_row(shop)
    with shop.context() as context:
        assert codes(open_items(context, this_month())) == ["closing.open_rows"]
        forget_person(context, ANA, person="dpo", because="asked on 1 December")
        assert open_items(context, this_month()) == []


def pulled(conn: sa.Connection, plan: str) -> None:
    """Note that the order service was asked for the plan's payments now."""
    mark = begin_pull(conn, plan, "paid_invoices", holder="a", since=None, page_size=10)
    assert end_pull(conn, mark, covered_since=None, covered_until=None)


def test_payments_without_an_invoice_keep_it_open(shop: Workshop):
    write_rules(shop, since=LAST_MONTH)
    invoice = paid(1, paid_at=datetime(LAST_MONTH.year, LAST_MONTH.month, 10, 12, tzinfo=UTC))
    shop.write(store_paid, [invoice], pull="a")
    assert found(shop) == ["closing.open_payments", "closing.unseen_payments"]
    shop.write(pulled, "essencial")
    assert found(shop) == ["closing.open_payments"]
    # A sheet had billed it before.
    write_rules(shop, '[[rules]]\nplan = "essencial"\nnumbers = [1]\nbill = false\n', RULE, since=LAST_MONTH)
    assert found(shop) == []
    write_rules(shop, "[[", since=LAST_MONTH)
    assert found(shop) == ["rules.unreadable"]


def test_a_replaced_invoice_keeps_it_open_until_confirmed(each_shop: Workshop) -> None:
    shop = each_shop
    old = billed_last_month(shop)
    (new,) = shop.assembled(replaced_line(competence=LAST_MONTH))[1]
    issue_batch(shop, new)
    assert found(shop) == ["closing.open_replacements"]
    assert shop.write(closings.close, LAST_MONTH, person="Ana") is None
    shop.run(settle_replaced, old)
    assert found(shop) == []
