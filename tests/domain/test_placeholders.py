"""Placeholders of a text: single or doubled braces mean the same, other braces are named."""

import pytest

from domain.placeholders import fill_placeholders, has_stray_brace, placeholders_in

VALUES = {"mês": "novembro"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("Aula de {mês}", "Aula de novembro"),
        ("Aula de {{mês}}", "Aula de novembro"),
        ("{mês}{{mês}}", "novembronovembro"),
        ("{x} {{x}}", "{x} {{x}}"),
        ("no placeholder", "no placeholder"),
    ],
)
def test_doubled_braces_mean_what_single_ones_mean(text: str, filled: str) -> None:
    assert fill_placeholders(text, VALUES.get) == filled
    assert not has_stray_brace(text)


@pytest.mark.parametrize("text", ["{mês", "mês}", "{{mês}", "{mês}}", "{{{mês}}}", "{ {mês} }", "a } b"])
def test_a_brace_of_no_placeholder_is_seen(text: str) -> None:
    assert has_stray_brace(text)


def test_names_are_as_written() -> None:
    assert placeholders_in("{Mês} de {{ ano }}, {}") == ["Mês", " ano ", ""]
