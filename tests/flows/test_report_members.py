"""The flow, from the identity service to the workbook."""

import asyncio

import openpyxl
import pytest

from flows.prefect_flows import report_members
from tests.sandboxes import running_sandbox

pytestmark = pytest.mark.prefect


def test_the_report_lists_the_members_of_accounts(orchestrator, tmp_path, monkeypatch):
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))
    with running_sandbox(in_thread=True) as sandbox:
        monkeypatch.setenv("FATURISTA_IDENTITY__BASE_URL", sandbox.base_url)
        path = asyncio.run(report_members())
    assert openpyxl.load_workbook(path).worksheets[-1].max_row > 1
