"""A row that is typed quickly is the row that the careful reader would have typed; all others it leaves alone."""

import datetime as dt

import orjson
from hypothesis import given
from hypothesis import strategies as st

from configs.reference.cities import load_cities
from connectors.spreadsheets.formats.sheets import Cell, CellError, Covered, Percent, Row, Uncalculated
from connectors.spreadsheets.lines import Reader
from connectors.spreadsheets.quick.reader import QuickReader
from connectors.spreadsheets.services import kept_cells
from connectors.spreadsheets.taking import Defaults
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
    """Rows that are clean but for a few cells, each on its own or but for a few kinds of cells as the one above it."""
    found: list[Row] = []
    cells: list[Cell] = [GOOD.get(name, [None])[0] for name in FIELDS]
    for number in range(draw(st.integers(1, 6))):
        if draw(st.booleans()):
            cells = [GOOD.get(name, [None])[0] for name in FIELDS]
        else:
            # what was remembered of one row must not be taken for another that is only equal to it
            cells = [ALIKE.get(str(cell), cell) for cell in cells]
        for index in draw(st.lists(st.sampled_from(VARIED), max_size=5)):
            cells[index] = draw(st.sampled_from(GOOD[FIELDS[index]]))
        for index in draw(st.sampled_from([[], [], []]) | st.lists(st.integers(0, len(FIELDS) - 1), max_size=2)):
            cells[index] = draw(st.one_of(st.sampled_from(ODD), st.text(max_size=8), st.floats(allow_nan=False)))
        width = draw(st.sampled_from([len(FIELDS), len(FIELDS) + 2, len(FIELDS), 8]))
        padded = (*cells, "more", None)
        found.append(Row(number + 2, padded[:width], is_hidden=draw(st.integers(0, 9)) == 0))
    return found


def reader(locale: str | None, defaults: Defaults) -> Reader:
    return Reader(
        sheet="S",
        columns=COLUMNS,
        locales=dict.fromkeys(COLUMNS, locale),
        defaults=defaults,
        cities=load_cities(),
        has_serials=True,
        repeated_keys={"K2": 1, 'K"3': 1},
    )


@given(
    rows(),
    st.sampled_from([None, "pt_BR", "mixed"]),
    st.sampled_from([Defaults(), Defaults(emitter_cnpj=RIO, competence=NOVEMBER)]),
)
def test_both_ways_give_one_line(found: list[Row], locale: str | None, defaults: Defaults) -> None:
    careful = reader(locale, defaults)
    quick = QuickReader(careful)
    for row in found:
        assert_both_agree(row, careful, quick)


def test_each_cell_by_itself_gives_one_line_both_ways() -> None:
    clean = [GOOD.get(name, [None])[0] for name in FIELDS]
    careful = reader(None, Defaults())
    quick = QuickReader(careful)
    for index, name in enumerate(FIELDS):
        for cell in (*GOOD.get(name, []), *ODD):
            assert_both_agree(Row(2, (*clean[:index], cell, *clean[index + 1 :])), careful, quick)


def test_a_number_among_the_texts_leaves_the_others_as_they_stand() -> None:
    careful = reader(None, Defaults())
    cells = [GOOD.get(name, [None])[0] for name in FIELDS]
    cells[COLUMNS["number"]] = 12.0
    for description in ("Consultoria", "uma\nduas", " x "):
        cells[COLUMNS["description"]] = description
        assert_both_agree(Row(2, tuple(cells)), careful, QuickReader(careful))


def assert_both_agree(row: Row, careful: Reader, quick: QuickReader) -> None:
    clean = quick.read(row)
    if clean is not None:
        line, problems = careful.read(row)
        assert problems == ()
        assert line is not None
        assert orjson.loads(clean[0]) == line.to_json()
        assert clean[1] in (None, orjson.dumps(kept_cells(row)))


def test_a_clean_row_is_typed_quickly() -> None:
    cells = [GOOD.get(name, [None])[0] for name in FIELDS]
    quick = QuickReader(reader(None, Defaults()))
    assert quick.read(Row(2, tuple(cells))) is not None
    # and again, from memory
    assert quick.read(Row(3, tuple(cells))) == quick.read(Row(2, tuple(cells)))
    assert quick.read(Row(4, tuple(cells), is_hidden=True)) is None


def test_clean_cells_are_kept_quickly_too_unless_json_writes_a_text_otherwise() -> None:
    careful = reader(None, Defaults())
    clean = [GOOD.get(name, [None])[0] for name in FIELDS]
    quick = QuickReader(careful)
    kept = quick.read(Row(2, tuple(clean)))
    assert kept is not None
    assert kept[1] == orjson.dumps(kept_cells(Row(2, tuple(clean))))
    for name, text in {"name": 'O "Rei"', "template_name": "A\\B", "zip_code": "01310-100\n"}.items():
        changed = [text if each == name else cell for each, cell in zip(FIELDS, clean, strict=True)]
        read = quick.read(Row(3, tuple(changed)))
        assert read is not None
        assert read[1] is None
    for more in ('a "b"', "a\nb"):
        read = quick.read(Row(4, (*clean, more)))
        assert read is not None
        assert read[1] is None


def test_equal_cells_of_two_kinds_are_not_taken_for_each_other() -> None:
    careful = reader(None, Defaults())
    quick = QuickReader(careful)
    cells = [GOOD.get(name, [None])[0] for name in FIELDS]
    points: list[int] = []
    for rate in (0.65, Percent(0.65), "0,65"):
        cells[COLUMNS["iss_bp"]] = rate
        clean = quick.read(Row(2, tuple(cells)))
        assert clean is not None
        points.append(orjson.loads(clean[0])["iss_bp"])
    assert points == [65, 6_500, 65]
