"""A workbook that a person has changed in the outbox is never overwritten and never deleted."""

from pathlib import Path

from tests.tasks.corrections.rounds import BAD, back, bill, edited, put, returned, write_month
from tests.tasks.dropped_sheets import cells
from tests.tasks.workshop import Workshop


def test_an_unchanged_workbook_is_left_alone(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    path = returned(shop, month)
    before = path.stat().st_mtime_ns
    assert returned(shop, month) == path
    assert path.stat().st_mtime_ns == before


def test_a_workbook_corrected_in_place_is_kept(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD), cells(2, **BAD)])
    bill(shop, month)
    path = returned(shop, month)
    edited(path, path, put("Valor", "200,00"))
    mine = path.read_bytes()
    assert returned(shop, month) == path
    bill(shop, month)
    other = returned(shop, month)
    assert other.name == f"{path.stem}-2.xlsx"
    assert path.read_bytes() == mine
    bill(shop, edited(path, path, put("Valor", "300,00", 4, 5)))
    assert back(shop, month) is None
    assert path.exists()
    assert not other.exists()


def test_a_file_that_is_not_ours_is_not_overwritten(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)
    path = returned(shop, month)
    path.unlink()
    path.write_bytes(b"somebody's")
    bill(shop, month)
    assert returned(shop, month) != path
    assert path.read_bytes() == b"somebody's"
