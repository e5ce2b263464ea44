"""Common behaviour of templates and emitters: a sheet without rows, and blank workbooks that our own reader accepts."""

import openpyxl
import pytest

from configs.catalogue import Catalogue
from configs.layouts import headers_of, read_layout
from configs.reference.cities import load_cities
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.master.emitters import EmitterReader
from connectors.spreadsheets.master.rows import read_master
from connectors.spreadsheets.master.templates import TemplateReader
from connectors.spreadsheets.workbook import open_workbook
from connectors.spreadsheets.writers.blank_workbook import Blank, write_blank
from domain.problems import InputError

READERS = {"templates": TemplateReader, "emitters": EmitterReader}
KINDS = pytest.mark.parametrize("kind", list(READERS))


def written(folder, kind, language="pt_BR"):
    words = Catalogue.load(language)
    headers = headers_of(kind)
    path = folder / f"{kind}.xlsx"
    write_blank(path, Blank(kind=kind, headers=headers, words=words.words("blank"), hints=words.words("blank_hint")))
    return path


def read(path, kind, **options):
    layout = Layout.from_data(read_layout(kind))
    return read_master(open_workbook(path), layout, READERS[kind], cities=load_cities(), **options)


@KINDS
@pytest.mark.parametrize("language", ["pt_BR", "en"])
def test_unfilled_it_is_one_friendly_sentence(tmp_path, kind, language):
    with pytest.raises(InputError) as refused:
        read(written(tmp_path, kind, language), kind)
    assert (refused.value.problem.code, refused.value.details) == ("sheet.no_records", ())


@KINDS
def test_the_examples_are_good_rows_and_fill_every_column(tmp_path, kind):
    path = written(tmp_path, kind)
    rows = read(path, kind, sheet="Exemplos")
    assert [row.problems for row in rows] == [(), ()]
    page = openpyxl.load_workbook(path)["Exemplos"]
    filled = [sum(cell.value is not None for cell in page[number]) for number in (4, 5)]
    # City and state become one code of a template; the key is not among the values.
    keys = 2 if kind == "templates" else 1
    assert [len(row.written) + keys for row in rows] == filled
