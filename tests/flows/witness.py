"""Which operations a command really sends, compared with what `docs/reached.toml` claims of a test."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

import pytest

from tests.sandboxes import ROOT, RunningSandbox

REACHED = ROOT / "docs" / "reached.toml"
_PLACES = {"shop": "shop", "store": "shop", "each_shop": "each_shop", "sandbox": "sandbox"}
"""Fixtures that have a sandbox, and which of them holds it."""


@cache
def claims() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """By test, by command: the operations that the test says this command reaches."""
    found: dict[str, dict[str, list[str]]] = tomllib.loads(REACHED.read_text(encoding="utf-8"))
    return found


@dataclass
class Witness:
    """Counts what the sandbox is asked while a command runs."""

    sandbox: RunningSandbox
    claimed: Mapping[str, Sequence[str]]
    seen: dict[str, set[str]] = field(default_factory=dict)

    @contextmanager
    def watching(self, command: Sequence[object]) -> Iterator[None]:
        """While this command runs. It is known by its first words, as many as the claim has."""
        before = self._counts()
        yield
        asked = {name for name, count in self._counts().items() if count > before.get(name, 0)}
        typed = [str(part) for part in command]
        for claim in self.claimed:
            if typed[: len(claim.split())] == claim.split():
                self.seen.setdefault(claim, set()).update(asked)

    def compare(self) -> None:
        """Fail where a command never sent an operation that it is said to reach."""
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
    """The witness of a test that claims something; None for any other."""
    claimed = claims().get(request.node.nodeid.partition("[")[0])
    name = next((home for place, home in _PLACES.items() if place in request.fixturenames), None)
    if claimed is None or name is None:
        assert claimed is None, f"{request.node.nodeid} has no sandbox to be watched"
        return None
    found = request.getfixturevalue(name)
    return Witness(found if isinstance(found, RunningSandbox) else found.sandbox, claimed)
