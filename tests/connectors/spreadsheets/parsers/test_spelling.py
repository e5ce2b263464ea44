"""Words with one typing error."""

import pytest

from connectors.spreadsheets.parsers.spelling import is_nearly


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("situacao", True), ("sitaucao", True), ("stuacao", True), ("situuacao", True), ("sibuacao", True),
        ("situacoes", False), ("citaucao", False), ("saturacao", False), ("sit", False),
    ],
)  # fmt: skip
def test_one_typing_error_is_near(word: str, expected: bool) -> None:
    assert is_nearly(word, "situacao") == expected
