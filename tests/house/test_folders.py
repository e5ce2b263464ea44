"""Folders: at least three things in each, and imports between a folder and its subfolder in one direction only."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.house import tree

LEAST = 3
# Exceptions: data beside a reader, and the versions, for which Alembic needs a folder.
OTHERS = frozenset({"configs/layouts", "connectors/ledger/migrations/versions"})
Edge = tuple[str, str]


def folder_of(path: str) -> str:
    return PurePosixPath(path).parent.as_posix()


def two_way(edges: frozenset[Edge]) -> list[Edge]:
    """Return pairs of (folder, subfolder) whose own modules import each other; `edges` are pairs of folders."""
    return sorted((above, below) for above, below in edges if below.startswith(f"{above}/") and (below, above) in edges)


def edges() -> Iterator[Edge]:
    """Yield each import as the pair of the two modules' folders."""
    paths = {path.removesuffix("/__init__.py").removesuffix(".py").replace("/", "."): path for path in MODULES}
    for path in MODULES:
        for target in tree.targets(path):
            if target in paths:
                yield folder_of(path), folder_of(paths[target])


MODULES = tree.modules(*tree.PACKAGES)


def test_folder_and_subfolder_import_in_one_direction() -> None:
    wrong = two_way(frozenset(edges()))
    assert not wrong, tree.listing(wrong)


def test_two_way_imports_are_seen() -> None:
    down, up, across = ("a", "a/b"), ("a/b", "a"), ("a/b", "a/c")
    assert two_way(frozenset({down, up, across})) == [down]
    assert not two_way(frozenset({down, across, ("a/c", "a/b")}))


def test_each_folder_holds_at_least_three_things() -> None:
    held: dict[str, set[str]] = {}
    for path in MODULES:
        for part in (PurePosixPath(path), *PurePosixPath(path).parents):
            if part.name != "__init__.py" and part.parent != part:
                held.setdefault(part.parent.as_posix(), set()).add(part.name)
    small = [f"{name}: {sorted(things)}" for name, things in held.items() if name not in OTHERS and len(things) < LEAST]
    assert not small, tree.listing(small)
