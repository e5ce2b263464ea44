"""Pieces of XML together are the XML, and begin with the mark."""

import pytest

from connectors.spreadsheets.formats.xml_chunks import pieces

ROW = b"<row " + b"x" * 1_000


@pytest.mark.parametrize("count", [0, 1, 1_100, 5_000])
def test_nothing_is_lost_between_pieces(count: int) -> None:
    data = b"head" * (count > 0) + ROW * count
    found = list(pieces(data, b"<row "))
    assert b"".join(found) == data
    assert all(piece.startswith(b"<row ") for piece in found[1:])
    assert len(found) == -(-len(data) // (1 << 20))


def test_data_without_a_mark_is_one_piece() -> None:
    assert list(pieces(b"x" * 3_000_000, b"<row ")) == [b"x" * 3_000_000]
