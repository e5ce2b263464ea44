"""Environments of the published clients, each from its own lock and separate from the project's.

python -m tests.clients.environments

creates them (only this step needs a package index). The tests run the environments that exist and name the missing
ones.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any, Final

import pytest

HERE: Final = Path(__file__).parent
NAMES: Final = tuple(sorted(path.parent.name for path in HERE.glob("*/requirements.lock")))
_HOME: Final = Path(sys.prefix, "clients")
_BUILD: Final = ("setuptools", "wheel")
_PATIENCE_S: Final = 300


def python_of(name: str) -> Path | None:
    """Return the interpreter of a client's environment; None if it is missing or was made from another lock."""
    home = _HOME / name
    stamp = home / "lock.sha256"
    return home / "bin" / "python" if stamp.exists() and stamp.read_text() == _digest(name) else None


def driven(name: str, *arguments: str, script: str = "") -> Any:
    """Return what a client's driver, or another `script` of this folder, prints in the client's environment.

    Skip the test if the environment is missing.
    """
    python = python_of(name)
    if python is None:
        pytest.skip(f"the published client of {name} is not installed here: nobody drove it against the sandbox")
    environment = {"PATH": os.defpath, "NO_PROXY": "127.0.0.1", "PYTHONWARNINGS": "ignore"}
    command = [str(python), str(HERE / (script or f"{name}/drive.py")), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def make(name: str) -> None:
    """Make the environment again from the lock. Raises `subprocess.SubprocessError` if that fails."""
    home, lock = _HOME / name, HERE / name / "requirements.lock"
    shutil.rmtree(home, ignore_errors=True)
    venv.create(home, with_pip=True)
    build = home / "build.lock"
    # Build old packages here with the locked build tools, not with the newest ones.
    build.write_text("".join(_entries(lock.read_text(), _BUILD)))
    for requirements in (build, lock):
        command = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        command += ["--no-deps", "--require-hashes", "--no-build-isolation", "--retries", "1", "--timeout", "20"]
        subprocess.run([*command, "-r", str(requirements)], capture_output=True, timeout=_PATIENCE_S, check=True)
    (home / "lock.sha256").write_text(_digest(name))


def _entries(lock: str, names: tuple[str, ...]) -> list[str]:
    entries = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)
    return [entry for entry in entries if entry.partition("==")[0] in names]


def _digest(name: str) -> str:
    return hashlib.sha256((HERE / name / "requirements.lock").read_bytes()).hexdigest()


if __name__ == "__main__":
    for each in NAMES:
        if python_of(each) is None:
            print(f"== trying to install the published client of {each} (its absence only skips one test)", flush=True)
            try:
                make(each)
            except (subprocess.SubprocessError, OSError):
                shutil.rmtree(_HOME / each, ignore_errors=True)
                print("   not available here")
