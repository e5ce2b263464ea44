"""What commands have in common: where they write, and arguments that people type."""

from datetime import date
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from domain.competence import parse_competence
from domain.documents import parse_document
from domain.problems import FaturistaError, LayoutError, Problem

Profile = Annotated[str, Parameter(help="Profile: local, homologation or production.")]

console = Console()


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
