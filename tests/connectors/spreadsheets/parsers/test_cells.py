"""One cell as one value: what people type, and refusals that do not repeat personal data."""

from datetime import date, datetime, time, timedelta

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.reference.cities import load_cities
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.workbook import CellError, Uncalculated
from domain.competence import BRASILIA
from domain.problems import Problem

# A workbook gives instants without a zone.
at = datetime.fromisoformat


def code(found: object) -> str:
    assert isinstance(found, Problem), found
    return found.code


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("  Ana\u00a0 Souza\u200b ", "Ana Souza"), ("\ufeffx", "x"), ("'00123", "00123"), ("a\nb", "a b"),
        (99_000_001_000_101.0, "99000001000101"), (1.07, "1.07"), (0.0, "0"), (True, "Sim"), (None, ""),
        (date(2026, 11, 1), "01/11/2026"), (at("2026-11-01T09:05"), "01/11/2026 09:05"),
        (at("2026-11-01T00:00"), "01/11/2026"), (CellError("#N/D"), "#N/D"), (Uncalculated(), ""),
    ],
)  # fmt: skip
def test_a_cell_is_read_as_clean_text(cell, text: str) -> None:
    assert cells.as_text(cell) == text


def test_paragraphs_keep_their_lines() -> None:
    assert cells.as_text(" um  dois \r\n tres ", keep_lines=True) == "um dois\ntres"


@pytest.mark.parametrize("cell", [None, "", " ", "\u00a0", "\u200b\t"])
def test_a_cell_that_looks_empty_is_blank(cell: str | None) -> None:
    assert cells.is_blank(cell)


@pytest.mark.parametrize("cell", ["x", 0.0, False, CellError("#N/D"), Uncalculated()])
def test_other_cells_are_not_blank(cell) -> None:
    assert not cells.is_blank(cell)


def test_cells_are_stored_as_json() -> None:
    assert cells.as_json(5.0) == 5
    assert isinstance(cells.as_json(5.0), int)
    assert cells.as_json(1.5) == 1.5
    assert cells.as_json(True) is True
    assert cells.as_json(at("2026-11-01T09:00")) == "2026-11-01T09:00:00"
    assert cells.as_json(date(2026, 11, 1)) == "2026-11-01"
    assert cells.as_json(time(9)) == "09:00:00"
    assert cells.as_json(timedelta(hours=30)) == "1 day, 6:00:00"
    assert cells.as_json(CellError("#REF!")) == "#REF!"
    assert cells.as_json(Uncalculated()) is None
    assert len(str(cells.as_json("x" * 40_000))) == cells.TEXT_LENGTH


def test_texts_that_no_field_can_hold() -> None:
    assert cells.parse_text("x" * 32_767, "description") == "x" * 32_767
    assert code(cells.parse_text("x" * 32_768, "description")) == "text.too_long"
    for bad in ("a\x00b", "a\x0bb", "a\x7fb", "a\x85b", "a\ue000b", "a\ud800b"):
        assert code(cells.parse_text(bad, "name")) == "text.characters", repr(bad)


YES = ("S", "sim", "X", 1.0, True, "Verdadeiro")
NO = ("N", "não", 0.0, False, "FALSO")


@pytest.mark.parametrize(("cell", "answer"), [*((cell, True) for cell in YES), *((cell, False) for cell in NO)])
def test_yes_and_no_are_parsed(cell, answer: bool) -> None:
    assert cells.parse_yes_no(cell) is answer


def test_maybe_is_neither_yes_nor_no() -> None:
    assert code(cells.parse_yes_no("talvez")) == "row.yes_no"
    assert code(cells.parse_yes_no(2.0)) == "row.yes_no"


def test_several_mail_addresses_are_kept_once_each() -> None:
    typed = "a@x.example; b.c@y.example,a@x.example Ana <d@z.example>"
    assert cells.parse_emails("a@x.example; b.c@y.example, a@x.example") == ("a@x.example", "b.c@y.example")
    assert cells.parse_emails("Ana Souza <d@z.example>") == ("d@z.example",)
    assert code(cells.parse_emails(typed)) == "row.email"


@pytest.mark.parametrize(
    "text",
    ["ana@", "ana", "@x.example", "a b@x", "ana@x..example", "ana@x", "ána souza@x.example", "a" * 300 + "@x.example"],
)
def test_a_bad_address_is_masked_in_its_problem(text: str) -> None:
    found = cells.parse_emails(text)
    assert isinstance(found, Problem)
    assert "ana@" not in str(found.params["text"])
    assert len(str(found.params["text"])) < 60


@pytest.mark.parametrize(
    "cell", ["(11) 97000-1234", "11 970001234", "+55 11 97000-1234", 11_970_001_234.0, "011 97000-1234"]
)
def test_phones_become_area_code_and_number(cell) -> None:
    assert cells.parse_phone(cell) == "11970001234"


@given(
    st.integers(10, 99),
    st.sampled_from(["", "9"]),
    st.integers(0, 99_999_999),
    st.sampled_from(["({}) {}-{}", "{}{}{}"]),
)
def test_phones_are_known_as_the_library_knows_them(area: int, nine: str, digits: int, form: str) -> None:
    text = form.format(area, f"{nine}{digits:08d}"[:-4], f"{digits:08d}"[-4:])
    parsed = phonenumbers.parse(text, "BR")
    is_known = phonenumbers.is_valid_number(parsed)
    found = cells.parse_phone(text)
    assert found == phonenumbers.national_significant_number(parsed) if is_known else isinstance(found, Problem)


@pytest.mark.parametrize(
    "text", ["1133334444 / 11999998888 (Bia)", "(11) 3333-4444 (Bia)", "11 3333-4444 ou 8888-7777"]
)
def test_the_first_of_several_phones_counts(text: str) -> None:
    assert cells.parse_phone(text) == "1133334444"


def test_a_phone_without_area_code_is_neither_used_nor_shown() -> None:
    found = cells.parse_phone("97000-1234")
    assert isinstance(found, Problem)
    assert found.params == {"text": "…34"}
    assert code(cells.parse_phone("+1 212 555 0100")) == "row.phone"
    assert code(cells.parse_phone("ramal")) == "row.phone"


@pytest.mark.parametrize(
    ("cell", "zip_code"),
    [("01310-100", "01310100"), ("01.310-100", "01310100"), (1_310_100.0, "01310100"), ("20031170", "20031170")],
)
def test_postal_codes_are_parsed(cell, zip_code: str) -> None:
    assert cells.parse_zip_code(cell) == zip_code


def test_other_texts_are_no_postal_code() -> None:
    for text in ("1310", "ABC", "013101000"):
        assert code(cells.parse_zip_code(text)) == "row.zip_code"


@pytest.mark.parametrize("text", ["SP", "sp", "São Paulo", "SP - São Paulo", "SAO PAULO", "SP/Brasil"])
def test_states_by_name_or_abbreviation(text: str) -> None:
    assert cells.parse_state(text) == "SP"


def test_a_place_is_split_from_its_state() -> None:
    assert cells.split_place("São Paulo - SP") == ("São Paulo", "SP")
    assert cells.split_place("Niterói/RJ") == ("Niterói", "RJ")
    assert cells.split_place("Campinas (sp)") == ("Campinas", "SP")
    assert cells.split_place("Não-Me-Toque") == ("Não-Me-Toque", None)
    assert code(cells.parse_state("Lisboa")) == "row.state"


def test_no_municipality_has_a_name_that_ends_with_a_state() -> None:
    assert [city for city in load_cities() if cells.split_place(city.name)[1] is not None] == []


@pytest.mark.parametrize(
    "cell",
    [
        "11/2026",
        "nov/26",
        "Novembro/2026",
        "2026-11",
        date(2026, 11, 20),
        at("2026-11-30T23:00"),
        46_346.0,
        202_611.0,
        "202611",
        "46327",
        "ref. 11/2026",
        "Ref: nov/26",
        "Competência novembro de 2026",
        "referente a 11/2026",
        "01/11/2026 a 30/11/2026",
        "mês 11/2026",
    ],
)
def test_months_are_parsed(cell) -> None:
    assert cells.parse_month(cell, has_serials=True) == date(2026, 11, 1)


def test_day_numbers_that_count_from_1904_are_not_guessed() -> None:
    assert code(cells.parse_month(46_346.0, has_serials=False)) == "competence.unreadable"
    assert code(cells.parse_month(11.2026, has_serials=True)) == "competence.unreadable"
    assert code(cells.parse_month(202_613.0, has_serials=True)) == "competence.unreadable"
    assert code(cells.parse_month(True, has_serials=True)) == "competence.unreadable"


def test_instants_are_aware_and_a_day_is_its_first_minute() -> None:
    midnight = datetime(2026, 11, 20, tzinfo=BRASILIA)
    for cell in ("20/11/2026", "2026-11-20", "20.11.26", date(2026, 11, 20), 46_346.0):
        assert cells.parse_instant(cell, has_serials=True) == midnight
    assert cells.parse_instant(at("2026-11-20T09:00"), has_serials=True) == datetime(2026, 11, 20, 9, tzinfo=BRASILIA)
    for bad in ("amanhã", time(9), "31/02/2026", date(1900, 1, 1)):
        assert code(cells.parse_instant(bad, has_serials=True)) == "date.unreadable"


def test_days_without_a_year_lie_in_the_month_asked_for() -> None:
    asked = date(2026, 11, 1)
    for text in ("01/11 a 30/11", "Ref. novembro"):
        assert cells.parse_month(text, has_serials=True, near=asked) == asked
    for text, near in (("01/11 a 30/11", None), ("01/10 a 31/10", asked), ("Ref. outubro", asked)):
        assert code(cells.parse_month(text, has_serials=True, near=near)) == "competence.no_year"
    assert code(cells.parse_month("15/10 a 14/11", has_serials=True, near=asked)) == "competence.unreadable"
    assert code(cells.parse_month("15/10/2026 a 14/11/2026", has_serials=True)) == "competence.unreadable"


ERRORS = ("#N/D", "#N/A", "#REF!", "#VALOR!", "#DIV/0!", "#NOME?", "#NÚM!", " #n/d ", "Err:502", "########", "#CAMPO!")


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_that_a_file_holds_as_text_is_an_error(text: str) -> None:
    found = cells.unusable(text)
    assert isinstance(found, Problem)
    assert (found.code, found.params) == ("row.error_cell", {"error": text.strip()})
    assert not cells.is_tidy(text)


@pytest.mark.parametrize("text", ["#1234", "# 12", "#", "Erro na nota", "#projeto", "Err: ver", "C# e .NET"])
def test_a_text_that_only_begins_like_an_error_is_a_text(text: str) -> None:
    assert cells.unusable(text) is None
    assert cells.parse_text(text, "description") == text


@pytest.mark.parametrize("text", ["-", "--", "não tem", "Nao possui", "sem email", "Sem e-mail", "S/ email", "N/A"])
def test_words_for_nothing_are_no_address(text: str) -> None:
    assert cells.parse_emails(text) == ()
    assert cells.parse_phone(text) is None
    assert cells.parse_zip_code(text) is None
    assert cells.parse_instant(text, has_serials=True) is None


@pytest.mark.parametrize("between", ["/", " / ", " e ", "|", ";", " "])
def test_two_addresses_joined_by_anything_usual(between: str) -> None:
    assert cells.parse_emails(f"a.e@x.example{between}b@y.example") == ("a.e@x.example", "b@y.example")


@pytest.mark.parametrize("text", ["21/nov/26", "21-nov-2026", "21 de novembro de 2026", "21 nov. 2026"])
def test_days_with_the_month_by_name(text: str) -> None:
    assert cells.parse_instant(text, has_serials=True) == datetime(2026, 11, 21, tzinfo=BRASILIA)


def test_a_day_with_an_invalid_month_is_no_date() -> None:
    for text in ("21/xyz/26", "31/nov/26"):
        assert code(cells.parse_instant(text, has_serials=True)) == "date.unreadable"
