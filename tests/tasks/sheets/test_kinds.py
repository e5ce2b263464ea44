"""Every registered kind of sheet has its layout, its words and its stations."""

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from configs.layouts import read_layout
from connectors.spreadsheets.headers.layouts import Layout
from tasks.sheets.kinds import KINDS, SheetKind, kind_of
from tasks.sheets.mapping_choice import KINDS as READ_KINDS


def test_every_kind_that_can_be_read_is_registered():
    assert set(KINDS) == set(READ_KINDS)
    assert all(kind_of(name).name == name for name in KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kind_has_its_layout_and_its_words(kind: SheetKind, language: str):
    catalogue = Catalogue.load(language)
    assert Layout.from_data(read_layout(kind.name)).name == kind.name
    assert catalogue.text(kind.rejected_word)
    assert kind.outcome_words(catalogue).keys() >= catalogue.words("outcome").keys()
