"""Files made to exhaust a reader: each is refused in words, within 500 MB, before anything large is built."""

import json
import subprocess
import sys
from pathlib import Path

from connectors.spreadsheets.workbook import open_workbook
from domain.problems import LayoutError
from tests.connectors.spreadsheets.hostile import hostile

OPEN = """
import json, sys, tempfile
from pathlib import Path
from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.reading.job import read
from domain.problems import LayoutError
codes = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        with tempfile.TemporaryFile() as spool:
            read(path.read_bytes(), {"name": path.name, "limits": Limits().to_json()}, spool)
        codes[path.name] = "opened"
    except LayoutError as error:
        codes[path.name] = error.problem.code
# The kernel's own high-water mark of this process; getrusage would count what its parent held when it was forked.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps([codes, int(peak.split()[1]) // 1024]))
"""


def test_every_hostile_file_is_refused_within_bounds(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    folder.mkdir()
    expected = {}
    for name, code, made in hostile():
        (folder / name).write_bytes(made())
        expected[name] = code
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(folder)], capture_output=True, text=True, cwd=root, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    codes, peak_mb = json.loads(done.stdout)
    assert codes == expected
    assert peak_mb < 500


def test_guarded_reading_refuses_the_same(tmp_path: Path) -> None:
    found = {}
    expected = {}
    for name, code, made in hostile():
        path = tmp_path / name
        path.write_bytes(made())
        expected[name] = code
        try:
            for sheet in open_workbook(path).sheets:
                for _ in sheet.rows():
                    pass
            found[name] = "opened"
        except LayoutError as error:
            found[name] = error.problem.code
        path.unlink()
    assert found == expected
