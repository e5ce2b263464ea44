"""Cut the sections of a page for a screen."""

from typing import Final

from configs.catalogue import Catalogue
from connectors.spreadsheets.writers.pages import Section

ROWS_SHOWN: Final = 10
"""The most rows of a section on a screen."""


def cut(words: Catalogue, section: Section, *, is_written: bool = False) -> Section:
    """Return the part of a section that fits a screen. `is_written`: the workbook of the preview has the rest."""
    more = len(section.rows) - ROWS_SHOWN
    if more <= 0:
        return section
    note = " ".join(filter(None, (section.note, words.text("preview.more" if is_written else "list.more", more=more))))
    return Section(section.title, section.headings, section.rows[:ROWS_SHOWN], note)
