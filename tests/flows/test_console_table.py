"""Lists at terminals of every width: a table if it fits, else paragraphs; nothing is ever missing."""

import io

import pytest
from rich.console import Console

from configs.catalogue import Catalogue
from domain.taker_changes import Change
from flows.console_table import change_line, show_list

HEADINGS = ("Emitter", "Serie", "in use", "Total")
ROWS = [("Consultoria das Marés Ltda", "F[1]", "12", "R$ 1.234.567,89"), ("Aurora", "", "0", "R$ 0,00")]
FIGURES = (False, False, True, True)
LONG = "/a/very/long/path/that/nobody/can/break"


def test_a_value_that_goes_leaves_a_dash():
    assert change_line(Catalogue.load("en"), "last day", Change("ends_on", "31/12/2026", "")).endswith("31/12/2026 → –")


def shown(width, headings=HEADINGS, rows=ROWS, figures=FIGURES):
    output = io.StringIO()
    show_list(Console(file=output, width=width), headings, rows, figures=figures)
    return output.getvalue()


@pytest.mark.parametrize("width", [20, 30, 44, 60, 120])
def test_no_word_and_no_figure_is_cut(width):
    output = shown(width)
    words = [word for row in ROWS for cell in row for word in cell.split()]
    assert [word for word in words if word not in output] == []
    assert max(map(len, output.splitlines())) <= width


FITTING = (
    (
        ("Emitente", "Tipo", "Competência", "Qtd.", "Total", "Líquido", "Números"),
        ("Marés Consultoria Ltda", "NFS-e", "11/2026", "17", "R$ 16.742,00", "R$ 16.742,00", "F: 1–17"),
    ),
    (
        ("Código", "O quê", "Cliente", "Modelo", "Antes", "Agora", "Ciência"),
        ("96e11d69", "Mais de uma vez no mês", "Cliente 32 Ltda", "Mensalidade Sistema", "", "R$ 3.250,50", ""),
    ),
)


@pytest.mark.parametrize(("headings", "row"), FITTING)
@pytest.mark.parametrize("right", [(3, 4, 5), (4, 5), ()])
def test_no_column_is_cut_where_a_table_just_fits(headings, row, right):
    figures = tuple(place in right for place in range(len(headings)))
    tables = [output for width in range(60, 130) if "┃" in (output := shown(width, headings, [row], figures))]
    assert tables
    for output in tables:
        assert {word for cell in (*headings, *row) for word in cell.split()} <= set(output.split())


def test_a_list_that_fits_is_a_table():
    assert "┃" in shown(44)
    assert "R$ 1.234.567,89" in shown(44)
    assert "┃" not in shown(39)


def test_a_paragraph_names_cells_and_omits_empty_ones():
    lines = [line.strip() for line in shown(38).splitlines()]
    assert lines[0] == "Consultoria das Marés Ltda"
    assert " ".join(lines[1:-2]) == "Serie F[1] · in use 12 · Total R$ 1.234.567,89"
    assert lines[-2:] == ["Aurora", "in use 0 · Total R$ 0,00"]


def test_a_bare_figure_is_a_title_with_its_heading():
    output = shown(20, ("Batch", "State", "Notes"), [("7", "a-very-long-state", "accepted")], (True, False, False))
    assert output.splitlines()[0] == "Batch 7"


def test_a_long_word_is_folded_not_cut():
    output = shown(40, ("Path", "Count"), [(LONG, "3")], (False, True))
    assert "".join("".join(line.split("│")[0].split()) for line in output.splitlines()[2:]) == LONG
