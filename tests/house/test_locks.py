"""The lock files: complete, hashed, and free of any address, so that any machine's package index can install them."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house import tree

LOCKS = (
    *("requirements-setup.lock", "requirements.lock", "requirements-dev.lock"),
    *("requirements-bench.lock", "requirements-servers.lock"),
    *sorted(path for path in tree.files() if path.startswith("tests/clients/") and path.endswith(".lock")),
)
HOST_NAME = re.compile(r"\b[a-z0-9-]+\.(com|org|net|io|dev|br|cloud|internal|local)\b(?!\.)", re.IGNORECASE)
OPTION = re.compile(r"^\s*(--(?!hash=)\S+|-[a-z]\b)", re.MULTILINE)


def pinned(lock: str) -> dict[str, str]:
    """Return name to version of every pin in a lock file."""
    lines = tree.text(lock).splitlines()
    pins = (re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)", line) for line in lines)
    return {canonicalize_name(pin[1]): pin[2] for pin in pins if pin}


@pytest.mark.parametrize("lock", LOCKS)
def test_no_address_is_written_in_a_lock(lock: str) -> None:
    text = tree.text(lock)
    assert "://" not in text
    assert not HOST_NAME.search(text), HOST_NAME.findall(text)
    assert not OPTION.search(text), "an option in a lock file binds it to one machine's index"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_its_hashes(lock: str) -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", tree.text(lock))
    unhashed = [entry.split()[0] for entry in entries if entry[:1].isalnum() and "--hash=sha256:" not in entry]
    assert not unhashed
    assert pinned(lock)


@pytest.mark.parametrize(
    ("lock", "is_dev"), [("requirements.lock", False), ("requirements-dev.lock", True)], ids=["runtime", "dev"]
)
def test_each_dependency_is_pinned_within_its_caps(lock: str, is_dev: bool) -> None:
    project = tomllib.loads(tree.text("pyproject.toml"))
    declared = list(project["project"]["dependencies"])
    declared += [line for extra in project["project"]["optional-dependencies"].values() for line in extra]
    declared += project["dependency-groups"]["dev"] if is_dev else []
    pins = pinned(lock)
    wrong = [
        f"{wanted} is pinned as {pins.get(canonicalize_name(wanted.name), 'nothing')}: run `make lock`"
        for wanted in map(Requirement, declared)
        if not wanted.specifier.contains(pins.get(canonicalize_name(wanted.name), "0"))
    ]
    assert not wrong, tree.listing(wrong)


def test_the_development_lock_only_adds_to_the_runtime_lock() -> None:
    runtime, dev = pinned("requirements.lock"), pinned("requirements-dev.lock")
    assert runtime.items() <= dev.items(), "one of the two was compiled on another day: run `make lock`"


def test_no_lock_full_of_addresses_is_kept() -> None:
    assert not {"uv.lock", "pylock.toml", "poetry.lock", "pip.conf"} & {
        path.rpartition("/")[2] for path in tree.files()
    }
