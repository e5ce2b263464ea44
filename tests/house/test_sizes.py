"""Nothing exceeds its limit, and the measure works."""

import ast

from tests.house import tree
from tests.house.sizes import Size, measure_all, measure_module


def test_nothing_is_larger_than_its_limit() -> None:
    refused = [size for size in measure_all() if size.is_refused]
    assert not refused, tree.listing(refused)


def test_a_giant_of_each_kind_is_refused() -> None:
    source = "class Giant:\n    def grow(self, a, b, c, d, e, f, *, g=0):\n" + "        a = b\n" * 60 + "\n" * 340
    sizes = list(measure_module("domain/giant.py", ast.parse(source), source))
    assert [(size.kind, size.value) for size in sizes if size.is_refused] == [
        ("lines in a module", 402),
        ("lines in a function", 61),
        ("positional parameters", 6),
    ]


def test_a_file_exactly_at_the_limit_is_accepted() -> None:
    source = "def grow(a, b, c, d, e, /, *, f):\n" + "    a = b\n" * 59 + "\n" * 340
    assert not [size for size in measure_module("tasks/giant.py", ast.parse(source), source) if size.is_refused]


def test_a_station_entry_has_a_shorter_limit() -> None:
    source = "def stage():\n" + "    pass\n" * 10
    assert Size("lines in a station's entry", "tasks/entries.py:1 stage", 11) in measure_module(
        "tasks/entries.py", ast.parse(source), source
    )
