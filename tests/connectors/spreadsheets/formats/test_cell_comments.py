"""People's strokes through cells of an XLSX sheet: through the whole text or a part of it, shared or in the sheet."""

import pytest

from connectors.spreadsheets.formats.cell_comments import mark_struck, struck_texts
from connectors.spreadsheets.formats.sheet_metadata import SheetMetadata
from tests.house.pumping import Attack, growth

STRUCK = b"<r><rPr><strike/></rPr><t>Ana</t></r>"
PLAIN = b"<r><rPr><b/></rPr><t>Bia</t></r>"
BLANK = b'<r><t xml:space="preserve"> </t></r>'
UNDONE = b'<r><rPr><strike val="0"/></rPr><t>Bia</t></r>'
STROKES = [
    (STRUCK, True), (STRUCK + BLANK, True), (STRUCK + PLAIN, False), (BLANK + PLAIN + STRUCK, False),
    (STRUCK + UNDONE, False), (UNDONE, None), (PLAIN, None), (b"<t>Ana</t>", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "is_whole"), STROKES)
def test_a_shared_text_is_struck_in_whole_or_in_part(text: bytes, is_whole: bool | None) -> None:
    texts = struck_texts(b"<sst><si><t>x</t></si><si>" + text + b"</si></sst>")
    assert texts == ({} if is_whole is None else {1: is_whole})


@pytest.mark.parametrize(("text", "is_whole"), STROKES)
def test_a_text_in_the_sheet_is_struck_in_whole_or_in_part(text: bytes, is_whole: bool | None) -> None:
    marks = SheetMetadata()
    before = b'<c r="A2" t="inlineStr"><is><t>x</t></is></c>'
    mark_struck(before + b'<c r="B2" t="inlineStr"><is>' + text + b"</is></c>", (), {}, marks)
    assert (marks.struck, marks.part_struck) == (
        {(1, 1)} if is_whole else set(), {(1, 1)} if is_whole is False else set(),
    )  # fmt: skip


def _marked(data: bytes) -> None:
    mark_struck(data, (), struck_texts(data), SheetMetadata())


@pytest.mark.parametrize(
    "pump", ["<strike", "<r>", "<t>", "<t ", "<t>a", '<c r="A1"', "</c>", "<strike</c>", '<c r="A1"><strike/>']
)
def test_strokes_take_linear_time(pump: str) -> None:
    attack = Attack('<si><c r="B2"><r>', pump, "</c>")
    assert not growth(_marked, attack, is_bytes=True)
