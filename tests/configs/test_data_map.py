"""The data map is typed, and refuses unknown words."""

import pytest

from configs import data_map
from configs.data_map import load_data_map


def test_each_column_has_its_class_and_each_folder_its_term():
    tables, folders = load_data_map()
    assert tables["takers"].columns["document"] == "document"
    assert (tables["rows"].keep, folders["archive"].keep) == ("refused", "sheet")


@pytest.mark.parametrize("line", ['none = ["a"]\nname = ["a"]', 'nose = ["a"]'])
def test_two_classes_and_unknown_ones_are_refused(tmp_path, monkeypatch, line):
    path = tmp_path / "map.toml"
    path.write_text(f'[files]\n[tables.t]\nwhy = "w"\nbasis = "law"\nkeep = "fiscal"\n{line}\n')
    monkeypatch.setattr(data_map, "DATA_MAP", path)
    with pytest.raises(ValueError, match="t: "):
        load_data_map.__wrapped__()
