"""`sbom.json` lists exactly what `requirements.lock` pins, and names no machine."""

import json
from typing import Any

from tests.house import tree
from tests.house.test_locks import HOST_NAME, pinned

SBOM = json.loads(tree.text("sbom.json"))


def components() -> list[dict[str, Any]]:
    return list(SBOM["components"])


def test_the_list_holds_exactly_what_is_pinned() -> None:
    listed = {each["name"]: each["version"] for each in components()}
    assert listed == pinned("requirements.lock"), "run `make lock`"
    assert len(listed) == len(components())


def test_every_hash_of_the_list_stands_in_the_lock() -> None:
    lock = tree.text("requirements.lock")
    listed = [each["content"] for component in components() for each in component["hashes"]]
    assert all(f"sha256:{each}" in lock for each in listed)
    assert len(listed) == lock.count("--hash=sha256:")


def test_nearly_every_package_has_a_licence() -> None:
    nameless = [each["name"] for each in components() if not each.get("licenses")]
    assert len(nameless) < len(components()) * 0.05, tree.listing(nameless)


def test_the_list_names_no_address() -> None:
    addresses = [each["purl"] for each in components() if not each["purl"].startswith("pkg:pypi/")]
    assert not addresses
    others = json.dumps([{**each, "purl": "", "bom-ref": "", "name": ""} for each in components()])
    assert "://" not in others
    assert not HOST_NAME.search(others)
