"""Words of notes: each pattern has its stems, without which no note is compared with it."""

import re

import pytest

from connectors.spreadsheets.holds import billing_markers, goods_words, non_charge_texts, note_words, requested_changes
from tests.connectors.spreadsheets.holds.pattern_texts import texts_without

PATTERNS = {
    note_words.STEMS: (
        note_words,
        ("NOT_TO", "_OF_NOTES", "_ABROAD", "_ALREADY", "OTHERWISE", "_BARE_INVOICE", "_SHORT"),
    ),
    requested_changes.STEMS: (requested_changes, ("_CHANGE",)),
    billing_markers._PLAIN_STEMS: (billing_markers, ("_PLAIN_STOP",)),
    goods_words.WARE_STEMS: (goods_words, ("_WARE", "_UNIT")),
    goods_words.KEY_STEMS: (goods_words, ("_KEY",)),
    goods_words.NOTE_STEMS: (goods_words, ("_NOTE",)),
    non_charge_texts._STEMS: (non_charge_texts, ("_NO_SERVICE",)),
    non_charge_texts._UNFILLED_STEMS: (non_charge_texts, ("_UNFILLED",)),
}
CASES = {name: (stems, getattr(module, name)) for stems, (module, names) in PATTERNS.items() for name in names}


@pytest.mark.parametrize("name", CASES)
def test_each_match_of_a_pattern_contains_one_of_its_stems(name: str) -> None:
    stems, pattern = CASES[name]
    assert not [*texts_without(stems, pattern)]


def test_a_match_without_a_stem_is_found() -> None:
    pattern = re.compile(r"\b(?:bill|charge)[ed]? (?:on )?(?:day \d{1,2}|hold)(?<!x)\b")
    assert [*texts_without(("bill", "day ", "hold"), pattern)] == []
    assert [*texts_without(("bill", "hold"), pattern)] == [
        "charge day 5", "charge on day 5", "chargee day 5", "chargee on day 5", "charged day 5", "charged on day 5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bare", "is_stop"),
    [
        ("contestou a cobranca", True), ("replica a contestacao", False), ("don't invoice yet", True),
        ("no facturar", True),
        ("waiting for po", True), ("po on file", False), ("skip this month", True), ("invoice monthly", False),
        ("cliente pediu 10% off", True), ("quer desconto", True), ("quer boleto", False), ("isento", True),
        ("isento de iss", False), ("sem servico este mes", True), ("ver com o comercial", True), ("valor antigo", True),
        ("deve ser 450", True), ("contrato venceu", True), ("contrato renovado", False), ("net 30", False),
        ("so em janeiro", True), ("so jan", True), ("cobrar no dia 5", True), ("nf123", True), ("fazer em 2x", True),
        ("fazer 2 nf", True), ("no aguardo do cliente", True), ("interrompido pelo paciente", True),
        ("fechou as portas", True), ("lancar r$ 500,00", True), ("emissao em 10/12", True),
        ("cobranca em 5/1", True), ("pedido de teste, desconsiderar", True),
        ("ja foi nota semana passada", True),
        ("cliente novo, favor ignorar o e-mail", True), ("pedido testado", False),
        ("a nota agora sai no cnpj da incorporadora", True), ("eles querem na matriz", True),
        ("vai para o cliente na sexta", False), ("querem a nota cedo", False),
        ("deixar para dezembro", True), ("passar para o proximo mes", True), ("fica para jan", True),
        ("valor sujeito a confirmacao", True), ("ratear entre matriz e filial", True),
        ("passar para marta assinar", False), ("fica na rua de tras", False), ("deixar com o porteiro", False),
        ("so atende a tarde", False), ("so marcos responde", False), ("sem interrupcao", False), ("bom dia", False),
    ],
)  # fmt: skip
def test_a_note_stops_its_row_wherever_the_word_stands(bare: str, is_stop: bool) -> None:
    assert note_words.is_stop(bare) == is_stop
