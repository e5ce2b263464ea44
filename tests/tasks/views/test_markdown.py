"""A page as Markdown: people's texts break neither a cell nor its row, and no column is empty."""

import re

import pytest

from connectors.spreadsheets.writers.pages import Cents, Page, Section
from tasks.views.markdown import escape_code, escape_markdown, markdown


def test_a_page_has_everything_but_its_long_lists():
    section = Section(
        "Batches", ("Batch", "Remarks", "Total"), [("a|b\nc", "", Cents(1_234)), ("d", None, None)], note="Two."
    )
    page = Page("How it stands", ("A line.",), ("An alarm.",), (section, Section("Empty", ("X",), [])), (section,))
    assert markdown(page) == (
        "# How it stands\n\nA line.\n\n> An alarm.\n\n## Batches\n\nTwo.\n\n"
        "| Batch | Total |\n|---|---:|\n| a/b c | R$ 12,34 |\n| d |  |"
    )


HOSTILE = "# [pay](http://evil.example) ![x](y) <img src=z> `a` **b** _c_ www.d.example e@f.example | 1. \x1b[2J\ng"


def test_peoples_texts_have_no_effect_on_a_page():
    section = Section(HOSTILE, (HOSTILE, "X"), [(HOSTILE, 1)], note=HOSTILE)
    page = markdown(Page(HOSTILE, (HOSTILE,), (HOSTILE,), (section,), ()))
    assert not [char for char in ("\x1b", "\ng") if char in page]
    left = re.sub(r"\\.", "", page)
    for active in ("[", "]", "<", "`", "*", "_c", "://", "www.", "@"):
        assert active not in left, active
    lines = [line for line in page.split("\n") if line.startswith("#")]
    assert [line.startswith((r"# \#", r"## \#")) for line in lines] == [True, True]


@pytest.mark.parametrize("harmless", ["novembro_2026.csv", "R$ 1.234,56", "Marés & Cia. Ltda", "12 rows (2 of 3)."])
def test_text_without_effect_is_unchanged(harmless: str):
    assert escape_markdown(harmless) == harmless


def test_code_holds_no_backtick():
    assert escape_code("a`b\nc") == "a'b c"


def test_a_wide_table_becomes_paragraphs():
    long = "Find out who made it, then decide: we touch nothing of what others have made, and nothing of it is sent."
    section = Section("Waiting", ("Batch", "Reason", "To do"), [(7, "It is not ours.", long), (8, None, "Wait.")])
    assert markdown(Page("Now", (), (), (section,), ())).endswith(
        f"## Waiting\n\n- **Batch 7** · Reason: It is not ours. · To do: {long}\n- **Batch 8** · To do: Wait."
    )
