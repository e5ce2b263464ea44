"""A small month for a story, written by hand: each line knows whether it should be billed.

Documents and names are invented; the same seed gives the same month.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import xlsxwriter

from tests.faults.evidence import HEADERS, Dropped

RIO: Final = "99000001000101"
SAO_PAULO: Final = "99000002000148"

_TEMPLATES: Final = ("Mensalidade Sistema", "Consultoria", "Suporte Mensal", "Treinamento")
_PLACES: Final = (("Rio de Janeiro", "RJ", "20010-000"), ("São Paulo", "SP", "01010-000"))
_COLUMNS: Final = (
    HEADERS["emitter"],
    HEADERS["document"],
    "Razão Social",
    "Logradouro",
    "Número",
    "Bairro",
    "CEP",
    "Cidade",
    "UF",
    "Modelo",
    HEADERS["competence"],
    HEADERS["cents"],
    HEADERS["description"],
)
_SOMETIMES: Final = ("Atualizar cadastro",)
"""Columns of a sheet only where a line has them."""
_TITLE_ROWS: Final = 2


@dataclass(frozen=True, slots=True)
class Line:
    """A future row: its cells by header, and its writer's intent (good, bad or repeated)."""

    cells: Mapping[str, Any]
    kind: str = "good"

    def but(self, kind: str = "good", **cells: Any) -> "Line":
        """Return a copy with other cells, by the names of `HEADERS` or by header, and of this kind."""
        changed = {HEADERS.get(name, name): value for name, value in cells.items()}
        return replace(self, cells={**self.cells, **changed}, kind=kind)


def month_lines(count: int, *, emitters: Sequence[str] = (RIO, SAO_PAULO), seed: int = 1) -> list[Line]:
    """Return `count` good lines in turn for each emitter, about two for each taker, and a bad one after every ninth."""
    chance = random.Random(seed)
    takers = _takers(chance, max(1, count // 2))
    lines: list[Line] = []
    for place in range(count):
        taker = takers[place % len(takers)]
        is_person = len(taker[HEADERS["document"]]) == len("000.000.000-00")
        line = Line(
            {
                **taker,
                HEADERS["emitter"]: emitters[place % len(emitters)],
                "Modelo": _TEMPLATES[0] if is_person else _TEMPLATES[place % len(_TEMPLATES)],
                HEADERS["competence"]: this_month(),
                HEADERS["cents"]: chance.randrange(10_00, 5_000_00) / 100,
                HEADERS["description"]: f"Contrato {seed:03}-{place:04}",
            }
        )
        lines.append(line)
        if place % 9 == 8:
            lines.append(_spoilt(line, place // 9))
    return lines


def write_month(path: Path, lines: Sequence[Line]) -> Dropped:
    """Write the lines below two title rows and a header. Return the row numbers of each kind, for the checker."""
    numbers: dict[str, set[int]] = {"good": set(), "bad": set(), "repeated": set()}
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("Faturamento")
    money = book.add_format({"num_format": "#,##0.00"})
    sheet.write(0, 0, "Faturamento do mês")
    columns = [*_COLUMNS, *(each for each in _SOMETIMES if any(each in line.cells for line in lines))]
    sheet.write_row(_TITLE_ROWS, 0, columns)
    for row, line in enumerate(lines, start=_TITLE_ROWS + 1):
        numbers[line.kind].add(row + 1)
        for column, header in enumerate(columns):
            value = line.cells.get(header)
            if isinstance(value, float):
                sheet.write_number(row, column, value, money)
            elif value is not None:
                sheet.write_string(row, column, value)
    book.close()
    return Dropped(path, **{kind: frozenset(rows) for kind, rows in numbers.items()})


def this_month() -> str:
    """Return the current month at the place of issue, as a clerk writes it."""
    return (datetime.now(UTC) - timedelta(hours=3)).strftime("%m/%Y")


def _spoilt(line: Line, turn: int) -> Line:
    description = f"{line.cells[HEADERS['description']]} com erro"
    wrong: Sequence[dict[str, Any]] = (
        {"document": "99.000.010/0001-00"},
        {"cents": None},
        {"Modelo": "Modelo que não existe"},
        {"document": None},
        {"cents": 0.0},
    )
    return line.but("bad", description=description, **wrong[turn % len(wrong)])


def _takers(chance: random.Random, count: int) -> list[dict[str, Any]]:
    """Return takers with different documents: two names with one document would be refused."""
    found: dict[str, dict[str, Any]] = {}
    while len(found) < count:
        taker = _taker(chance, len(found))
        found.setdefault(taker[HEADERS["document"]], taker)
    return list(found.values())


def _taker(chance: random.Random, place: int) -> dict[str, Any]:
    """Return a taker: every sixth is a person, every fourth has letters in its CNPJ."""
    city, state, zip_code = _PLACES[place % len(_PLACES)]
    if place % 6 == 5:
        document, name = _cpf(f"99{chance.randrange(10**7):07}"), f"Pessoa de Teste {place}"
    else:
        root = "99" + "".join(chance.choices("0123456789ABCDEFGHJK" if place % 4 == 3 else "0123456789", k=6))
        document, name = _cnpj(f"{root}0001"), f"Tomador de Teste {place} Ltda"
    address = ("Rua das Laranjeiras", str(100 + place), "Centro", zip_code, city, state)
    return {
        HEADERS["document"]: document,
        "Razão Social": name,
        **dict(zip(("Logradouro", "Número", "Bairro", "CEP", "Cidade", "UF"), address, strict=True)),
    }


def _cpf(root: str) -> str:
    digits = root
    for length in (9, 10):
        rest = sum(int(digit) * weight for digit, weight in zip(digits, range(length + 1, 1, -1), strict=True)) % 11
        digits += str(0 if rest < 2 else 11 - rest)
    return f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"


def _cnpj(root: str) -> str:
    """Return a CNPJ: a letter counts as its code minus that of zero; weights 2 to 9 repeat from the right."""
    text = root
    for _ in range(2):
        weighted = ((ord(char) - 48) * (2 + place % 8) for place, char in enumerate(reversed(text)))
        rest = sum(weighted) % 11
        text += str(0 if rest < 2 else 11 - rest)
    return f"{text[:2]}.{text[2:5]}.{text[5:8]}/{text[8:12]}-{text[12:]}"
