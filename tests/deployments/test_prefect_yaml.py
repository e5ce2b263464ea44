"""The deployments file: file, flow and deployment share one name, and the clock is that of São Paulo."""

import ast
from typing import Any

import pytest
import yaml

from tests.house import tree

DEPLOYMENTS: list[dict[str, Any]] = yaml.safe_load(tree.text("deployments/prefect.yaml"))["deployments"]


def flows_of(path: str) -> set[str]:
    """Names of the functions of a module that are decorated as flows."""
    return {
        node.name
        for node in tree.syntax(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(ast.unparse(decorator).split("(")[0].endswith("flow") for decorator in node.decorator_list)
    }


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda deployment: deployment["name"])
def test_an_entrypoint_exists_and_shares_its_name(deployment: dict[str, Any]) -> None:
    name = deployment["name"]
    assert deployment["entrypoint"] == f"flows/{name}.py:{name}"
    assert name in flows_of(f"flows/{name}.py")


def test_every_flow_is_deployed() -> None:
    flows = {name for path in tree.modules("flows") for name in flows_of(path)}
    assert flows == {deployment["name"] for deployment in DEPLOYMENTS}


def test_sweeps_run_every_few_minutes_and_the_rest_once_a_day() -> None:
    schedules = {deployment["name"]: deployment["schedules"] for deployment in DEPLOYMENTS}
    assert [schedules.pop(name) for name in ("bill_services", "bill_products")] == [[], []]
    assert [schedule["cron"] for schedule in schedules.pop("backup_ledger")] == ["30 2 * * *"]
    for name, (schedule,) in schedules.items():
        assert schedule["timezone"] == "America/Sao_Paulo", name
        assert schedule["cron"].endswith(" 6 * * *" if name.startswith("report_") else " * * * *"), name
