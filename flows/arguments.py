"""Arguments that several commands share, and the console that they write to."""

from datetime import date
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from domain.competence import parse_competence
from domain.documents import parse_document
from domain.invoice_numbers import read_place
from domain.problems import FaturistaError, InputError, Problem
from flows.safe_console import safe_console

PROFILE_VARIABLE: Final = "FATURISTA_PROFILE"
DEFAULT_PROFILE: Final = "local"
Profile = Annotated[str, Parameter(env_var=PROFILE_VARIABLE, show_env_var=True)]

console = safe_console()

_LARGEST: Final = 2**63 - 1
"""Largest integer that a database can hold."""


def refuse_huge(_kind: object, value: object) -> None:
    """Validate a number of the command line. Raise `ValueError` if no database can hold it."""
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, int) and abs(each) > _LARGEST:
            raise ValueError(str(each))


def parse_id(text: str) -> int:
    """Return the text as an id; 0, which no record has, if it is no number or too long for a database."""
    return int(text) if text.isdecimal() and len(text) < len(str(_LARGEST)) else 0


def parse_invoice_number(text: str | None) -> tuple[str, int] | None:
    """Return serie and number of a text such as F-123, None without a text.

    An invalid text becomes an empty serie and 0, which no invoice has.
    """
    return None if text is None else read_place(text) or ("", 0)


def parse_month(text: str) -> date:
    """Return the first day of a month such as 2026-11. Raise `InputError`."""
    found = parse_competence(text)
    if found is None:
        raise InputError(Problem("competence.invalid", "competence", params={"text": text[:40]}))
    return found


def parse_cents(text: str) -> int:
    """Return an amount above zero as cents. Raise `FaturistaError`."""
    from connectors.spreadsheets.parsers.number_parser import parse_amount  # noqa: PLC0415 - few commands take an amount

    found = parse_amount(text, "pt_BR")
    if isinstance(found, Problem):
        raise FaturistaError(found)
    if found <= 0:
        raise FaturistaError(Problem("amount.not_positive", "amount"))
    return found


def parse_cnpj(text: str) -> str:
    """Return a CNPJ as canonical text. Raise `FaturistaError`."""
    parsed = parse_document(text)
    if isinstance(parsed, Problem):
        raise FaturistaError(parsed)
    return parsed.document.number


def require_reason(text: str) -> str:
    """Return a person's reason. Raise `FaturistaError` if the text is blank."""
    if not text.strip():
        raise FaturistaError(Problem("cli.no_reason"))
    return text.strip()


def require_readable(file: Path, profile: str) -> Path:
    """Return the file. Raise `InputError` if it is unreadable, before any request to the provider."""
    from tasks.runtime import open_context  # noqa: PLC0415
    from tasks.runtime.file_bytes import read_bytes  # noqa: PLC0415 - `--version` and `--help` need no ledger

    with open_context(profile) as context:
        read_bytes(file, limit=context.settings.limits.file_bytes)
    return file
