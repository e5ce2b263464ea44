"""Small sheets for the stations that read files: CSV as Brazilian programs write it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.tasks.rows import RIO, company, this_month

HEADERS: Final = (
    "CNPJ Emitente",
    "CNPJ/CPF",
    "Razão Social",
    "Logradouro",
    "Número",
    "CEP",
    "Cidade",
    "UF",
    "Modelo",
    "Competência",
    "Valor",
    "Discriminação",
)
HEADER_ROW: Final = 3
"""The header's row, below a title and an empty line; the first row of data is the next one."""


def cells(number: int = 1, **changes: str) -> list[str]:
    """Return a good row: R$ 100,01 for the first, one cent more for each further one. `changes` by header."""
    values = {
        "CNPJ Emitente": RIO,
        "CNPJ/CPF": company(number).number,
        "Razão Social": f"Tomador {number} Ltda",
        "Logradouro": "Rua das Laranjeiras",
        "Número": "10",
        "CEP": "01310-100",
        "Cidade": "São Paulo",
        "UF": "SP",
        "Modelo": "Mensalidade Sistema",
        "Competência": f"{this_month():%m/%Y}",
        "Valor": f"{100 + number / 100:.2f}".replace(".", ","),
        "Discriminação": f"Contrato {number}",
    }
    return list((values | changes).values())


def write_sheet(path: Path, rows: Sequence[Sequence[str]], *, headers: Sequence[str] = HEADERS) -> Path:
    """Write a CSV with a title above its header."""
    table = [["Faturamento do mês"], [], headers, *rows]
    path.write_text("\n".join(";".join(row) for row in table) + "\n", encoding="utf-8")
    return path
