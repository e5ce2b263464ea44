"""The demonstration for a new user: the whole line, and a second run that issues nothing."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandboxes import ROOT

PATIENCE_S = 1_200
OF_THE_TESTS = ("FATURISTA_", "PREFECT_")


def run(home: Path) -> str:
    """Run the demo in a new user's environment, without the other tests' settings. Return its output."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_TESTS)}
    done = subprocess.run(
        [sys.executable, "-c", "from flows.cli import main; main(['demo'])"],
        cwd=ROOT,
        env={**plain, "FATURISTA_PATHS__HOME": str(home), "FATURISTA_LANGUAGE": "en", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def counts(home: Path, question: str) -> dict[str, int]:
    with sqlite3.connect(home / "ledger.db") as ledger:
        return dict(ledger.execute(question).fetchall())


@pytest.mark.prefect
def test_a_month_becomes_invoices_once(tmp_path: Path) -> None:
    first = run(tmp_path)
    assert "316 rows in the file: 304 taken, 0 held, 12 refused, 0 had an invoice already." in first
    assert "40 rows in the file: 40 taken, 0 held, 0 refused, 0 had an invoice already." in first
    states = counts(tmp_path, "SELECT state, count(*) FROM invoices GROUP BY state")
    assert states.keys() == {"accepted", "rejected"}
    # a month of six contracts, the next one of five, and a paid order
    assert sum(states.values()) == 304 + 15 + 6 + 5 + 1
    assert "6 new, 0 changed, 0 as before" in first
    assert "0 new, 3 changed, 3 as before" in first
    workbooks = [path.name for path in (tmp_path / "outbox").glob("*.xlsx")]
    # five outcomes, the failing rows of the services sheet, two reports, the closing of the first month
    assert (len(workbooks), sum("-to-correct" in name for name in workbooks)) == (9, 1)
    assert all(name in first for name in workbooks)
    assert "1 finding acknowledged" in first
    assert "is closed, by demo" in first

    posted = counts(tmp_path, "SELECT what, count(*) FROM attempts GROUP BY what")
    second = run(tmp_path)
    assert second.count("Nothing was issued") == 2
    assert f"{states['accepted']} · rejected: {states['rejected']}" in second
    assert counts(tmp_path, "SELECT what, count(*) FROM attempts GROUP BY what") == posted
