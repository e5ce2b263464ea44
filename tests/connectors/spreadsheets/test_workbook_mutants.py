"""Randomly damaged files give a workbook or a refusal in words, never anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.connectors.spreadsheets import mutants

FILES = mutants.seeds()
# XML in unknown encodings; a sheet that ends before it begins, for which the cell reader wants 170 GB;
# addresses of twenty and of fifty digits, which end the whole process.
FOUND = (1544, 1789, 3031, 6498, 128_322, 128_906, 130_430, 135_994)


def test_the_files_before_they_are_spoilt_are_read() -> None:
    read = {kind: mutants.verdict(content, mutants.read_whole) for kind, content in FILES.items()}
    # One file has two columns only.
    assert read == {kind: "sheet.no_header" if kind == "xlsb" else "opened" for kind in FILES}


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_spoilt_files_are_read_or_refused(first: int) -> None:
    for seed in range(first, first + 50):
        kind, content = mutants.mutant(seed, FILES)
        found = mutants.verdict(content, mutants.read_whole)
        assert not found.startswith("!!"), f"seed {seed}, {kind}: {found}"


@pytest.mark.parametrize("seed", FOUND)
def test_files_found_by_an_earlier_hour_of_mutants(seed: int) -> None:
    _, content = mutants.mutant(seed, FILES)
    assert not mutants.verdict(content, mutants.read_whole).startswith("!!")


@given(st.one_of(st.binary(max_size=400), st.text(max_size=200).map(str.encode)))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    assert not mutants.verdict(content, mutants.read_whole).startswith("!!")


CELLS = st.one_of(
    st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=30),
    st.dates(), st.datetimes(), st.sampled_from(["TOTAL", "1.234", "R$ 1,00", "5%", "11/2026", "S", "SP", "#N/D"]),
)  # fmt: skip


@given(st.lists(st.lists(CELLS, max_size=12), max_size=6))
def test_any_cells_are_read_or_refused(rows: list[list[object]]) -> None:
    head = [*mutants.HEAD, "E-mail", "Telefone", "CEP", "Data Emissão", "ISS Retido"]
    content = mutants.as_csv([head, *rows])
    assert not mutants.verdict(content, mutants.read_whole).startswith("!!")
