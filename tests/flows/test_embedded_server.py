"""An embedded Prefect server: slow is no error, ended is."""

import os
import subprocess
import sys
from pathlib import Path

from tests.sandboxes import ROOT

PATIENCE_S = 600


def test_an_embedded_server_that_cannot_begin_ends_the_wait(tmp_path: Path):
    """Prefect itself would start a server that ends with status 3 for ever again."""
    start = (
        "import sys\nfrom pathlib import Path\nfrom flows.orchestrator import prepare\n"
        "from flows.server_errors import OrchestratorUnavailable\n*programs, home = sys.argv[1:]\nprepare(Path(home))\n"
        "from flows.embedded_server import start\n"
        "for sys.executable in programs:\n"
        "    try:\n        start()\n"
        "    except OrchestratorUnavailable as error:\n        print(error.problem.code)"
    )
    programs = [tmp_path / f"ends-with-{status}" for status in (1, 3)]
    for program in programs:
        program.write_text(f"#!/bin/sh\nexit {program.name[-1]}\n")
        program.chmod(0o700)
    command = [sys.executable, "-c", start, *map(str, programs), str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert ended.stdout.split() == ["orchestrator.not_started"] * 2, ended.stderr
