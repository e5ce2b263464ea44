"""The flow, from the order service to the workbook, and the default window of a scheduled run."""

import asyncio
from datetime import date
from typing import Any

import openpyxl
import pytest

from flows.prefect_flows import report_paid_invoices
from tests.sandboxes import running_sandbox

pytestmark = pytest.mark.prefect


def test_the_plans_that_were_named_are_fetched_and_written(orchestrator, tmp_path, monkeypatch):
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))
    with running_sandbox(in_thread=True) as sandbox:
        monkeypatch.setenv("FATURISTA_ORDERS__BASE_URL", sandbox.base_url)
        change = {"do": "drop_sale", "plan": "essencial", "number": 240}
        path, remarks = asyncio.run(report_paid_invoices(plans=["essencial"], since=date(2026, 9, 1)))
        sandbox.control("act", change)
        again, later = asyncio.run(report_paid_invoices(plans=["essencial"], since=date(2026, 8, 1), is_csv=True))
        paid = sandbox.record()["sales"]["paid_cents"]["essencial"]
    assert remarks == []
    assert [remark.code for remark in later] == ["mirror.vanished"]
    assert path.startswith(str(tmp_path))
    assert again.endswith(".csv")
    sheet = openpyxl.load_workbook(path, data_only=True).worksheets[1]
    rows: list[Any] = list(sheet.iter_rows(min_row=3, values_only=True))
    total = round(sum(row[8] for row in rows) * 100)
    dropped = total - sum(cents for month, cents in paid.items() if month >= "2026-09")
    assert 0 < dropped < 20_000
