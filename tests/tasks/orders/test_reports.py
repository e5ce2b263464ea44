"""Both reports from the service to the workbook."""

from typing import Any

import openpyxl
import pytest

from domain.problems import FaturistaError
from tasks.orders.reports import report_orders, report_paid_invoices, wanted_plans
from tasks.orders.sync import mirror_orders, mirror_paid_invoices
from tasks.runtime import open_context
from tests.tasks.orders.conftest import PLANS, SINCE


@pytest.fixture
def mirrored(run):
    async def everything(runtime):
        for plan in PLANS:
            await mirror_paid_invoices(runtime, plan, since=SINCE)
            await mirror_orders(runtime, plan)

    run(everything)
    return run


def months(path):
    """Return month → total in cents, from the first page of the paid-invoice report."""
    sheet = openpyxl.load_workbook(path, data_only=True).worksheets[0]
    rows: list[list[Any]] = [
        [cell for cell in row if cell not in (None, "")] for row in sheet.iter_rows(values_only=True)
    ]
    return {f"{row[0]:%Y-%m}": round(row[-1] * 100) for row in rows if row and hasattr(row[0], "year")}


def texts(path):
    sheet = openpyxl.load_workbook(path).worksheets[0]
    return [cell for row in sheet.iter_rows(values_only=True) for cell in row if isinstance(cell, str)]


def test_fourteen_months_come_to_what_the_provider_holds(mirrored, sandbox):
    held: dict[str, int] = {}
    for by_month in sandbox.record()["sales"]["paid_cents"].values():
        for month, cents in by_month.items():
            held[month] = held.get(month, 0) + cents
    with open_context("local") as context:
        path = report_paid_invoices(context, PLANS, since=SINCE)
    assert path.parent.name == "outbox"
    assert months(path) == held
    assert len(held) == 14


def test_the_same_content_gives_the_same_file_after_a_sync(mirrored):
    def written():
        with open_context("local") as context:
            paths = [
                report_paid_invoices(context, PLANS, since=SINCE),
                report_paid_invoices(context, PLANS, since=SINCE, is_csv=True),
                report_orders(context, PLANS),
                report_orders(context, PLANS, is_csv=True),
            ]
        return {path.name: path.read_bytes() for path in paths}

    before = written()
    assert len(before) == 4
    mirrored(lambda runtime: mirror_orders(runtime, "essencial"))
    assert written() == before


def test_a_clash_and_a_wrong_sum_are_on_the_first_page(mirrored, sandbox):
    act = {"do": "change_sale", "plan": "essencial", "number": 240, "fields": {"amount": "1.00"}}
    sandbox.control("act", act)
    fields = {"number": 900, "paid_at": "2026-11-19 10:00:00", "amount": "1.00", "amount_with_adjustments": "2.00"}
    sandbox.control("act", {"do": "add_sale", "plan": "essencial", "like": 1, "fields": fields})
    mirrored(lambda runtime: mirror_paid_invoices(runtime, "essencial", since=SINCE.replace(year=2024)))
    with open_context("local") as context:
        lines = texts(report_paid_invoices(context, PLANS, since=SINCE))
    assert any("240" in text and "Vale o que ele informou primeiro" in text for text in lines)
    assert any("900" in text and "não somam" in text for text in lines)


def test_data_never_fetched_is_reported_as_missing(run, sandbox):
    run(lambda runtime: mirror_paid_invoices(runtime, "essencial", since=SINCE))
    with open_context("local") as context:
        for path in (report_paid_invoices(context, PLANS, since=SINCE), report_orders(context, PLANS)):
            found = [text for text in texts(path) if "Nem tudo" in text]
            assert len(found) == (2 if "faturas" in path.name else 3)


def test_the_plans_are_the_named_or_the_settings_ones(sandbox, monkeypatch):
    with open_context("local") as context:
        assert wanted_plans(context) == PLANS
        assert wanted_plans(context, ["b", "a", "b"]) == ("b", "a")
    monkeypatch.setenv("FATURISTA_ORDERS__PLANS", "[]")
    with open_context("local") as context, pytest.raises(FaturistaError) as caught:
        wanted_plans(context)
    assert caught.value.problem.code == "report.no_plans"
