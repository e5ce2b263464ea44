"""A believable month of a finance team, for trying things out: equal month, equal bytes."""

from datetime import date
from pathlib import Path


def write_sample_month(path: Path, competence: date) -> None:
    """About 300 rows in Brazilian formats, a dozen of them faulty on purpose, and a total row.

    Emitters and templates are the sandbox's own; documents are fictional (they start with 99 or 00).
    """
    raise NotImplementedError
