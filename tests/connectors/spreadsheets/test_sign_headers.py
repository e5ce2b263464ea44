"""Headers whose first word says what they say about billing."""

import pytest

from connectors.spreadsheets.sign_headers import sign_of


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("situacao do aluno", "status"), ("aprovado pelo socio", "active"), ("fl canc", "stopped"),
        ("cancelado em", "stopped"), ("flag", None), ("moeda da venda", "currency"),
        ("valor aprovado", None), ("st icms", None),
    ],
)  # fmt: skip
def test_the_first_word_decides(header: str, expected: str | None):
    assert sign_of(header) == expected
