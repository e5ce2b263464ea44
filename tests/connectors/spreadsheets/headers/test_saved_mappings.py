"""Saved mappings: one file for each sender and kind, with words for one that cannot be read."""

from dataclasses import replace
from pathlib import Path

import pytest

from connectors.spreadsheets.headers.saved_mappings import remove_mapping, save_mapping, saved_mappings
from domain.problems import SettingsError
from tests.connectors.spreadsheets.headers.test_column_mapping import TAUGHT


def test_a_saved_mapping_comes_back_until_it_is_removed(tmp_path: Path):
    folder = tmp_path / "mappings"
    assert saved_mappings(folder) == []
    save_mapping(folder, TAUGHT)
    other = replace(TAUGHT, name="Escritório Lima", columns={"Total": "service_cents"})
    path = save_mapping(folder, other)
    assert "Escritório Lima" in path.read_text("utf-8")
    assert saved_mappings(folder) == [TAUGHT, other]
    changed = replace(TAUGHT, name="contabilidade souza", columns={"Vlr": "service_cents"})
    save_mapping(folder, changed)
    assert saved_mappings(folder) == [changed, other]
    remove_mapping(folder, changed)
    remove_mapping(folder, changed)
    assert saved_mappings(folder) == [other]


@pytest.mark.parametrize("text", ["", "[]", '{"name": "x"}', '{"headers": []}'])
def test_an_unreadable_mapping_file_is_named(tmp_path: Path, text: str):
    (tmp_path / "x-services.json").write_text(text)
    with pytest.raises(SettingsError) as caught:
        saved_mappings(tmp_path)
    assert caught.value.problem.code == "mapping.unreadable"
    assert caught.value.problem.params == {"path": str(tmp_path / "x-services.json")}
