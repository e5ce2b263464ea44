"""The table of `make bench`: every part's rows, each beside its target."""

import pytest

from tests.load import bench
from tests.load.table import Row


def test_every_part_shows_its_rows(capsys: pytest.CaptureFixture[str]):
    row = Row("P0", "nothing", 0.5, 1.0, against="nothing", remarks=("because",))
    bench.show({"one": lambda: [row], "two": lambda: [row, row]})
    shown = capsys.readouterr().out.splitlines()
    judged = [line for line in shown if line.startswith("P0") and "≥ 1.00" in line and line.endswith("falls short")]
    assert len(judged) == 3
    assert "      because" in shown


@pytest.mark.parametrize(("measured", "is_ceiling", "is_met"), [(1, False, True), (1, True, True), (2, True, False)])
def test_a_target_is_a_floor_or_a_ceiling(measured: float, is_ceiling: bool, is_met: bool):
    assert Row("P0", "it", measured, 1, is_ceiling=is_ceiling).is_met is is_met


def test_a_part_may_have_a_size(monkeypatch: pytest.MonkeyPatch):
    def sized(*, notes: int = 10) -> list[Row]:
        return [Row("", str(notes), 0.0)]

    monkeypatch.setattr(bench, "PARTS", {"servers": sized, "other": list})
    shown = {name: [row.what for row in part()] for name, part in bench.chosen(["servers=20000", "other"]).items()}
    assert shown == {"servers": ["20000"], "other": []}
    assert [row.what for row in bench.chosen(["servers"])["servers"]()] == ["10"]
    for wrong in ("none", "other=5", "servers=", "servers=0", "servers=many"):
        with pytest.raises(ValueError, match=r"no such part|no size"):
            bench.chosen([wrong])
