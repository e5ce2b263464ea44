"""No regular expression of ours takes time that grows faster than its input.

Files, answers and settings come from outside, and a search that backtracks makes two kilobytes cost an hour.
"""

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import pytest

from tests.house import pumping, tree

ANCHORED: Final = frozenset({"match", "fullmatch"})
SEARCHES: Final = frozenset({"search", "findall", "finditer", "split", "sub", "subn"})
MAKERS: Final = frozenset({"compile", "template"}) | ANCHORED | SEARCHES
MADE_LATER: Final = {
    "tasks/corrections/file_names.py": "the suffixes of the catalogue, each escaped, at a name of at most 255 bytes",
    "connectors/spreadsheets/formats/sheet_xml.py": "the numbers of styles; test_sheet_xml_growth.py pumps it",
    "connectors/spreadsheets/formats/row_regex.py": "a sheet's own styles; test_sheet_xml_growth.py pumps it",
}
"""Modules that build a pattern from their arguments, and why no input can make it slow."""


class Used(NamedTuple):
    """A pattern and the methods that apply it to input."""

    name: str
    pattern: "re.Pattern[Any]"
    methods: frozenset[str]


@cache
def used() -> tuple[Used, ...]:
    calls = _calls()
    found = [
        Used(f"{path}:{name}", value, _hardest(calls.get(name, SEARCHES)))
        for path in tree.modules(*tree.PACKAGES)
        if not path.endswith("__main__.py")
        for name, value in _own_patterns(path)
    ]
    return (*found, *_inline())


def _hardest(methods: frozenset[str]) -> frozenset[str]:
    """Return one of the methods that go through the same steps."""
    several = frozenset({"findall"}) if methods & SEARCHES - {"search"} else methods & SEARCHES
    whole = methods & {"fullmatch"} or methods & {"match"}
    return several | whole


def _own_patterns(path: str) -> Iterator[tuple[str, "re.Pattern[Any]"]]:
    if not _imports_re(path):
        return
    module = importlib.import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    for name, value in vars(module).items():
        for each in value if isinstance(value, tuple) else (value,):
            # A rule may hold its pattern in a field.
            fields = [getattr(each, field, None) for field in getattr(type(each), "__slots__", ())]
            for pattern in (each, *fields):
                if isinstance(pattern, re.Pattern):
                    yield name, pattern


def _calls() -> dict[str, frozenset[str]]:
    """Return, by a pattern's name, its methods that are called anywhere."""
    found: dict[str, set[str]] = {}
    for path in tree.modules(*tree.PACKAGES):
        for node in tree.nodes(path):
            if isinstance(node, ast.Attribute) and node.attr in ANCHORED | SEARCHES:
                owner = node.value
                name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
                found.setdefault(name, set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def _inline() -> Iterator[Used]:
    """Yield patterns that are written at the place of their use."""
    for path in tree.modules(*tree.PACKAGES):
        for call in _made_in_functions(path):
            pattern, function = call.args[0], call.func
            if isinstance(pattern, ast.Constant) and isinstance(function, ast.Attribute):
                yield Used(f"{path}:{call.lineno}", re.compile(pattern.value), _hardest(frozenset({function.attr})))


@cache
def _made_in_functions(path: str) -> tuple[ast.Call, ...]:
    if not _imports_re(path):
        return ()
    functions = [node for node in tree.nodes(path) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    calls = (node for function in functions for node in ast.walk(function) if isinstance(node, ast.Call))
    return tuple(dict.fromkeys(call for call in calls if _is_maker(call.func)))


def _imports_re(path: str) -> bool:
    return "re" in {name for name, _ in tree.imports(path)}


def _is_maker(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in MAKERS
    )


def test_patterns_are_made_where_this_test_finds_them() -> None:
    hidden = [
        f"{path}:{call.lineno}"
        for path in tree.modules(*tree.PACKAGES)
        for call in _made_in_functions(path)
        if not isinstance(call.args[0], ast.Constant) and path not in MADE_LATER
    ]
    assert not hidden, tree.listing(hidden)
    assert not [path for path in MADE_LATER if not _made_in_functions(path)]


def test_patterns_are_made_by_re_compile_alone() -> None:
    renamed = [
        f"{path}:{node.lineno}"
        for path in tree.modules(*tree.PACKAGES)
        for node in tree.nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module == "re"
    ]
    assert not renamed, tree.listing(renamed)


def slow(each: Used) -> Iterator[str]:
    is_bytes = isinstance(each.pattern.pattern, bytes)
    for method in sorted(each.methods):
        call: Callable[[Any], object] = getattr(each.pattern, method)
        for attack in pumping.attacks(each.pattern):
            exponent = pumping.growth(call, attack, is_bytes=is_bytes)
            if exponent is not None:
                yield f"{each.name} .{method}: {exponent} of {attack}"
                break


@pytest.mark.parametrize("part", range(8))
def test_no_pattern_takes_more_than_linear_time(part: int) -> None:
    found = [message for each in used()[part::8] for message in slow(each)]
    assert not found, tree.listing(found)


@pytest.mark.parametrize("source", ["(a|a)*b", "(a+)+$", r"\s*(?:x)?\s*<", r"<f[^>]*>", r"\S*[0-9]x", r"a\d*\d*b"])
def test_a_slow_pattern_is_found(source: str) -> None:
    assert [*slow(Used("here", re.compile(source), frozenset({"search"})))]
