"""Compare the operations that a command really sends with the claims of `docs/reached.toml`."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

import pytest

from tests.sandboxes import ROOT, RunningSandbox

REACHED = ROOT / "docs" / "reached.toml"
_PLACES = {"shop": "shop", "store": "shop", "each_shop": "each_shop", "sandbox": "sandbox"}
"""Fixtures with a sandbox, and the attribute that holds it."""


@cache
def claims() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the claimed operations by test and command."""
    found: dict[str, dict[str, list[str]]] = tomllib.loads(REACHED.read_text(encoding="utf-8"))
    return found


@dataclass
class Witness:
    """Counts the sandbox's requests while a command runs."""

    sandbox: RunningSandbox
    claimed: Mapping[str, Sequence[str]]
    seen: dict[str, set[str]] = field(default_factory=dict)

    @contextmanager
    def watching(self, command: Sequence[object]) -> Iterator[None]:
        """Count while this command runs. The first words of a command identify it, as many as the claim has."""
        before = self._counts()
        yield
        asked = {name for name, count in self._counts().items() if count > before.get(name, 0)}
        typed = [str(part) for part in command]
        for claim in self.claimed:
            if typed[: len(claim.split())] == claim.split():
                self.seen.setdefault(claim, set()).update(asked)

    def compare(self) -> None:
        """Fail if a command never sent a claimed operation."""
        missing = [
            f"{command}: {operation}"
            for command, operations in self.claimed.items()
            for operation in operations
            if operation not in self.seen.get(command, ())
        ]
        assert not missing, f"docs/reached.toml claims more than was sent: {missing}"

    def _counts(self) -> dict[str, int]:
        counts: dict[str, int] = self.sandbox.record()["requests_by_operation"]
        return counts


def witness_of(request: pytest.FixtureRequest) -> Witness | None:
    """Return the witness of a test with claims, or None."""
    claimed = claims().get(request.node.nodeid.partition("[")[0])
    name = next((home for place, home in _PLACES.items() if place in request.fixturenames), None)
    if claimed is None or name is None:
        assert claimed is None, f"{request.node.nodeid} has no sandbox to be watched"
        return None
    found = request.getfixturevalue(name)
    return Witness(found if isinstance(found, RunningSandbox) else found.sandbox, claimed)
