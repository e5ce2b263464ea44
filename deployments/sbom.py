"""List what Faturista runs on as a CycloneDX file: `python -m deployments.sbom requirements.lock sbom.json`.

Use the standard library only, so that `make lock` needs no other package. The same lock gives the same bytes: the list
has no instant, no serial number and no address. A licence comes from the installed package of exactly that version,
else from the list that is replaced.
"""

import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

_PIN: Final = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)(?: ; ([^\\]+))?")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_VIA: Final = re.compile(r"^    #(?: via| ) +([A-Za-z0-9._-]+)", re.MULTILINE)
_LONGEST_NAME: Final = 60
_CLASSIFIER: Final = "License :: OSI Approved :: "


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock file; `wanted_by` are the packages that need it, `marker` says where it is installed."""

    name: str
    version: str
    marker: str | None
    hashes: tuple[str, ...]
    wanted_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def read_pins(lock: str) -> Iterator[Pin]:
    """Yield the pins of a lock file in uv's format."""
    for entry in re.split(r"\n(?=[A-Za-z0-9])", lock):
        found = _PIN.fullmatch(entry.partition("\n")[0].rstrip(" \\"))
        if found:
            name, version, marker = found.groups()
            yield Pin(_canonical(name), version, marker, tuple(_HASH.findall(entry)), tuple(_VIA.findall(entry)))


def bill_of_materials(lock: str, project: Mapping[str, Any], former: Mapping[str, Any]) -> dict[str, Any]:
    """Return the CycloneDX document. `project`: the table of pyproject.toml; `former`: the document it replaces."""
    pins = sorted(read_pins(lock), key=lambda pin: pin.name)
    licences = {each["purl"]: each["licenses"] for each in former.get("components", ()) if "licenses" in each}
    root = f"pkg:pypi/{project['name']}@{project['version']}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": [_component(pin, _licences(pin) or licences.get(pin.purl)) for pin in pins],
        "dependencies": _dependencies(pins, project["name"], root),
    }


def _component(pin: Pin, licences: list[dict[str, Any]] | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": pin.purl,
        "name": pin.name,
        "version": pin.version,
        "purl": pin.purl,
        "hashes": [{"alg": "SHA-256", "content": each} for each in pin.hashes],
    }
    if licences:
        found["licenses"] = licences
    if pin.marker:
        found["properties"] = [{"name": "faturista:marker", "value": pin.marker}]
    return found


def _licences(pin: Pin) -> list[dict[str, Any]]:
    try:
        about = distribution(pin.name)
    except PackageNotFoundError:
        return []
    # A lock is made before it is installed: another version may have another licence.
    if about.version != pin.version:
        return []
    metadata = about.metadata.json
    if expression := metadata.get("license_expression"):
        return [{"expression": expression}]
    named = str(metadata.get("license", "")).strip()
    if 0 < len(named) <= _LONGEST_NAME and "\n" not in named:
        return [{"license": {"name": named}}]
    classifiers = [each.removeprefix(_CLASSIFIER) for each in metadata.get("classifier", ()) if _CLASSIFIER in each]
    return [{"license": {"name": each}} for each in classifiers]


def _dependencies(pins: list[Pin], project: str, root: str) -> list[dict[str, Any]]:
    refs = {pin.name: pin.purl for pin in pins} | {project: root}
    needs: dict[str, list[str]] = defaultdict(list)
    for pin in pins:
        for each in pin.wanted_by:
            needs[refs[_canonical(each)]].append(pin.purl)
    return [{"ref": ref, "dependsOn": needs[ref]} for ref in refs.values()]


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(lock: Path, target: Path) -> None:
    """Write the list for a lock file that lies beside its pyproject.toml."""
    project = tomllib.loads((lock.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    former = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    made = bill_of_materials(lock.read_text(encoding="utf-8"), project, former)
    target.write_text(_written(made), encoding="utf-8")


def _written(made: Mapping[str, Any]) -> str:
    """Return the document as JSON with one line for each item of a list, so that diffs are short."""
    parts = []
    for key, value in made.items():
        if isinstance(value, list):
            text = "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in value) + "\n]"
        else:
            text = json.dumps(value, ensure_ascii=False)
        parts.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
