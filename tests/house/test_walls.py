"""Boundaries that import contracts cannot express: what rules may import, and what a command starts without."""

import ast
import subprocess
import sys

import pytest

from tests.house import tree

# No clock, no disk, no network, no randomness: a rule gets what it needs of them as arguments.
NOT_FOR_RULES = frozenset(
    {"asyncio", "glob", "http", "io", "os", "pathlib", "random", "secrets", "shutil", "socket", "sqlite3", "ssl"}
    | {"subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid"}
)
CLOCKS = frozenset({"now", "today", "utcnow"})


def test_rules_stand_on_the_standard_library_and_stdnum_alone() -> None:
    allowed = ({"domain", "stdnum"} | sys.stdlib_module_names) - NOT_FOR_RULES
    wrong = [
        f"{path}:{line} imports {name}"
        for path in tree.modules("domain")
        for name, line in tree.imports(path)
        if name.split(".", 1)[0] not in allowed
    ]
    assert not wrong, tree.listing(wrong)


def test_rules_read_no_clock_and_open_no_file() -> None:
    wrong = [
        f"{path}:{node.lineno} calls {ast.unparse(node.func)}"
        for path in tree.modules("domain")
        for node in tree.nodes(path)
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS)
            or (isinstance(node.func, ast.Name) and node.func.id in {"open", "print", "input"})
        )
    ]
    assert not wrong, tree.listing(wrong)


def test_station_entries_hold_no_branch_and_no_loop() -> None:
    forks = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.Match, ast.Try, ast.comprehension, ast.BoolOp)
    wrong = [
        f"{path}:{fork.lineno if hasattr(fork, 'lineno') else entry.lineno} {entry.name}"
        for path in tree.modules("tasks")
        if path.endswith("entries.py")
        for entry in tree.nodes(path)
        if isinstance(entry, ast.AsyncFunctionDef)
        for fork in ast.walk(entry)
        if isinstance(fork, forks)
    ]
    assert not wrong, tree.listing(wrong)


ORCHESTRATION = frozenset({"prefect", "fastapi", "pandas"})
WORKBOOKS_AND_MIGRATIONS = frozenset({"openpyxl", "alembic"})
OTHER_CASES = frozenset({"rapidfuzz", "sqlalchemy.dialects.postgresql"})
"""What a sheet with unknown headers needs, and a ledger on PostgreSQL."""
ANY_WORK = frozenset({"sqlalchemy", "pydantic", "httpx", "xlsxwriter", "python_calamine"})


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [
        ("flows.cli", ORCHESTRATION | WORKBOOKS_AND_MIGRATIONS | ANY_WORK),
        (
            "flows.cli_preview, flows.cli_status, flows.cli_approve",
            ORCHESTRATION | WORKBOOKS_AND_MIGRATIONS | OTHER_CASES,
        ),
        ("flows.cli_bill, flows.cli_sweeps, flows.cli_inbox, tasks.entries, connectors.sandbox", ORCHESTRATION),
    ],
)
def test_modules_load_without_what_they_do_not_need(modules: str, heavy: frozenset[str]) -> None:
    code = f"import sys, {modules}; print(*sorted(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tree.ROOT, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert not heavy & set(ran.stdout.split())
