"""The flow, from the order service to the workbook, for the plans of the settings."""

import asyncio

import openpyxl
import pytest

from flows.prefect_flows import report_orders
from tests.sandboxes import running_sandbox

pytestmark = pytest.mark.prefect


def test_all_orders_of_the_settings_plans(orchestrator, tmp_path, monkeypatch):
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))
    with running_sandbox(in_thread=True) as sandbox:
        monkeypatch.setenv("FATURISTA_ORDERS__BASE_URL", sandbox.base_url)
        path, remarks = asyncio.run(report_orders())
    assert remarks == []
    assert openpyxl.load_workbook(path).worksheets[1].max_row == 62
