"""Look up a row's city, state and city code in the reference table."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from connectors.spreadsheets.parsers import cells
from domain.problems import Problem
from domain.texts import folded

Remark: TypeAlias = tuple[str, Mapping[str, str | int]]
"""The code of a remark, and the parameters of its message."""

CITY_CODE_LENGTH: Final = 7
REMEMBERED: Final = 32_768
"""The number of distinct cells of a column whose values are remembered; a million rows must not fill the memory."""
_QUOTED: Final = 60


class City(Protocol):
    """A municipality in the reference table."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def uf(self) -> str: ...


class Cities(Protocol):
    """The reference table. The caller passes it, because this package has no reference data."""

    def by_code(self, code: str) -> City | None: ...
    def by_name(self, name: str, uf: str | None) -> Sequence[City]: ...


class CityResult(NamedTuple):
    """City, state and code from the reference table, or a problem whose field names the wrong column.

    `remarks` are about the city's cell.
    """

    found: Mapping[str, str | None] | Problem
    remarks: tuple[Remark, ...] = ()


class CityLookup:
    """Look up city, state and code of rows; each combination once."""

    def __init__(self, cities: Cities) -> None:
        self._cities = cities
        self._known: dict[tuple[str | None, ...], CityResult] = {}

    def find(self, code: str | None, city: str | None, state: str | None) -> CityResult:
        """Return the city of a row. A code is enough; a name may need its state.

        The code may be in the city's column. `state` is an abbreviation.
        """
        key = (code, city, state)
        result = self._known.get(key)
        if result is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            result = self._known[key] = self._find(code, city, state)
        return result

    def _find(self, code: str | None, city: str | None, state: str | None) -> CityResult:
        """Look up a city. Add a remark if the city's cell means "no value" or has another spelling."""
        if city and cells.says_nothing(city):
            return CityResult(self._city(code, None, state), (("row.says_nothing", {}),))
        found = self._city(code, city, state)
        known = None if isinstance(found, Problem) else found.get("city")
        if isinstance(found, Problem) or not (city and known) or city == known or city.isdecimal():
            return CityResult(found)
        if folded(known) in folded(city):
            return CityResult(found)
        return CityResult(found, (("city.known_as", {"text": city[:_QUOTED], "city": f"{known} - {found['state']}"}),))

    def _city(self, code: str | None, city: str | None, state: str | None) -> dict[str, str | None] | Problem:
        if code is not None:
            return self._city_of_code(code, city, state, field="city_code")
        if city is not None and len(city) == CITY_CODE_LENGTH and city.isdecimal():
            return self._city_of_code(city, None, state, field="city")
        if city is None:
            return {} if state is None else {"state": state}
        found = self._named(city, state)
        if len(found) != 1:
            code = "city.ambiguous" if found else "city.unknown"
            return Problem(code, "city", params={"city": city[:_QUOTED]})
        return {"city": found[0].name, "state": found[0].uf, "city_code": found[0].code}

    def _city_of_code(
        self, code: str, city: str | None, state: str | None, *, field: str
    ) -> dict[str, str | None] | Problem:
        found = self._cities.by_code(code)
        if found is None:
            return Problem("city.unknown", field, params={"city": code[:_QUOTED]})
        # ignore an unknown name; the name of another city means that the name or the code is wrong
        named = [] if city is None else [each.code for each in self._named(city, None)]
        if state not in (None, found.uf) or (named and found.code not in named):
            written = " - ".join(each for each in (city, state) if each)
            known = f"{found.name} - {found.uf}"
            return Problem("city.contradicts", field, params={"code": code, "city": known, "stated": written[:_QUOTED]})
        return {"city": found.name, "state": found.uf, "city_code": found.code}

    def _named(self, city: str, state: str | None) -> Sequence[City]:
        """Return the cities that `São Paulo`, `São Paulo - SP` or a name with a separate state may mean."""
        name, uf = cells.split_place(city)
        # No municipality's own name ends with a state, so search only the cities of that state.
        known = self._cities.by_name(name, uf) if uf is not None and state in (None, uf) else ()
        return known or self._cities.by_name(city, state)
