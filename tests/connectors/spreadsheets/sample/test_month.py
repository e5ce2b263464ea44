"""The sample month: equal bytes for equal months, fictional people, and exactly the promised faults."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from connectors.spreadsheets.sample import write_sample_month
from connectors.spreadsheets.sample.people import company, person
from connectors.spreadsheets.services import Defaults, ReadRow, ServicesReading
from domain.documents import ParsedDocument, parse_document
from tests.connectors.spreadsheets import books

NOVEMBER = date(2026, 11, 1)
EMITTERS = {"99000001000101", "99000002000148"}
TEMPLATES = {"Mensalidade Sistema", "Consultoria", "Suporte Mensal", "Treinamento", "Licença Anual"}


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> ServicesReading:
    path = tmp_path_factory.mktemp("sample") / "mes.xlsx"
    write_sample_month(path, NOVEMBER)
    return books.read_bytes(path.read_bytes(), defaults=Defaults())


@pytest.fixture(scope="module")
def rows(reading: ServicesReading) -> list[ReadRow]:
    return list(reading.rows())


def test_equal_months_give_equal_bytes_and_others_do_not(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.xlsx", "b.xlsx", "c.xlsx")]
    for path, month in zip(paths, (NOVEMBER, NOVEMBER, date(2026, 12, 1)), strict=True):
        write_sample_month(path, month)
    first, same, other = (path.read_bytes() for path in paths)
    assert first == same
    assert first != other


def test_the_sample_month_has_some_three_hundred_rows(rows: list[ReadRow]) -> None:
    assert 280 <= len(rows) <= 320
    lines = [row.line for row in rows if row.line]
    assert {line.emitter_cnpj for line in lines} >= EMITTERS
    assert {line.template_name for line in lines} >= TEMPLATES
    documents = {line.taker.document for line in lines if line.taker.document}
    assert len(documents) == 120
    assert {document.kind for document in documents} == {"cpf", "cnpj"}
    assert any(not document.number.isdecimal() for document in documents)
    assert all(document.number.startswith(("99", "00")) for document in documents)
    assert {line.competence for line in lines} == {NOVEMBER}


def test_a_dozen_rows_are_faulty_each_in_its_own_way(rows: list[ReadRow]) -> None:
    refused = [problem.code for row in rows for problem in row.problems]
    assert sorted(refused) == [
        "amount.missing",
        "amount.unreadable",
        "city.ambiguous",
        "competence.unreadable",
        "document.invalid",
        "document.scientific",
        "row.email",
        "row.error_cell",
    ]
    lines = [row.line for row in rows if row.line]
    # A reader alone cannot see an unknown CNPJ, a mistyped template, a repeated row, a CPF with retentions.
    assert [line.emitter_cnpj for line in lines if line.emitter_cnpj not in EMITTERS] == ["99000003000192"]
    assert [line.template_name for line in lines if line.template_name not in TEMPLATES] == ["Consutoria"]
    keys = [(line.emitter_cnpj, line.taker.document, line.template_name, line.service_cents) for line in lines]
    repeated = [count for count in Counter(keys).values() if count > 1]
    assert repeated == [2]
    private = [line for line in lines if line.taker.document and line.taker.document.kind == "cpf"]
    assert len([line for line in private if line.template_name == "Consultoria"]) == 1
    assert len(refused) + 4 == 12


def test_its_total_is_right_and_its_zeros_are_mended(reading: ServicesReading) -> None:
    understood = reading.understood
    assert understood.declared_cents == understood.computed_cents
    assert len(understood.total_rows) == 3
    assert [warning.code for warning in understood.warnings] == ["column.ignored", "sheet.notes_below"]
    list(reading.rows())
    assert "document.repaired" in {each.problem.code for each in reading.decisions.all()}
    assert understood.header_row == 4
    assert understood.unused == {}


def test_everybody_has_a_different_valid_document() -> None:
    everybody = [person(n) for n in range(200)] + [company(n, is_lettered=False) for n in range(100)]
    everybody += [company(n, is_lettered=True) for n in range(100, 200)]
    assert len({each.document for each in everybody}) == 400
    for each in everybody:
        found = parse_document(each.formatted)
        assert isinstance(found, ParsedDocument)
        assert (found.document.number, found.document.kind == "cnpj") == (each.document, each.is_company)
