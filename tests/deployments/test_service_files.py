"""Unit, image and compose files: they parse, and name only what exists."""

import configparser
import re
from pathlib import PurePosixPath

import yaml

from tests.house import tree

UNIT = "deployments/systemd/faturista.service"
IMAGE = "deployments/container/Dockerfile"
COMPOSE = "deployments/container/compose.yaml"


def test_unit_runs_the_one_command_as_its_own_user() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(tree.text(UNIT))
    service = unit["Service"]
    assert service["ExecStart"].endswith("/faturista up")
    assert (service["User"], service["UMask"], service["KillSignal"]) == ("faturista", "0077", "SIGINT")


def test_image_copies_what_exists_and_runs_without_root() -> None:
    lines = tree.text(IMAGE).splitlines()
    sources = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    present = {part for path in tree.files() for part in (path, path.split("/", 1)[0])}
    assert set(sources) <= present, set(sources) - present
    assert {PurePosixPath(name).name for name in tree.PACKAGES} <= set(sources)
    assert "USER faturista" in lines
    assert all("--require-hashes" in line for line in lines if "pip install" in line and ".lock" in line)


def test_compose_starts_in_order_and_asks_for_secrets() -> None:
    services = yaml.safe_load(tree.text(COMPOSE))["services"]
    assert list(services) == ["database", "server", "bootstrap", "worker", "monitor", "receiver"]
    for name, needed in (
        ("server", "database"),
        ("bootstrap", "server"),
        ("worker", "bootstrap"),
        ("monitor", "bootstrap"),
        ("receiver", "bootstrap"),
    ):
        assert list(services[name]["depends_on"]) == [needed]
    assert not re.search(r"(?i)password: (?!\$)\S", tree.text(COMPOSE))
