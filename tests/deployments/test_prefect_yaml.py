"""The deployments file: file, flow and deployment share one name, and schedules use the clock of São Paulo."""

from typing import Any

import pytest
import yaml
from prefect import Flow

from flows import prefect_flows
from tests.house import tree

DEPLOYMENTS: list[dict[str, Any]] = yaml.safe_load(tree.text("deployments/prefect.yaml"))["deployments"]
BY_HAND = (
    "approve_batches", "bill_services", "bill_products", "work_batches", "report_adjustments", "report_members",
)  # fmt: skip


FLOWS = {name for name, each in vars(prefect_flows).items() if isinstance(each, Flow)}


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda deployment: deployment["name"])
def test_an_entrypoint_exists_and_shares_its_name(deployment: dict[str, Any]) -> None:
    name = deployment["name"]
    assert deployment["entrypoint"] == f"flows/prefect_flows.py:{name}"
    assert name in FLOWS
    assert f"flows/{name}.py" in tree.modules("flows")


def test_runs_have_the_same_tag_whoever_starts_them() -> None:
    declared = {deployment["name"]: deployment["tags"] for deployment in DEPLOYMENTS}
    assert declared == {order.__name__: [tag] for order, tag in prefect_flows.TAGS.items()}


def test_every_flow_is_deployed() -> None:
    assert {deployment["name"] for deployment in DEPLOYMENTS}


def test_sweeps_run_every_few_minutes_and_the_rest_by_the_day() -> None:
    schedules = {deployment["name"]: deployment["schedules"] for deployment in DEPLOYMENTS}
    assert [schedules.pop(name) for name in BY_HAND] == [[]] * len(BY_HAND)
    assert [schedule["cron"] for schedule in schedules.pop("backup_ledger")] == ["30 2 * * *"]
    assert [schedule["cron"] for schedule in schedules.pop("monthly_billing")] == ["20 5,11,17 * * *"]
    for name, (schedule,) in schedules.items():
        assert schedule["timezone"] == "America/Sao_Paulo", name
        assert schedule["cron"].endswith(" 6 * * *" if name.startswith("report_") else " * * * *"), name
