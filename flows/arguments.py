"""What commands have in common: where they write, and arguments that people type."""

from datetime import date
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from domain.competence import parse_competence
from domain.documents import parse_document
from domain.problems import FaturistaError, LayoutError, Problem
from tasks.intake import read_bytes
from tasks.runtime import open_desk

PROFILE_VARIABLE: Final = "FATURISTA_PROFILE"
Profile = Annotated[str, Parameter(env_var=PROFILE_VARIABLE, show_env_var=True)]

console = Console()

_LARGEST: Final = 2**63 - 1
"""What a database can look for."""


def refuse_huge(_kind: object, value: object) -> None:
    """A validator of the command line. Raises `ValueError` for a number that no database holds."""
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, int) and abs(each) > _LARGEST:
            raise ValueError(str(each))


def whole(text: str) -> int:
    """A number that was typed within a text; 0, which nothing has, where it is none."""
    return int(text) if text.isdecimal() and len(text) < len(str(_LARGEST)) else 0


def month(text: str) -> date:
    """The first of a month such as 2026-11. Raises `LayoutError`."""
    found = parse_competence(text)
    if found is None:
        raise LayoutError(Problem("competence.invalid", "competence", params={"text": text[:40]}))
    return found


def cnpj(text: str) -> str:
    """A CNPJ as canonical text. Raises `FaturistaError`."""
    parsed = parse_document(text)
    if isinstance(parsed, Problem):
        raise FaturistaError(parsed)
    return parsed.document.number


def reason(text: str) -> str:
    """Why a person decides so. Raises `FaturistaError` where nothing is said."""
    if not text.strip():
        raise FaturistaError(Problem("cli.no_reason"))
    return text.strip()


def readable(file: Path, profile: str) -> Path:
    """Refuse what cannot be read before the provider is asked for anything. Raises `LayoutError`."""
    with open_desk(profile) as desk:
        read_bytes(file, limit=desk.settings.limits.file_bytes)
    return file
