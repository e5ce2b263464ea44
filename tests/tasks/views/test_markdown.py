"""A page as markdown: what people wrote into a cell ends neither it nor its row, and no column stands empty."""

from connectors.spreadsheets.pages import Cents, Page, Section
from tasks.views.markdown import markdown


def test_a_page_is_told_from_its_title_down_without_its_long_lists():
    section = Section(
        "Batches", ("Batch", "Remarks", "Total"), [("a|b\nc", "", Cents(1_234)), ("d", None, None)], note="Two."
    )
    page = Page("How it stands", ("A line.",), ("An alarm.",), (section, Section("Empty", ("X",), [])), (section,))
    assert markdown(page) == (
        "# How it stands\n\nA line.\n\n> An alarm.\n\n## Batches\n\nTwo.\n\n"
        "| Batch | Total |\n|---|---:|\n| a/b c | R$ 12,34 |\n| d |  |"
    )


def test_what_no_screen_holds_beside_the_rest_is_told_in_paragraphs():
    long = "Find out who made it, then decide: we touch nothing of what others have made, and nothing of it is sent."
    section = Section("Waiting", ("Batch", "Reason", "To do"), [(7, "It is not ours.", long), (8, None, "Wait.")])
    assert markdown(Page("Now", (), (), (section,), ())).endswith(
        f"## Waiting\n\n- **Batch 7** · Reason: It is not ours. · To do: {long}\n- **Batch 8** · To do: Wait."
    )
