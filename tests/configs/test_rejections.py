"""The playbook of rejections: each entry has its sentences, and it covers the answers of the sandbox's cities."""

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from configs.rejections import may_go_again, play_for, playbook
from connectors.nfse.emulator.city_hall import E30, E500, E916, E987


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_its_sentences(language: str):
    entries = Catalogue.load(language).entries
    for play in playbook():
        assert entries[f"rejection.{play.name}"].what, play.name
        assert entries[f"rejection.{play.name}"].mend, play.name
        assert f"acts.{play.acts}" in entries


def test_no_kind_is_listed_twice():
    names = [play.name for play in playbook()]
    texts = [each for play in playbook() for each in (*play.codes, *play.texts)]
    assert (len(names), len(texts)) == (len(set(names)), len(set(texts)))


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (E500, "city_away"),
        (E30, "service_item"),
        (E916, "federal_retentions_of_cpf"),
        (E987, "taker_inscription"),
        ({"code": "", "description": "Rejeição 778: Informado NCM inexistente"}, "ncm"),
        ({"code": "", "description": "Rejeicao 999: Erro nao catalogado"}, "authority_unspecified"),
        ({"code": "e30 ", "description": ""}, "service_item"),
        ({"code": "X1", "description": "outra coisa"}, None),
        ({}, None),
    ],
)
def test_what_an_answer_means(error: dict[str, str], name: str | None):
    play = play_for(error)
    assert (None if play is None else play.name) == name


def test_an_invoice_goes_again_only_if_every_error_says_so():
    assert may_go_again([E500])
    assert not may_go_again([E500, E30])
    assert not may_go_again([E500, {"code": "X1"}])
    assert not may_go_again([])
