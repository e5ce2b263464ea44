"""Rows in colours: reported, and held where a legend says what the colour means."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, good
from tests.corpus.sheets import table, xlsx

RED: Final = "#FF0000"
_FIVE: Final = [good(number) for number in range(1, 6)]
_ALL: Final[dict[int, Expectation]] = {number + 1: bill(10_000 + number) for number in range(1, 6)}
_HELD: Final[dict[int, Expectation]] = _ALL | {4: ask("held.colour")}


def _written(rows: Mapping[int, Sequence[object]], colour: str = RED) -> Callable[[Any, Any], None]:
    """Return what writes rows again with text in a colour, by row from 0."""
    return _coloured(rows, colour, look="font_color")


def _coloured(
    rows: Mapping[int, Sequence[object]], colour: str = RED, look: str = "bg_color", **more: str
) -> Callable[[Any, Any], None]:
    """Return what writes rows again in a colour, by row from 0; `more` are cells by address with their colours."""

    def dress(sheet: Any, book: Any) -> None:
        fill = book.add_format({look: colour})
        for number, row in rows.items():
            for column, value in enumerate(row):
                sheet.write(number, column, value, fill)
        for place, other in more.items():
            sheet.write_blank(place, None, book.add_format({"bg_color": other}))

    return dress


def habits() -> Iterator[Habit]:
    third = _coloured({3: _FIVE[2]})
    remarks = ("row.coloured",)
    yield Habit("coloured_row", table(*_FIVE, dress=third), "a.xlsx", _ALL, remarks=remarks)
    light = _coloured({2: _FIVE[1], 3: _FIVE[2]}, "#FFC7CE")
    yield Habit("two_coloured_rows", table(*_FIVE, dress=light), "a.xlsx", _ALL, remarks=remarks)

    def amount(sheet: Any, book: Any) -> None:
        sheet.write(3, 3, _FIVE[2][3], book.add_format({"bg_color": "#FFEB9C"}))

    yield Habit("coloured_amount", table(*_FIVE, dress=amount), "a.xlsx", _ALL, remarks=remarks)
    for number, text in enumerate(
        ("Vermelho = cancelado", "Linhas em vermelho: não faturar", "VERMELHA - suspenso", "Red: cancelled")
    ):
        below = table(*_FIVE, [], [text], dress=third)
        yield Habit(f"legend_below_{number}", below, "a.xlsx", _HELD)
    third_text = table(*_FIVE, [], ["Linhas em vermelho: não emitir NF"], dress=_written({3: _FIVE[2]}))
    yield Habit("legend_of_a_text_colour", third_text, "a.xlsx", _HELD)
    yield Habit("coloured_text", table(*_FIVE, dress=_written({3: _FIVE[2]})), "a.xlsx", _ALL, remarks=remarks)
    dark = table(*_FIVE, dress=_written({3: _FIVE[2]}, "#404040"))
    yield Habit("dark_text", dark, "a.xlsx", _ALL)
    total = table(*_FIVE, ["TOTAL", None, None, 500.15], ["Vermelho = cancelado"], dress=third)
    yield Habit("legend_below_total", total, "a.xlsx", _HELD)
    words_beside = table([*_FIVE[0], None, "vermelho = cancelado"], *_FIVE[1:], dress=third)
    yield Habit("legend_beside", words_beside, "a.xlsx", _HELD)
    above = xlsx(["Legenda: vermelho cancelado, verde ok"], HEAD, *_FIVE, dress=_coloured({4: _FIVE[2]}))
    yield Habit("legend_above", above, "a.xlsx", {number + 1: each for number, each in _HELD.items()})
    own = table(*_FIVE, [], ["Cancelado"], dress=_coloured({3: _FIVE[2], 7: ["Cancelado"]}))
    yield Habit("legend_in_its_colour", own, "a.xlsx", _HELD)
    last = ["TOTAL", None, None, 500.15]
    swatches = _coloured({3: _FIVE[2]}, A9=RED, A10="#00FF00")
    sample = table(*_FIVE, last, [], [None, "Cancelado"], [None, "Ativo"], dress=swatches)
    yield Habit("legend_with_a_sample", sample, "a.xlsx", _HELD)
    most = _coloured({number: _FIVE[number - 1] for number in (1, 2, 3, 4)})
    content = table(*_FIVE, [], ["Vermelho = cancelado"], dress=most)
    rows = dict.fromkeys(range(2, 6), ask("held.colour"))
    yield Habit("legend_of_most_rows", content, "a.xlsx", {**rows, 6: bill(10_005)})
    content = table(*_FIVE, [], ["Verde = cancelado"], dress=third)
    yield Habit("legend_of_another_colour", content, "a.xlsx", _ALL, remarks=(*remarks, "sheet.titles_say_no"))
    content = table(*_FIVE, [], ["Vermelho = cliente novo"], dress=third)
    yield Habit("legend_without_a_stop", content, "a.xlsx", _ALL, remarks=remarks)
    words = ["vermelho", "não faturar"]
    content = table(*_FIVE, [], ["Legenda:"], words, dress=_coloured({3: _FIVE[2], 8: words[:1]}))
    yield Habit(
        "legend_of_a_sample_and_its_meaning", content, "a.xlsx", _HELD | {9: ask("document.missing", "document.length")}
    )

    def beside(sheet: Any, book: Any) -> None:
        third(sheet, book)
        sheet.write(1, 5, "suspensos", book.add_format({"bg_color": RED}))

    content = table(*_FIVE, head=[*HEAD, None, "Legenda"], dress=beside)
    yield Habit("legend_in_a_column_of_its_own", content, "a.xlsx", _HELD)
