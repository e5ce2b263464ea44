"""The bytes that cells take from shared texts are bounded quickly, and never too low."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.spreadsheets.formats.shared_texts import SharedTexts, shared_texts
from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets import books

USE = '<c r="A1" t="s"><v>%d</v></c>'
PLAIN = (
    USE,
    '<c r="A1" s="7" t="s"><v>%d</v></c>',
    '<c r="A1" t="s" s="7"><v>%d</v></c>',
    '<x:c t="s"><x:v>%d</x:v></x:c>',
)
ODD = (
    "<c t='s'><v>%d</v></c>",
    '<c t = "s"><v>%d</v></c>',
    '<c t="s"> <v> %d</v></c>',
    '<c t="s"><f>IF(A1="s",1,2)</f><v>%d</v></c>',
    '<c t="s"><v a="1">%d</v></c>',
    '<c t="s" more="0123456789012345678901234567890123456789"><v>%d</v></c>',
)
NO_USE = ('<c><f>A1="s"</f><v>%d</v></c>', '<c t="str"><v>%d</v></c>', "<c><v>%d</v></c>")


def texts_of(*lengths: int) -> SharedTexts:
    return shared_texts(b"<sst>" + b"".join(b"<si>" + b"x" * each for each in lengths), Limits())


def taken(texts: SharedTexts, numbers: list[int]) -> int:
    return sum(texts.sizes[number] for number in numbers if number < len(texts.sizes))


def test_each_size_has_its_markup_and_the_longest_is_known() -> None:
    texts = texts_of(10, 500, 40)
    assert (texts.sizes.tolist(), texts.longest) == ([10, 500, 40], 500)
    assert shared_texts(b"", Limits()).longest == 0


@pytest.mark.parametrize("form", PLAIN)
def test_the_usual_markup_is_counted_exactly(form: str) -> None:
    texts = texts_of(10, 500, 40)
    numbers = [0, 1, 2, 2, 0, 999]
    sheet = "".join(form % number for number in numbers).encode()
    assert texts.bytes_at_most(sheet, enough=0) == 10 + 500 + 40 + 40 + 10


@given(st.lists(st.tuples(st.sampled_from([*PLAIN, *ODD, *NO_USE]), st.integers(0, 4)), max_size=30))
def test_the_bound_is_never_below_what_is_taken(cells) -> None:
    texts = texts_of(10, 500, 40)
    sheet = "".join(form % number for form, number in cells).encode()
    true = taken(texts, [number for form, number in cells if form not in NO_USE])
    assert texts.bytes_at_most(sheet, enough=0) >= true
    assert texts.bytes_at_most(sheet, enough=10_000) >= true
    assert not texts.exceed([sheet], true)
    if true:
        assert not texts.fit(len(sheet), true - 1)
        assert texts.exceed([sheet], true - 1)


def test_a_sheet_of_many_pieces_loses_no_use() -> None:
    texts = texts_of(10, 500)
    sheet = (b"<row>" + (USE % 1).encode() + b"</row>") * 100_000
    assert texts.bytes_at_most(sheet, enough=0) == 500 * 100_000
    one_tag = b'<c t="s">' + b" " * 3_000_000 + (USE % 1).encode()
    assert texts.bytes_at_most(one_tag, enough=0) == 500 + 500


def test_an_ordinary_large_sheet_needs_no_thorough_search() -> None:
    """Longest text times all uses is above the limit; what the cells take is not."""
    limit = 1_000_000
    row = "".join(USE % number for number in range(1, 20)) + USE % 0
    sheet = (row * 500).encode()
    texts = texts_of(1_000, *[40] * 19)
    assert not texts.fit(len(sheet), limit)
    assert sheet.count(b'"s"') * texts.longest > limit
    assert texts.bytes_at_most(sheet, enough=limit) == 500 * (1_000 + 19 * 40) <= limit


def test_one_long_text_in_many_cells_of_two_sheets_is_refused() -> None:
    row = "".join(f'<row r="{number}"><c r="A{number}" t="s"><v>0</v></c></row>' for number in range(1, 101))
    content = books.packed(books.sheet_xml(row), texts=f"<sst {books.MAIN}><si>{'x' * 989}</si></sst>", copies=2)
    assert open_workbook(content, Limits(unpacked_bytes=200_000)).kind == "xlsx"
    with pytest.raises(InputError) as caught:
        open_workbook(content, Limits(unpacked_bytes=199_000))
    assert caught.value.problem.code == "file.unpacks_too_large"
