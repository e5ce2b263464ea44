"""The flow, from the order service to the workbook, for the plans of the settings."""

import asyncio

import openpyxl
import pytest

from flows.prefect_flows import report_adjustments
from tests.sandboxes import running_sandbox

pytestmark = pytest.mark.prefect


def test_adjustments_of_the_settings_plans(orchestrator, tmp_path, monkeypatch):
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))
    with running_sandbox(in_thread=True) as sandbox:
        monkeypatch.setenv("FATURISTA_ORDERS__BASE_URL", sandbox.base_url)
        path = asyncio.run(report_adjustments())
    assert openpyxl.load_workbook(path).worksheets[-1].max_row > 1
