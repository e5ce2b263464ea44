"""A tax regime is read from a digit or a label, never guessed."""

import pytest

from domain.products.shops import regime_of


@pytest.mark.parametrize(
    ("text", "regime"),
    [
        ("1", 1),
        ("Simples Nacional", 1),
        ("SIMPLES NACIONAL ", 1),
        ("Simples Nacional - excesso de sublimite da receita bruta", 2),
        ("2", 2),
        ("Regime Normal", 3),
        ("3", 3),
        ("", None),
        (None, None),
        ("MEI", None),
        ("4", None),
    ],
)
def test_a_regime(text, regime):
    assert regime_of(text) == regime
