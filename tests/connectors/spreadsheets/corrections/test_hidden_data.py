"""Tags in comments and the file's digest survive in every format in which a person's program saves them."""

import zipfile
from io import BytesIO

import openpyxl
from openpyxl.comments import Comment
from openpyxl.packaging.custom import StringProperty

from connectors.spreadsheets.corrections.hidden_data import HiddenData, read_hidden_data
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.corrections.returned import BAD_AMOUNT, SHEET, month, returned, styled, tag


def test_our_written_tags_are_found_again(tmp_path):
    _, written, _ = returned(tmp_path, books.written((SHEET, month())), {5: [BAD_AMOUNT], 8: [BAD_AMOUNT]})
    assert read_hidden_data(written) == HiddenData({(SHEET, 4): tag(5), (SHEET, 5): tag(8)}, "ab" * 32)


def test_the_first_cell_of_two_tags_counts():
    def style(book, page):
        page["C5"].comment = Comment(f"x\n{tag(1)}", "Ana")
        page["B5"].comment = Comment(f"y {tag(2)} ", "Ana")
        page["B6"].comment = Comment(f"{tag(3)} e mais", "Ana")

    assert read_hidden_data(styled(month(), style)).tags == {(SHEET, 5): tag(2)}


def test_comments_are_found_by_part_names_from_the_root(tmp_path):
    _, written, _ = returned(tmp_path, books.written((SHEET, month())), {5: [BAD_AMOUNT]})
    with zipfile.ZipFile(BytesIO(written)) as package:
        links = package.read("xl/worksheets/_rels/sheet1.xml.rels")
    assert b'"/xl/comments/' in links
    moved = [
        (name, links.replace(b'"/xl/comments/', b'"../comments/') if name.endswith("sheet1.xml.rels") else data)
        for name, data in _parts(written)
    ]
    assert read_hidden_data(books.zipped(moved)).tags == {(SHEET, 4): tag(5)}


def test_annotations_of_an_open_document_are_found_by_row():
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    table = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    meta = "urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
    content = (
        f'<o:d xmlns:o="{office}" xmlns:t="{table}" xmlns:x="{text}"><t:table t:name="{SHEET}">'
        '<t:table-row t:number-rows-repeated="3"><t:table-cell/></t:table-row><t:table-row><t:table-cell>'
        f"<o:annotation><x:p>Não é um valor.</x:p><x:p>{tag(5)}</x:p></o:annotation><x:p>1</x:p>"
        "</t:table-cell></t:table-row></t:table></o:d>"
    )
    own = f'<o:m xmlns:o="{office}" xmlns:m="{meta}"><m:user-defined m:name="faturista_arquivo">{"cd" * 32}'
    parts = {"content.xml": content, "meta.xml": f"{own}</m:user-defined></o:m>"}
    assert read_hidden_data(books.zipped(parts.items())) == HiddenData({(SHEET, 4): tag(5)}, "cd" * 32)


def test_a_file_without_tags_is_an_ordinary_file(tmp_path):
    _, written, _ = returned(tmp_path, books.written((SHEET, month())), {5: [BAD_AMOUNT]})
    broken = [(name, b"<" if "comments" in name and name.endswith("xml") else data) for name, data in _parts(written)]
    for content in (b"", b"a;b\n1;2\n", books.written((SHEET, month())), books.zipped(broken), b"PK\x03\x04"):
        assert read_hidden_data(content) == HiddenData(), content[:20]


def test_an_invalid_digest_is_no_hint():
    book = openpyxl.load_workbook(BytesIO(books.written((SHEET, month()))))
    hint = StringProperty(name="faturista_arquivo", value="../../x")
    book.custom_doc_props.append(hint)  # type: ignore[attr-defined]
    target = BytesIO()
    book.save(target)
    assert read_hidden_data(target.getvalue()).file_sha256 is None


def _parts(content: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(BytesIO(content)) as package:
        return [(name, package.read(name)) for name in package.namelist()]
