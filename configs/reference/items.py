"""The services of the national list (`items.csv`): annex of the Complementary Law 116 of 31 July 2003.

Codes as the law numbers them, with the additions of the Complementary Laws 157 of 2016 (1.09, 6.06, 14.14, 16.02,
17.25, 25.05) and 183 of 2021 (11.05), without the vetoed items; we shortened the descriptions. Source: the law itself,
an official text and as such free of copyright (Law 9.610 of 1998, article 8, IV).
"""

import csv
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ITEMS: Final = Path(__file__).parent / "items.csv"


@dataclass(frozen=True, slots=True)
class Item:
    """One service: its code, written as `01.05`, and its description."""

    code: str
    description: str


class ItemTable:
    """The national list, by code."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._by_code = {item.code: item for item in items}

    def __len__(self) -> int:
        return len(self._by_code)

    def by_code(self, code: str) -> Item | None:
        """Return the service with this code, written as `01.05`, or None."""
        return self._by_code.get(code)


@functools.cache
def load_items() -> ItemTable:
    """Return the list; it is read once per process."""
    with ITEMS.open(encoding="utf-8", newline="") as file:
        return ItemTable(Item(code, description) for code, description in csv.reader(file) if code != "code")
