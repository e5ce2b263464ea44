"""The parser's cache of cells never changes a row's meaning, whatever rows came before it."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from configs.reference.cities import load_cities
from connectors.spreadsheets.formats.sheets import Cell, CellError, Covered, Percent, Row, Uncalculated
from connectors.spreadsheets.holds.held_rows import HoldRules
from connectors.spreadsheets.parsers import cells, city_lookup, column_parser
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.service_row_parser import Reader
from domain.problems import Problem
from tests.connectors.spreadsheets.books import NOVEMBER, RIO, SERVICES

FIELDS = [name for name in SERVICES.headers if name not in ("rps_situation", "operation_nature")]
COLUMNS = {name: index for index, name in enumerate(FIELDS)}
GOOD: dict[str, list[Cell]] = {
    "document": ["99.000.002/0001-48", "99000002000148", 99_000_002_000_148.0],
    "service_cents": [100.0, 0.1, 19.99, 1_234.56, "R$ 1.234,56"],
    "template_name": ["Consultoria", "Suporte Mensal"],
    "name": ["Ana Ltda", "Bia  S.A.", " Caio", "D\u00e1rio\u00a0ME", "'Elis", "F|G", 'O "Rei"', "100%d", None],
    "emails": ["a@x.example", "a@x.example; b@y.example", None],
    "phone": ["(11) 97000-1234", "11970001234", None],
    "zip_code": ["01310-100", 1_310_100.0, None],
    "city": ["São Paulo", "Bom Jesus", "Niterói - RJ", None],
    "state": ["SP", "São Paulo", None],
    "city_code": ["3550308", 3_550_308.0, None],
    "number": ["12", 12.0, "S/N", None],
    "description": ["Consultoria", "uma\nduas", " x ", 'Obra "Sol"', "C:\\obra %s", "\\", None],
    "emitter_cnpj": ["99.000.001/0001-01", None],
    "competence": ["11/2026", dt.date(2026, 11, 1), None],
    "emission_at": [dt.datetime.fromisoformat("2026-11-20T10:00"), "20/11/2026", None],
    "own_key": ["K1", "K2", 'K"3', 4.0, None],
    "deduction_cents": [10.0, "R$ 0,10", None],
    "is_wanted": ["S", "sim", True, 1.0],
    "iss_bp": [Percent(0.05), 0.05, 0.65, "5%", None],
    "retained_iss": ["S", "N", True, None],
}
VARIED = [index for index, name in enumerate(FIELDS) if name in GOOD]
ALIKE: dict[str, Cell] = {"0.65": Percent(0.65), "0.05": Percent(0.05), "1.0": True, "True": 1.0, "12.0": Percent(12.0)}
ODD: list[Cell] = [
    None, "", " ", "x", "1.234", "-5", 0.0, -1.0, 1e300, True, False, CellError("#REF!"), Uncalculated(), Covered(),
    dt.time(10, 0), dt.timedelta(days=1), "a\x0bb", "\u200b", "N", "=1+1", "99", Percent(0.5), float("inf"),
    float("nan"), 2.675, 9_999_999_999_999.985,
]  # fmt: skip


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """Draw rows that are clean but for a few cells, some of them equal to the row above but for the types of cells."""
    found: list[Row] = []
    given: list[Cell] = [GOOD.get(name, [None])[0] for name in FIELDS]
    for number in range(draw(st.integers(1, 6))):
        if draw(st.booleans()):
            given = [GOOD.get(name, [None])[0] for name in FIELDS]
        else:
            given = [ALIKE.get(str(cell), cell) for cell in given]
        for index in draw(st.lists(st.sampled_from(VARIED), max_size=5)):
            given[index] = draw(st.sampled_from(GOOD[FIELDS[index]]))
        for index in draw(st.sampled_from([[], [], []]) | st.lists(st.integers(0, len(FIELDS) - 1), max_size=2)):
            given[index] = draw(st.one_of(st.sampled_from(ODD), st.text(max_size=8), st.floats(allow_nan=False)))
        width = draw(st.sampled_from([len(FIELDS), len(FIELDS) + 2, len(FIELDS), 8]))
        found.append(Row(number + 2, (*given, "more", None)[:width], is_hidden=draw(st.integers(0, 9)) == 0))
    return found


def reader(locale: str | None = None, defaults: Defaults | None = None, *, header_of_replaced: str = "") -> Reader:
    return Reader(
        sheet="S",
        columns=COLUMNS,
        locales=dict.fromkeys(COLUMNS, locale),
        defaults=defaults or Defaults(),
        cities=load_cities(),
        has_serials=True,
        holding=HoldRules(headers={COLUMNS["replaces"]: header_of_replaced}),
        repeated_keys={"K2": 1, 'K"3': 1},
    )


def read(shared: Reader, *found: Row) -> list[tuple[dict[str, Any] | None, tuple[Problem, ...]]]:
    """Read these rows as one block."""
    return [shared.read(row_values) for row_values in shared.take(found)]


@given(
    rows(),
    st.sampled_from([None, "pt_BR", "mixed"]),
    st.sampled_from([Defaults(), Defaults(emitter_cnpj=RIO, competence=NOVEMBER)]),
)
def test_a_row_means_the_same_after_any_others(found: list[Row], locale: str | None, defaults: Defaults) -> None:
    shared = reader(locale, defaults)
    alone = [each for row in found for each in read(reader(locale, defaults), row)]
    assert read(shared, *found) == alone
    assert [each for row in found for each in read(shared, row)] == alone


def test_equal_cells_of_two_types_stay_distinct() -> None:
    shared = reader()
    given = [GOOD.get(name, [None])[0] for name in FIELDS]
    points: list[int | None] = []
    for rate in (0.65, Percent(0.65), "0,65", 0.65):
        given[COLUMNS["iss_bp"]] = rate
        [(line, problems)] = read(shared, Row(2, tuple(given)))
        assert line is not None, problems
        points.append(line["iss_bp"])
    assert points == [65, 6_500, 65, 65]


def test_a_problem_has_the_row_where_it_was_met() -> None:
    shared = reader()
    given = [GOOD.get(name, [None])[0] for name in FIELDS]
    given[COLUMNS["phone"]] = "ramal"
    met = [problems[0].where.row for _, problems in read(shared, *(Row(number, tuple(given)) for number in (2, 3)))]
    assert met == [2, 3]


def test_the_memory_of_a_column_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 20
    for module in (city_lookup, column_parser):
        monkeypatch.setattr(module, "REMEMBERED", most)
    shared = reader()
    given = [GOOD.get(name, [None])[0] for name in FIELDS]
    for number in range(1, most + 5):
        given[COLUMNS["zip_code"]] = f"{number:08d}"
        [(line, _)] = read(shared, Row(2, tuple(given)))
        assert line is not None
        assert line["taker"]["zip_code"] == f"{number:08d}"
    sizes = [len(known) for column in (*shared._own, *shared._taker) for known in (column.known or {}).values()]
    assert 0 < max(sizes) <= most


@given(st.text() | st.text(" 'ab\u00a0\u200b\n\x0b", max_size=6))
@example("a  b")
@example(" a")
@example("a ")
@example("'a")
def test_a_tidy_text_is_its_own_meaning(text: str) -> None:
    if cells.is_tidy(text):
        assert not cells.is_blank(text)
        assert cells.as_text(text) == text
        assert cells.as_text(text, keep_lines=True) == text


def _replacing(header: str, text: Cell) -> Any:
    """Return what a row below this header replaces, or the codes of its problems."""
    given = [GOOD.get(name, [None])[0] for name in FIELDS]
    given[COLUMNS["replaces"]], given[COLUMNS["replaces_because"]] = text, "valor errado"
    [(line, problems)] = read(reader(header_of_replaced=header), Row(2, tuple(given)))
    return [each.code for each in problems] if line is None else line["replaces"]


@pytest.mark.parametrize(
    ("header", "text", "found"),
    [
        ("Substitui", "F 123", "F-123"),
        ("Substitui", 118.0, "118"),
        ("Substitui", "2026/118", "2026/118"),
        ("Substitui", "NFS-e 118", "NFS-e 118"),
        ("Substitui NFS-e", "118", "NFS-e 118"),
        ("Substitui RPS", "118", ["replace.unreadable"]),
        ("Substitui RPS", "NFS-e 118", "NFS-e 118"),
        ("Substitui", "118/2026/1", ["replace.unreadable"]),
        ("Substitui", "a de outubro", ["replace.unreadable"]),
    ],
)
def test_a_cell_names_the_replaced_invoice(header: str, text: Cell, found: Any) -> None:
    assert _replacing(header, text) == found
