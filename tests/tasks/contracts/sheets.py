"""Workbooks of contracts for tests: companies and customers of the sandbox."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from connectors.nfse.emulator.seed import default_company
from tests.tasks.rows import RIO

HEADERS: Final = (
    "Contrato",
    "CNPJ Emitente",
    "CNPJ/CPF",
    "Razão Social",
    "Modelo",
    "Discriminação",
    "Valor",
    "Início",
    "Fim",
    "Dia de Cobrança",
    "Periodicidade",
    "Proporcional",
    "Reajuste",
)


CUSTOMERS: Final = default_company()["takers"]


def customer(number: int) -> str:
    """Return the CNPJ or CPF of a customer that the sandbox knows, from 1."""
    taker = CUSTOMERS[number - 1]
    return str(taker.get("cnpj") or taker["cpf"])


def contract(number: int = 1, **changes: str) -> list[str]:
    """Return a good row: R$ 100,01 for the first, billed on the first day of each month. `changes` by header."""
    values = {
        "Contrato": f"C-{number}",
        "CNPJ Emitente": RIO,
        "CNPJ/CPF": customer(number),
        "Razão Social": CUSTOMERS[number - 1]["social_reason"],
        "Modelo": "Mensalidade Sistema",
        "Discriminação": "Mensalidade de {mês/ano}",
        "Valor": f"{100 + number / 100:.2f}".replace(".", ","),
        "Início": "01/01/2026",
        "Fim": "",
        "Dia de Cobrança": "dia 1",
        "Periodicidade": "",
        "Proporcional": "",
        "Reajuste": "",
    }
    return list((values | changes).values())


def write_contracts(path: Path, rows: Sequence[Sequence[str]], *, headers: Sequence[str] = HEADERS) -> Path:
    """Write a CSV of contracts."""
    path.write_text("\n".join(";".join(row) for row in (headers, *rows)) + "\n", encoding="utf-8")
    return path
