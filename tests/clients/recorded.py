"""Print, as JSON, the answers of the real provider that the published client ships with its own tests.

python recorded.py PACKAGE

Each answer is {method, url, status, media, body}. Runs in the client's environment, without the project's code.
"""

import gzip
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

# Old recordings name Python's own types and need a special loader.
Loader: Any = type("Loader", (yaml.SafeLoader,), {})


def _plain(loader: Any, _suffix: str, node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else node.value


Loader.add_multi_constructor(None, _plain)


def main(package: str) -> Iterator[dict[str, Any]]:
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    for path in sorted((Path(found.origin).parent / "tests" / "cassettes").rglob("*")):
        if path.is_file():
            recorded = yaml.load(path.read_text(encoding="utf-8"), Loader)
            yield from map(_as_recorded, recorded["interactions"] if isinstance(recorded, dict) else recorded)


def _as_recorded(interaction: Any) -> dict[str, Any]:
    request, response = interaction["request"], interaction["response"]
    headers = {name.lower(): value for name, value in response["headers"].items()}
    media = headers.get("content-type", "")
    body = response["body"]
    raw = body.get("string") or "" if isinstance(body, dict) else body or ""
    content = raw.encode() if isinstance(raw, str) else raw
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    status = response["status"]
    return {
        "method": request["method"],
        "url": request.get("uri") or request["url"],
        "status": status["code"] if isinstance(status, dict) else status,
        "media": media[0] if isinstance(media, list) else media,
        "body": content.decode("utf-8", "replace"),
    }


if __name__ == "__main__":
    print(json.dumps(list(main(sys.argv[1]))))
