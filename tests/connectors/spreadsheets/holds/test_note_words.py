"""Words of notes: each pattern has its stems, without which no note is compared with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.spreadsheets.holds import billing_markers, goods_words, non_charge_texts, note_words, requested_changes
from connectors.spreadsheets.parsers.column_texts import has_any

PATTERNS = {
    note_words.STEMS: (note_words, ("NOT_TO", "_OF_NOTES", "_ALREADY", "OTHERWISE", "_BARE_INVOICE", "_SHORT")),
    requested_changes.STEMS: (requested_changes, ("_CHANGE",)),
    billing_markers._PLAIN_STEMS: (billing_markers, ("_PLAIN_STOP",)),
    goods_words.WARE_STEMS: (goods_words, ("_WARE", "_UNIT")),
    goods_words.KEY_STEMS: (goods_words, ("_KEY",)),
    goods_words.NOTE_STEMS: (goods_words, ("_NOTE",)),
    non_charge_texts._STEMS: (non_charge_texts, ("_NO_SERVICE",)),
    non_charge_texts._UNFILLED_STEMS: (non_charge_texts, ("_UNFILLED",)),
}
CASES = {name: (stems, getattr(module, name)) for stems, (module, names) in PATTERNS.items() for name in names}
PLAIN = st.characters(codec="ascii", exclude_categories=["Lu", "Cc"])


@pytest.mark.parametrize("name", CASES)
@given(st.data())
def test_each_match_of_a_pattern_contains_one_of_its_stems(name: str, data: st.DataObject) -> None:
    stems, pattern = CASES[name]
    assert has_any(stems, data.draw(st.from_regex(pattern, fullmatch=True, alphabet=PLAIN)))


@pytest.mark.parametrize(
    ("bare", "is_stop"),
    [
        ("so em janeiro", True), ("so jan", True), ("cobrar no dia 5", True), ("nf123", True), ("fazer em 2x", True),
        ("fazer 2 nf", True), ("no aguardo do cliente", True), ("interrompido pelo paciente", True),
        ("fechou as portas", True), ("so atende a tarde", False), ("sem interrupcao", False), ("bom dia", False),
    ],
)  # fmt: skip
def test_a_note_stops_its_row_wherever_the_word_stands(bare: str, is_stop: bool) -> None:
    assert note_words.is_stop(bare) == is_stop
