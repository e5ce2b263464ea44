"""The municipalities of Brazil with their IBGE codes (`cities.csv`, written by `gather`).

Codes are looked up, never computed: nine official ones fail their own check digit. A name alone is not enough: 232 of
them are shared by two or more states.
"""

import csv
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain.texts import folded

CITIES: Final = Path(__file__).parent / "cities.csv"


@dataclass(frozen=True, slots=True)
class City:
    """A municipality: seven-digit code as text, official name, state abbreviation."""

    code: str
    name: str
    uf: str


class CityTable:
    """All municipalities, found by code or by name."""

    def __init__(self, cities: Iterable[City]) -> None:
        self._by_code = {city.code: city for city in cities}
        self._by_name: defaultdict[str, list[City]] = defaultdict(list)
        for city in self._by_code.values():
            self._by_name[_bare(city.name)].append(city)

    def __len__(self) -> int:
        return len(self._by_code)

    def __iter__(self) -> Iterator[City]:
        """Yield every municipality by name, then by state."""
        return iter(sorted(self._by_code.values(), key=lambda city: (folded(city.name), city.uf)))

    def by_code(self, code: str) -> City | None:
        """Return the municipality with this seven-digit code, or None."""
        return self._by_code.get(code.strip())

    def by_name(self, name: str, uf: str | None = None) -> tuple[City, ...]:
        """Return every municipality of this name, within a state if one is given. Accents, hyphens and case do not
        count.
        """
        state = None if uf is None else uf.strip().upper()
        return tuple(city for city in self._by_name.get(_bare(name), ()) if state in (None, city.uf))


@functools.cache
def load_cities() -> CityTable:
    """Return the table; it is read once per process."""
    with CITIES.open(encoding="utf-8", newline="") as file:
        return CityTable(City(code, name, uf) for code, name, uf in csv.reader(file) if code != "code")


def _bare(name: str) -> str:
    return "".join(c for c in folded(name) if c.isalnum())
