"""Make a section of a page, with title and headings from the catalogue."""

from collections.abc import Iterable

from configs.catalogue import Catalogue
from connectors.spreadsheets.writers.pages import Cell, Section


def section(
    words: Catalogue, title: str, headings: Iterable[str], rows: Iterable[tuple[Cell, ...]], *, note: str = ""
) -> Section:
    """Return a section. `title` is a catalogue code; each of `headings` stands for `heading.<name>`."""
    return Section(words.text(title), tuple(words.text(f"heading.{each}") for each in headings), list(rows), note)
