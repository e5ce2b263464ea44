"""Write `cities.csv` from the tables that PyNFe ships: `pip download --no-deps PyNFe`, then run this with the wheel.

Take only the facts, code and official name; the state follows from the code's first two digits.
"""

import csv
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from configs.reference.cities import CITIES, City

STATES: Final[Mapping[str, str]] = {
    "11": "RO", "12": "AC", "13": "AM", "14": "RR", "15": "PA", "16": "AP", "17": "TO",
    "21": "MA", "22": "PI", "23": "CE", "24": "RN", "25": "PB", "26": "PE", "27": "AL", "28": "SE", "29": "BA",
    "31": "MG", "32": "ES", "33": "RJ", "35": "SP",
    "41": "PR", "42": "SC", "43": "RS",
    "50": "MS", "51": "MT", "52": "GO", "53": "DF",
}  # fmt: skip
_TABLE: Final = re.compile(r"pynfe/data/MunIBGE/MunIBGE-UF(\d\d)\.txt")
_LINE: Final = re.compile(r"(\d{7})\s+(\S.*)")


def gather_cities(wheel: Path) -> list[City]:
    """Return every municipality in the wheel's tables, by code. Leave out entries without a state (99: abroad)."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if _TABLE.fullmatch(name))
        return sorted(
            (city for name in names for city in _cities(archive.read(name).decode("utf-8-sig"))),
            key=lambda city: city.code,
        )


def write_cities(cities: list[City], path: Path = CITIES) -> None:
    """Write a header, then one line for each city: code, name, uf."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([("code", "name", "uf"), *((city.code, city.name, city.uf) for city in cities)])


def _cities(text: str) -> Iterator[City]:
    for line in text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found and found[1][:2] in STATES:
            yield City(found[1], found[2], STATES[found[1][:2]])


if __name__ == "__main__":
    write_cities(gather_cities(Path(sys.argv[1])))
