"""The shape of the tree: the allowed folders, and tests that mirror their modules."""

from pathlib import PurePosixPath

from tests.house import tree

# Names without meaning: a module there has no topic.
NO_NAMES = frozenset(
    {"utils", "util", "helpers", "helper", "common", "core", "scripts", "src", "misc", "lib", "shared"}
)
TOP = frozenset({*tree.PACKAGES, "docs", "tests", ".ci"})
# Folders of tests that span several modules.
ACROSS = frozenset({"stories", "conformance", "faults", "load", "house", "deployments", "clients", "corpus"})
# Tests named by their question, in the folder that it concerns.
QUESTIONS = {
    "tests/connectors/http/test_was_it_sent.py": "the session and the error classes, over real sockets",
    "tests/connectors/nfse/test_fields.py": "the transcribed field tables against the client's models",
    "tests/connectors/nfse/test_abuse.py": "every emulated route under abuse, generated from the field tables",
    "tests/connectors/nfe/test_abuse.py": "every emulated route under abuse, generated from the field tables",
    "tests/connectors/identity/test_abuse.py": "every emulated route under abuse, generated from the field tables",
    "tests/connectors/orders/test_abuse.py": "every emulated route under abuse, generated from the field tables",
    "tests/connectors/nfe/test_fields.py": "the transcribed field tables against the client and the composed bodies",
    "tests/connectors/identity/test_fields.py": "the transcribed field tables against the client's models",
    "tests/connectors/orders/test_fields.py": "the transcribed field tables against the client's models",
}


def test_no_folder_or_module_has_a_name_that_says_nothing() -> None:
    named = [path for path in tree.files() if NO_NAMES & {*PurePosixPath(path).with_suffix("").parts}]
    assert not named, tree.listing(named)


def test_the_top_level_is_as_designed() -> None:
    tops = {path.split("/", 1)[0] for path in tree.files() if "/" in path}
    assert tops <= TOP, sorted(tops - TOP)


def mirrored(test: str, subjects: frozenset[str]) -> bool:
    """Return whether `tests/x/test_y.py` belongs to a module or package `x/y`, or to a part of one (`test_y_z.py`)."""
    folder, _, name = test.removeprefix("tests/").rpartition("/")
    words = name.removeprefix("test_").removesuffix(".py").split("_")
    candidates = ("_".join(words[:length]) for length in range(len(words), 0, -1))
    return any(f"{folder}/{candidate}" in subjects for candidate in candidates)


def test_each_test_mirrors_a_module() -> None:
    subjects = frozenset(path.removesuffix("/__init__.py").removesuffix(".py") for path in tree.modules(*tree.PACKAGES))
    stray = [
        path
        for path in tree.modules("tests")
        if path.rpartition("/")[2].startswith("test_")
        and path.split("/")[1] not in ACROSS
        and path not in QUESTIONS
        and not mirrored(path, subjects)
    ]
    assert not stray, tree.listing(stray)


def test_a_stray_test_is_seen() -> None:
    subjects = frozenset({"domain/money", "connectors/ledger", "connectors/ledger/transitions"})
    assert mirrored("tests/domain/test_money.py", subjects)
    assert mirrored("tests/connectors/ledger/test_transitions_by_two.py", subjects)
    assert mirrored("tests/connectors/test_ledger.py", subjects)
    assert not mirrored("tests/domain/test_moves.py", subjects)
    assert not mirrored("tests/test_money.py", subjects)


def test_test_files_are_found_by_the_runner() -> None:
    lost = [
        path
        for path in tree.modules("tests")
        if "\ndef test_" in tree.text(path) and not path.rpartition("/")[2].startswith("test_")
    ]
    assert not lost, tree.listing(lost)
