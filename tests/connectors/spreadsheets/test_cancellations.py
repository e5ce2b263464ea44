"""Marked rows of a list, read as a person sees them."""

import pytest

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.cancellations import CancelRow, read_cancellations
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.workbook import Limits, open_workbook

LIMITS = Limits(file_bytes=1_000_000, rows=100)


def read(*lines: str) -> list[CancelRow]:
    content = "\n".join(("Nº da NFSe;RPS;CNPJ Emitente;Cancelar;Motivo", *lines)).encode()
    layout = Layout.from_data(read_layout("cancellations"))
    return read_cancellations(open_workbook(content, LIMITS, name="lista.csv"), layout, cities=load_cities())


def test_only_marked_rows_are_read():
    found = read("1;F 7;99.000.001/0001-01;S;em dobro", "2;F 8;;;", "3;F 9;;n;em dobro")
    assert found == [CancelRow(2, "em dobro", ("F", 7), "1", None, "99000001000101")]


@pytest.mark.parametrize(("text", "rps"), [("F-7", ("F", 7)), ("AB 12", ("AB", 12)), ("1 000123", ("1", 123))])
def test_serie_and_number_as_people_write_them(text: str, rps: tuple[str, int]):
    (row,) = read(f";{text};;x;motivo")
    assert row.rps == rps
