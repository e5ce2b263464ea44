"""Shorten the sections of a page for a screen."""

from typing import Final

from configs.catalogue import Catalogue
from connectors.spreadsheets.writers.pages import Section

ROWS_SHOWN: Final = 10
"""The most rows of a section on a screen."""


def truncate_section(words: Catalogue, section: Section, *, is_written: bool = False) -> Section:
    """Return the first rows of a section, and a note about the rest. `is_written`: the workbook has the rest."""
    more = len(section.rows) - ROWS_SHOWN
    if more <= 0:
        return section
    note = " ".join(filter(None, (section.note, words.text("preview.more" if is_written else "list.more", more=more))))
    return Section(section.title, section.headings, section.rows[:ROWS_SHOWN], note)
