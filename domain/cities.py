"""The two cities in which the provider issues, and how their requests differ (document 000, city-specific request).

A new city is one more `CityRules`. Text sizes are the document's field sizes. Where the document has none, the size is
that of the municipal layouts, and a comment says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from domain.problems import Problem

RIO_DE_JANEIRO: Final = "3304557"
SAO_PAULO: Final = "3550308"

_CODE: Final = re.compile(r"([0-9]{1,5})(?:[.\-/]([0-9]{2}))?(?:[.\-/]([0-9]{2}))?|([0-9]{6})")
_NATIONAL_ITEM_DIGITS: Final = 4
_TEXT_LIMITS: Final = MappingProxyType(
    {
        "observations": 255,
        "service_item_code": 5,
        "city_tax_code": 20,
        # the document gives no size: both municipal layouts end the description at 2,000 characters
        "description": 2_000,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CityRules:
    """The rules of one city for the fields of a request.

    A value of None: requests to this city omit the field [A notes 1.22]. `tax_code_digits` None: the city needs no city
    tax code, and accepts any.
    """

    code: str
    name: str
    state: str
    rps_type: int | str
    rps_situation: int | str
    rps_situations: tuple[int | str, ...]
    operation_nature: int | None
    operation_natures: tuple[int, ...]
    special_regime: int | None
    required_taker_fields: tuple[str, ...]
    item_code_digits: int
    tax_code_digits: int | None
    refuses_federal_retentions_of_cpf: bool
    text_limits: Mapping[str, int] = field(default_factory=lambda: _TEXT_LIMITS)

    def item_code_of(self, text: str) -> str | Problem:
        """Return a service item code in the city's form (`1.05` or `105` → `0105` in Rio), or the problem `city.code`.

        Add a leading zero only where one code is possible. `1.1` may mean 1.01 or 1.10: it is refused.
        """
        return self._code_of(text, self.item_code_digits, "service_item_code")

    def tax_code_of(self, text: str) -> str | Problem:
        """Return a city tax code in the city's form: `01.05.01` → `010501` in Rio."""
        if self.tax_code_digits is None:
            return text.strip()
        return self._code_of(text, self.tax_code_digits, "city_tax_code")

    def situation_of(self, text: str) -> int | str | Problem:
        """Return the RPS situation that a cell names ("t" → "T", "1" → 1), or the problem `city.situation`."""
        found = _find_named_value(text, self.rps_situations)
        if found is not None:
            return found
        allowed = ", ".join(str(each) for each in self.rps_situations)
        return Problem("city.situation", "rps_situation", params={"city": self.name, "allowed": allowed})

    def nature_of(self, text: str) -> int | Problem:
        """Return the operation nature that a cell names, or `city.operation_nature` or `city.no_operation_nature`."""
        found = _find_named_value(text, self.operation_natures)
        if isinstance(found, int):
            return found
        if not self.operation_natures:
            return Problem("city.no_operation_nature", "operation_nature", params={"city": self.name})
        allowed = ", ".join(str(each) for each in self.operation_natures)
        return Problem("city.operation_nature", "operation_nature", params={"city": self.name, "allowed": allowed})

    def _code_of(self, text: str, digits: int, name: str) -> str | Problem:
        return _parse_service_code(text, digits) or Problem(
            "city.code", name, params={"city": self.name, "code": text[:20], "digits": digits}
        )


# cached: the rows of a sheet have few different codes
@lru_cache(maxsize=1_024)
def _parse_service_code(text: str, digits: int) -> str | None:
    found = _CODE.fullmatch(text.strip())
    code = "".join(found.groups("")) if found else ""
    # four digits may be an item of the national list, so do not read São Paulo's 1105 as 01105
    has_lost_zero = len(code) == digits - 1 != _NATIONAL_ITEM_DIGITS and code[0] != "0"
    return code.zfill(digits) if len(code) == digits or has_lost_zero else None


CITY_RULES: Final[Mapping[str, CityRules]] = MappingProxyType(
    {
        RIO_DE_JANEIRO: CityRules(
            code=RIO_DE_JANEIRO,
            name="Rio de Janeiro",
            state="RJ",
            rps_type=1,
            rps_situation=1,
            rps_situations=(1, 2),
            operation_nature=1,
            operation_natures=(1, 2, 3, 4, 5, 6),
            special_regime=None,
            required_taker_fields=(),
            item_code_digits=4,
            tax_code_digits=6,
            # the city refuses it with E916, as seen on the wire
            refuses_federal_retentions_of_cpf=True,
        ),
        SAO_PAULO: CityRules(
            code=SAO_PAULO,
            name="São Paulo",
            state="SP",
            rps_type="RPS",
            rps_situation="T",
            rps_situations=("T", "F", "A", "B", "M", "N", "X", "V", "P", "C"),
            operation_nature=None,
            operation_natures=(),
            special_regime=None,
            required_taker_fields=("state", "city"),
            item_code_digits=5,
            tax_code_digits=None,
            refuses_federal_retentions_of_cpf=False,
        ),
    }
)


def city_of(code: str) -> CityRules | None:
    """Return the rules of a city by its IBGE code, or None if the provider does not issue there."""
    return CITY_RULES.get(code)


def _find_named_value(text: str, values: tuple[int | str, ...]) -> int | str | None:
    wanted = text.strip().upper()
    return next((value for value in values if str(value) == wanted), None)
