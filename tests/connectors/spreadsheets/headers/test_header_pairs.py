"""Test that document and name belong to one party in a sheet that names several."""

import pytest

from connectors.spreadsheets.headers.header_pairs import counted, paired

DOCUMENT, NAME, AMOUNT = "document", "name", "service_cents"


@pytest.mark.parametrize(
    ("headers", "fields", "expected"),
    [
        (("aluno", "responsavel", "cpf do responsavel"), (NAME, None, DOCUMENT), (None, NAME, DOCUMENT)),
        (("nome aluno", "nome responsavel", "cpf responsavel"), (NAME, None, DOCUMENT), (None, NAME, DOCUMENT)),
        (("nome do aluno", "nome do responsavel", "cpf do aluno"), (NAME, None, DOCUMENT), (NAME, None, DOCUMENT)),
        (
            ("aluno", "responsavel financeiro nota em nome de", "cpf do responsavel"),
            (NAME, None, DOCUMENT),
            (None, NAME, DOCUMENT),
        ),
        (("cliente", "responsavel", "cnpj"), (NAME, None, DOCUMENT), (NAME, None, DOCUMENT)),
        (("tutor", "cpf do tutor", "pet"), (None, None, None), (NAME, DOCUMENT, None)),
    ],
)
def test_the_name_is_that_of_the_documents_party(headers, fields, expected):
    assert tuple(paired(headers, fields)) == expected


@pytest.mark.parametrize(
    "headers",
    [
        ("medico", "cpf do medico", "valor"),
        ("tutor", "cpf do tutor", "locatario", "cpf do locatario"),
        ("cpf do tutor", "valor"),
        ("tutor", "nome do tutor", "cpf do tutor"),
    ],
)
def test_without_exactly_one_party_nothing_is_chosen(headers):
    assert set(paired(headers, [None] * len(headers))) == {None}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (("cliente cnpj cpf", "numero do documento"), 0),
        (("cpf do aluno", "cpf do responsavel"), 1),
        (("cnpj", "funcionario", "cpf"), 0),
        (("cpf do aluno", "cpf do paciente"), None),
    ],
)
def test_the_document_is_that_of_the_payer(headers, expected):
    fields = [DOCUMENT if "c" in header.split()[0][:1] or "documento" in header else None for header in headers]
    found = [index for index, field in enumerate(paired(headers, fields)) if field == DOCUMENT]
    assert found == ([0, 1] if expected is None else [expected])


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (("aluno", "cpf", "mae", "cpf da mae"), (NAME, DOCUMENT, None, DOCUMENT)),
        (("aluno", "cpf", "pagador", "cpf do pagador"), (None, None, NAME, DOCUMENT)),
        (("cliente", "cpf", "mae", "cpf da mae"), (NAME, DOCUMENT, None, None)),
        (("aluno", "cpf", "medico", "cpf do medico"), (NAME, DOCUMENT, None, None)),
    ],
)
def test_a_pupils_document_yields_to_the_payers_or_asks(headers, expected):
    assert tuple(paired(headers, (NAME, DOCUMENT, None, None))) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (("plantoes", "valor plantao"), ("quantity", "unit_price")),
        (("aulas", "reais aula"), ("quantity", "unit_price")),
        (("qtd check in", "valor por check in"), ("quantity", "unit_price")),
        (("parcelas", "valor da parcela"), (None, None)),
        (("unidade", "valor da unidade"), (None, None)),
        (("plantoes", "valor visita"), (None, None)),
        (("peso kg", "preco kg"), ("quantity", "unit_price")),
        (("quilos", "reais quilo"), ("quantity", "unit_price")),
        (("horas extras", "valor horas extras"), (None, None)),
    ],
)
def test_a_count_and_its_price_are_a_pair(headers, expected):
    assert tuple(counted(headers, (None, None))) == expected


def test_a_taught_document_stays():
    headers, fields = ("cpf do aluno", "cpf do responsavel"), (DOCUMENT, DOCUMENT)
    assert tuple(paired(headers, fields, mapped={"cpf do aluno"})) == fields


def test_a_taught_name_stays():
    headers, fields = ("turma", "responsavel", "cpf do responsavel"), (NAME, None, DOCUMENT)
    assert tuple(paired(headers, fields, mapped={"turma"})) == fields


@pytest.mark.parametrize(
    ("headers", "fields", "expected"),
    [
        (("qtd consultas", "valor da consulta"), ("quantity", AMOUNT), ("quantity", "unit_price")),
        (("plantoes", "valor do plantao"), (None, AMOUNT), ("quantity", "unit_price")),
        (("qtd consultas", "valor das consultas"), ("quantity", AMOUNT), ("quantity", AMOUNT)),
        (("no titulo", "valor titulo"), (None, AMOUNT), (None, AMOUNT)),
        (("qtd consultas", "valor"), ("quantity", AMOUNT), ("quantity", AMOUNT)),
        (("qtd", "peso kg", "preco kg"), ("quantity", None, None), ("quantity", None, None)),
    ],
)
def test_an_amount_of_one_counted_thing_is_its_price(headers, fields, expected):
    assert tuple(counted(headers, fields)) == expected


def test_a_taught_amount_stays_one():
    headers, fields = ("qtd consultas", "valor da consulta"), ("quantity", AMOUNT)
    assert tuple(counted(headers, fields, {"valor da consulta"})) == fields
