"""The playbook of rejections: each entry has its sentences, and it covers the answers of the sandbox's cities."""

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from configs.rejections import may_go_again, rejection_kind_of, rejection_kinds
from connectors.nfse.emulator.city_hall import E30, E500, E916, E987


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_its_sentences(language: str):
    entries = Catalogue.load(language).entries
    for kind in rejection_kinds():
        assert entries[f"rejection.{kind.name}"].what, kind.name
        assert entries[f"rejection.{kind.name}"].mend, kind.name
        assert f"acts.{kind.acts}" in entries


def test_no_kind_is_listed_twice():
    names = [kind.name for kind in rejection_kinds()]
    texts = [each for kind in rejection_kinds() for each in (*kind.codes, *kind.texts)]
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
def test_an_error_gives_its_kind_of_rejection(error: dict[str, str], name: str | None):
    kind = rejection_kind_of(error)
    assert (None if kind is None else kind.name) == name


def test_an_invoice_goes_again_only_if_every_error_says_so():
    assert may_go_again([E500])
    assert not may_go_again([E500, E30])
    assert not may_go_again([E500, {"code": "X1"}])
    assert not may_go_again([])
