"""CPF and CNPJ: every way of writing them, lost zeros, letters, and what must be refused."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from stdnum.br import cnpj as stdnum_cnpj

from domain.documents import Document, ParsedDocument, is_cnpj, is_cpf, parse_document, possible_documents
from domain.problems import Problem

LETTERED = ["12ABC34501DE35", "A87HBZHB000161", "99ABC001000157", "1234567E000184"]


def cpf_of(nine: str) -> str:
    """Return a CPF; compute its digits here from the published sums, because the code under test uses a library."""
    digits = [int(c) for c in nine]
    for _ in range(2):
        weights = range(len(digits) + 1, 1, -1)
        digits.append(sum(w * d for w, d in zip(weights, digits, strict=True)) * 10 % 11 % 10)
    return "".join(map(str, digits))


def cnpj_of(twelve: str) -> str:
    """Return a CNPJ in the same way: the value of a character is its code less 48, so A is 17."""
    values = [ord(c) - 48 for c in twelve]
    for weights in ([5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]):
        rest = sum(w * v for w, v in zip(weights, values, strict=True)) % 11
        values.append(0 if rest < 2 else 11 - rest)
    return twelve + "".join(map(str, values[-2:]))


CPFS = st.text("0123456789", min_size=9, max_size=9).filter(lambda nine: len(set(nine)) > 1).map(cpf_of)
CNPJS = (
    st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=12, max_size=12)
    .filter(lambda twelve: not twelve.startswith("00000000"))
    .map(cnpj_of)
)


def read(text):
    parsed = parse_document(text)
    assert isinstance(parsed, ParsedDocument), parsed
    return parsed


def code(text):
    problem = parse_document(text)
    assert isinstance(problem, Problem), problem
    return problem.code


@given(CPFS)
def test_every_cpf_with_its_punctuation_is_that_cpf(number):
    document = Document("cpf", number)
    assert read(document.formatted) == ParsedDocument(document, is_repaired=False)


@given(CNPJS)
def test_every_cnpj_is_recognised_in_each_spelling(number):
    document = Document("cnpj", number)
    for text in (
        number,
        document.formatted,
        number.lower(),
        f" {document.formatted}\u00a0",
        f"'{number}",
        f"C{number}",
    ):
        assert read(text) == ParsedDocument(document, is_repaired=False)


@given(CNPJS, st.integers(0, 13), st.sampled_from("0123456789"))
def test_one_wrong_character_in_a_numeric_place_is_noticed(number, place, digit):
    assume(number[place].isdecimal() and number[place] != digit)
    mistyped = number[:place] + digit + number[place + 1 :]
    assert is_cnpj(mistyped) == bool(stdnum_cnpj.is_valid(mistyped))
    if place >= 12:
        assert code(mistyped) == "document.invalid"


@pytest.mark.parametrize("number", LETTERED)
def test_lettered_cnpjs_in_force_are_known(number):
    assert read(number).document == Document("cnpj", number)
    assert cnpj_of(number[:12]) == number


def test_a_cnpj_made_with_the_wrong_letter_table_is_refused():
    assert code("LBNXQOB5000163") == "document.invalid"


@pytest.mark.parametrize("digit", "0123456789")
def test_one_digit_repeated_was_never_anybodys_document(digit):
    assert not is_cpf(digit * 11)
    assert not is_cnpj(digit * 14)
    assert code(digit * 14) == "document.invalid"
    assert isinstance(parse_document(digit * 11), Problem)


@pytest.mark.parametrize("zeros", [1, 2, 3])
def test_a_cpf_that_lost_its_zeros_is_repaired_and_says_so(zeros):
    chance = random.Random(zeros)
    for _ in range(50):
        number = cpf_of("0" * zeros + "1" + "".join(chance.choices("0123456789", k=8 - zeros)))
        parsed = parse_document(number.lstrip("0"))
        as_cnpj = number.lstrip("0").zfill(14)
        if is_cnpj(as_cnpj):
            assert parsed == Problem("document.ambiguous", "document")
        else:
            assert parsed == ParsedDocument(Document("cpf", number), is_repaired=True)


@pytest.mark.parametrize("zeros", [1, 2, 3, 5])
def test_a_cnpj_that_lost_its_zeros_is_repaired_and_says_so(zeros):
    chance = random.Random(zeros)
    for _ in range(50):
        root = "0" * zeros + "7" + "".join(chance.choices("0123456789", k=7 - zeros))
        number = cnpj_of(f"{root}0001")
        short = number.lstrip("0")
        if is_cpf(short.zfill(11)):
            assert parse_document(short) == Problem("document.ambiguous", "document")
        else:
            assert parse_document(short) == ParsedDocument(Document("cnpj", number), is_repaired=True)


def test_text_with_a_leading_zero_lost_none():
    assert code(cnpj_of("000712340001")[2:]) == "document.length"


def both_ways(branch: str) -> str:
    """Return eleven digits that are a CPF, and also a CNPJ of this branch with three leading zeros."""
    return next(
        digits
        for root in range(10_000, 100_000)
        if is_cpf(digits := cnpj_of(f"{root:08d}{branch}")[3:]) and digits[0] != "0"
    )


def test_eleven_digits_that_could_be_either_are_refused():
    assert code(both_ways("0001")) == "document.ambiguous"


def test_every_document_that_a_number_may_be_is_found():
    number = both_ways("0001")
    assert possible_documents(number) == (Document("cpf", number), Document("cnpj", f"000{number}"))
    assert possible_documents(Document("cpf", number).formatted) == (Document("cpf", number),)
    # up to nine digits, the sums of both kinds are the same
    short = cnpj_of("000000020001").lstrip("0")
    assert [each.number for each in possible_documents(short)] == [short.zfill(11), short.zfill(14)]
    assert possible_documents(cnpj_of("071234567890")) == (Document("cnpj", cnpj_of("071234567890")),)
    assert possible_documents("") == possible_documents("1234") == possible_documents("EIN 40773000100") == ()


def test_punctuation_of_a_cpf_settles_which_of_the_two_it_is():
    number = both_ways("0001")
    assert read(Document("cpf", number).formatted).document == Document("cpf", number)


def test_an_unlikely_branch_does_not_make_a_whole_cpf_doubtful():
    number = both_ways("4821")
    assert read(number) == ParsedDocument(Document("cpf", number), is_repaired=False)


def test_few_whole_cpfs_are_ambiguous():
    chance = random.Random(7)
    numbers = [cpf_of("".join(chance.choices("0123456789", k=9))) for _ in range(5_000)]
    assert sum(isinstance(parse_document(number), Problem) for number in numbers) < 5_000 * 0.003


@given(st.from_regex(r"[0-9]{1,7}", fullmatch=True))
def test_a_short_number_is_never_padded_into_somebodys_document(text):
    assert code(text) == "document.length"


@pytest.mark.parametrize("text", ["9,9E+13", "1.2345678000195E+13", "1.2E13", "1,23e+10", "12345678E+6"])
def test_a_rounded_number_has_lost_digits_for_good(text):
    assert code(text) == "document.scientific"


def test_a_cnpj_that_looks_like_a_power_of_ten_is_no_number():
    assert read("1234567E000184").document.number == "1234567E000184"


def test_the_point_zero_of_a_float_is_no_digit():
    # Ten digits and a zero would be eleven: they must not become another person's CPF.
    number = next(n for root in range(100_000_000, 100_001_000) if (n := cpf_of(str(root)))[-1] == "0")
    assert parse_document(f"{number[:-1]}.0") != ParsedDocument(Document("cpf", number), is_repaired=False)
    assert read(f"{number}.0").document == Document("cpf", number)


@pytest.mark.parametrize("text", ["CNPJ: 12.ABC.345/01DE-35", "cnpj 12abc34501de35", "CPF/CNPJ: 12ABC34501DE35"])
def test_a_label_in_the_cell_is_not_part_of_the_number(text):
    assert read(text).document == Document("cnpj", "12ABC34501DE35")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, "missing") for text in ("", " \u00a0\u200b ", "-")),
        *((text, "length") for text in ("ISENTO", "123", "1" * 40, "12ABC34501DE3")),
        *((text, "foreign") for text in ("Exterior", "EIN 12-3456789", "passaporte FX1234")),
        *((text, "invalid") for text in ("12ABC34501DE3X", "١٢٣٤٥٦٧٨٩٠٩")),
    ],
)
def test_a_bad_document_has_a_reason(text, expected):
    assert code(text) == f"document.{expected}"


@given(st.text(max_size=40))
def test_any_text_gives_a_valid_document_or_a_problem(text):
    parsed = parse_document(text)
    if isinstance(parsed, ParsedDocument):
        number = parsed.document.number
        assert is_cpf(number) if parsed.document.kind == "cpf" else is_cnpj(number)


def test_no_mask_repr_or_problem_reveals_a_document():
    person, company = Document("cpf", "52998224725"), Document("cnpj", "12ABC34501DE35")
    assert person.masked == "***.982.247-**"
    assert company.masked == "**.***.345/01DE-**"
    assert "529" not in repr(person)
    assert "52998224724" not in repr(parse_document("52998224724"))
