"""CSV as programs write it: encodings, separators, quotes, and rows counted as a person counts them."""

import pytest

from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.workbook import Workbook, open_workbook
from domain.problems import InputError

TEXT = "CNPJ;Razão Social;Valor\n1;Padaria São João;1.234,56\n2;Óptica & Cia;2,00\n"


def opened(content: bytes) -> Workbook:
    return open_workbook(content)


def cells_of(book: Workbook) -> list[tuple[object, ...]]:
    return [row.cells for row in book.sheets[0].rows()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_every_common_encoding_gives_the_same_cells(encoding: str) -> None:
    book = opened(TEXT.encode(encoding))
    assert cells_of(book)[1] == ("1", "Padaria São João", "1.234,56")
    assert book.facts["separator"] == ";"


def test_one_latin_letter_far_down_decides_the_encoding() -> None:
    content = b"CNPJ;Nome\n" + b"1;Joao\n" * 20_000 + "2;Conceição\n".encode("cp1252")
    book = opened(content)
    assert book.facts["encoding"] == "cp1252"
    assert cells_of(book)[-1] == ("2", "Conceição")


@pytest.mark.parametrize(("separator", "shown"), [(";", ";"), (",", ","), ("\t", "tab")])
def test_the_separator_is_the_one_that_cuts_evenly(separator: str, shown: str) -> None:
    rows = [["CNPJ", "Nome", "Valor"], ["1", "A; B, C", "1.234,56"], ["2", "D", "2,00"], ["3", 'E "x"', "3,10"]]
    quoted = "\r\n".join(separator.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    book = opened(quoted.encode())
    assert book.facts["separator"] == shown
    assert cells_of(book) == [tuple(row) for row in rows]


def test_decimal_commas_are_not_separators() -> None:
    book = opened(b"CNPJ;Valor\n1;1,50\n2;2,50\n3;3,50\n")
    assert book.facts["separator"] == ";"


def test_a_separator_that_the_file_states_is_no_row() -> None:
    book = opened(b"sep=,\na;x,b\n1;y,2\n")
    assert [(row.number, row.cells) for row in book.sheets[0].rows()] == [(1, ("a;x", "b")), (2, ("1;y", "2"))]


def test_a_cell_of_several_lines_is_one_row() -> None:
    book = opened(b'a;b\n\n1;"dois\nlinhas ""aqui"""\n;;\n3;;4;;\n')
    assert [(row.number, row.cells) for row in book.sheets[0].rows()] == [
        (1, ("a", "b")),
        (3, ("1", 'dois\nlinhas "aqui"')),
        (5, ("3", None, "4")),
    ]


def test_rows_start_over_each_time() -> None:
    (sheet,) = opened(TEXT.encode()).sheets
    assert list(sheet.rows()) == list(sheet.rows())


@pytest.mark.parametrize("text", ['a;b\n1;"x\n2;y\n', 'a;b\n1;"x"y\n', 'a;b\n1;"' + "x" * 140_000 + '"\n'])
def test_unclosed_quotes_stop_the_file_and_name_the_row(text: str) -> None:
    with pytest.raises(InputError) as caught:
        opened(text.encode())
    assert (caught.value.problem.code, caught.value.problem.where.row) == ("file.quotes", 2)


def test_bytes_in_no_encoding_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        opened(b"a;b\n\x81\x8d\x8f;\x90\n")
    assert caught.value.problem.code == "file.encoding"


def test_a_file_of_two_encodings_has_none() -> None:
    with pytest.raises(InputError) as caught:
        opened("Nome;Valor\nJosé;1\n".encode() + "João;2\n".encode("cp1252"))
    assert caught.value.problem.code == "file.encoding"
    assert opened("“MANHÔ;IRMÃ–Ãº\n".encode("cp1252")).facts["encoding"] == "cp1252"


def test_a_file_of_one_column_is_still_a_table() -> None:
    assert cells_of(opened(b"CNPJ\n1\n2\n")) == [("CNPJ",), ("1",), ("2",)]


def test_limits_stop_the_file_before_any_row_is_taken() -> None:
    with pytest.raises(InputError):
        open_workbook(b"a;b\n" * 11, Limits(rows=10))
