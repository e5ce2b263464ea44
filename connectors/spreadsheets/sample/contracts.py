"""Write sample contracts: six customers of the sample month, each with a licence that no other row bills."""

import csv
from datetime import date
from pathlib import Path
from typing import Final

from connectors.spreadsheets.sample.month import RIO
from connectors.spreadsheets.sample.people import company

KEYS: Final = tuple(f"LIC-{number}" for number in range(1, 7))
"""The keys of the contracts. The second and third change in the month after the first, the last ends before it."""
_CUSTOMERS: Final = (1, 4, 13, 16, 25, 28)
_CENTS: Final = 25_000
_RAISE_CENTS: Final = 4_000
_HEADERS: Final = (
    "Contrato", "CNPJ Emitente", "CNPJ/CPF", "Razão Social", "Modelo", "Discriminação", "Valor", "Início", "Fim",
    "Dia de Cobrança",
)  # fmt: skip


def write_sample_contracts(path: Path, starts_on: date, *, ends_on: date | None = None) -> None:
    """Write the contracts as a CSV. With `ends_on`, write the second month's version, in which one ends that day."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(_HEADERS)
        for place, (key, index) in enumerate(zip(KEYS, _CUSTOMERS, strict=True)):
            who = company(index, is_lettered=False)
            is_raised = ends_on is not None and place in (1, 2)
            cents = _CENTS + place * 1_000 + _RAISE_CENTS * is_raised
            end = f"{ends_on:%d/%m/%Y}" if ends_on is not None and key == KEYS[-1] else ""
            amount = f"{cents // 100},{cents % 100:02d}"
            licence = ("Licença Anual", "Licença de uso em {mês/ano}", amount)
            writer.writerow([key, RIO, who.formatted, who.name, *licence, f"{starts_on:%d/%m/%Y}", end, "1"])
