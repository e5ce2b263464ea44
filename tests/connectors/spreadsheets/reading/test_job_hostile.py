"""Files made to exhaust a reader: each is refused in words, within 500 MB, before anything large is built."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets.hostile import hostile

OPEN = """
import json, sys, tempfile
from pathlib import Path
from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.reading.job import read
from domain.problems import InputError
codes = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        with tempfile.TemporaryFile() as spool:
            read(path.read_bytes(), {"name": path.name, "limits": Limits().to_json()}, spool)
        codes[path.name] = "opened"
    except InputError as error:
        codes[path.name] = error.problem.code
# The kernel's own high-water mark of this process; getrusage would count what its parent held when it was forked.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps([codes, int(peak.split()[1]) // 1024]))
"""


pytestmark = pytest.mark.xdist_group("hostile")  # the files are made once


@pytest.fixture(scope="module")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Return the folder of all hostile files, and the problem of each by its name."""
    folder, expected = tmp_path_factory.mktemp("drop"), {}
    for name, code, made in hostile():
        (folder / name).write_bytes(made())
        expected[name] = code
    return folder, expected


def test_every_hostile_file_is_refused_within_bounds(dropped: tuple[Path, dict[str, str]]) -> None:
    folder, expected = dropped
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(folder)], capture_output=True, text=True, cwd=root, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    codes, peak_mb = json.loads(done.stdout)
    assert codes == expected
    assert peak_mb < 500


def test_guarded_reading_refuses_the_same(dropped: tuple[Path, dict[str, str]]) -> None:
    folder, expected = dropped
    found = {}
    for name in expected:
        try:
            for sheet in open_workbook(folder / name).sheets:
                for _ in sheet.rows():
                    pass
            found[name] = "opened"
        except InputError as error:
            found[name] = error.problem.code
    assert found == expected
