"""Taking files: the same bytes are the same file, stored unchanged, and anything else is refused in words."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from connectors.ledger import files
from domain.keys import file_digest
from domain.problems import FaturistaError, InputError
from tasks.stations.intake import archive_file, find_dropped
from tests.connectors.ledger.scene import known_files
from tests.tasks.workshop import Workshop


def dropped(tmp_path: Path, content: bytes = b"some bytes", name: str = "mes.xlsx") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def refused(shop: Workshop, path: Path) -> str:
    with shop.context() as context, pytest.raises(InputError) as raised:
        archive_file(context, path)
    assert shop.read(known_files) == []
    return raised.value.problem.code


def test_bytes_are_kept_unchanged_and_entered_once(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    path = dropped(tmp_path)
    with shop.context() as context:
        first = archive_file(context, path)
        assert archive_file(context, path) == first
        assert archive_file(context, dropped(tmp_path, name="the same by another name.csv")) == first
        assert archive_file(context, dropped(tmp_path, b"other bytes")) != first
        kept = [each for each in Path(context.settings.paths.archive).rglob("*") if each.is_file()]
    assert b"some bytes" in {each.read_bytes() for each in kept}
    record = shop.read(files.find_file, file_id=first)
    assert record is not None
    assert (record.name, record.sha256, record.size_bytes) == ("mes.xlsx", file_digest(b"some bytes"), 10)


def test_name_that_is_no_text_is_kept_readable(each_shop: Workshop, tmp_path: Path):
    path = dropped(tmp_path, name=os.fsdecode(b"caf\xe9.csv"))
    with each_shop.context() as context:
        taken = archive_file(context, path)
        path.unlink()
        found = find_dropped(context, path)
    assert (found.id, found.name) == (taken, "caf\ufffd.csv")


def test_a_path_without_a_file_is_refused(shop: Workshop, tmp_path: Path):
    assert refused(shop, tmp_path / "missing.xlsx") == "file.not_found"
    assert refused(shop, tmp_path) == "file.is_folder"
    assert refused(shop, dropped(tmp_path, b"")) == "file.empty"
    shop.set(LIMITS__FILE_BYTES=10)
    assert refused(shop, dropped(tmp_path, b"eleven byte")) == "file.too_large"
    with shop.context() as context:
        assert archive_file(context, dropped(tmp_path, b"ten bytes!"))


def test_a_file_still_being_written_is_refused(shop: Workshop, tmp_path: Path):
    # A pipe certainly gives more than its stated size.
    path = tmp_path / "mes.xlsx"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as threads:
        written = threads.submit(path.write_bytes, b"half a workbook")
        assert refused(shop, path) == "file.changing"
        assert written.result() == 15


def test_a_file_is_found_by_bytes_name_or_start_of_its_digest(shop: Workshop, tmp_path: Path):
    path = dropped(tmp_path)
    with shop.context() as context:
        file = archive_file(context, path)
        renamed = path.rename(tmp_path / "elsewhere.xlsx")
        code = file_digest(b"some bytes")[:8]
        answers = (Path(f"mes-{code}-resultado.xlsx"), Path(f"var/mes-{code}-to-correct.xlsx"))
        for way in (renamed, Path("mes.xlsx"), Path("some/folder/mes.xlsx"), Path(code), *answers):
            assert find_dropped(context, way).id == file


def test_a_file_that_was_never_dropped_is_not_found(shop: Workshop, tmp_path: Path):
    with shop.context() as context:
        for way in (dropped(tmp_path), Path("mes.xlsx"), Path("abcdef0123")):
            with pytest.raises(FaturistaError) as raised:
                find_dropped(context, way)
            assert raised.value.problem.code == "file.not_dropped"
