"""The archive: unchanged bytes, stored once, under names that no sender can abuse."""

import hashlib
from pathlib import Path

import pytest

from connectors.spreadsheets.archive import archive, archived

CONTENT = b"CNPJ;Valor\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def test_bytes_are_kept_unchanged_under_their_digest(tmp_path: Path) -> None:
    path = archive(CONTENT, sha256=DIGEST, name="Faturamento Novembro.XLSX", folder=tmp_path)
    assert path.read_bytes() == CONTENT
    assert path.name == f"{DIGEST}-faturamento-novembro.xlsx"
    assert archived(DIGEST, name="Faturamento Novembro.XLSX", folder=tmp_path) == path


def test_the_same_bytes_are_kept_once_whatever_they_are_called(tmp_path: Path) -> None:
    first = archive(CONTENT, sha256=DIGEST, name="a.csv", folder=tmp_path)
    assert archive(CONTENT, sha256=DIGEST, name="b.csv", folder=tmp_path) == first
    assert archived(DIGEST, name="c.csv", folder=tmp_path) == first
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [first]


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "..\\..\\windows\\system32", "/etc/shadow", "a\x00b.csv", "", ".", "..", "CON",
     "ção" * 90 + ".csv", "x.csv/..", "nota\n.xlsx", "a" * 300, ".hidden", "x." + "y" * 200],
)  # fmt: skip
def test_a_name_never_chooses_a_folder(name: str, tmp_path: Path) -> None:
    path = archive(CONTENT, sha256=DIGEST, name=name, folder=tmp_path)
    assert path.parent == tmp_path / DIGEST[:2]
    assert len(path.name) < 160
    assert path.name.isascii()
    assert path.read_bytes() == CONTENT


def test_a_digest_of_other_bytes_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="digest"):
        archive(b"other", sha256=DIGEST, name="a.csv", folder=tmp_path)
    for wrong in ("", "../../x", DIGEST.upper(), DIGEST[:-1], "z" * 64):
        with pytest.raises(ValueError, match="SHA-256"):
            archived(wrong, name="a.csv", folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_failure_half_way_leaves_no_file(tmp_path: Path) -> None:
    # A folder has the name: the last step fails.
    blocked = archived(DIGEST, name="a.csv", folder=tmp_path)
    (blocked / "inside").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        archive(CONTENT, sha256=DIGEST, name="a.csv", folder=tmp_path)
    assert not list(tmp_path.rglob(".part-*"))
