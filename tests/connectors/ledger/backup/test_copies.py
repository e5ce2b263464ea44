"""A copy holds one moment of the ledger while others write; a truncated or changed copy is refused."""

import gzip
import json
import stat
import threading

import pytest

from connectors.ledger.backup.copies import LEFT_OUT, open_copy, read_copy, write_copy
from connectors.ledger.backup.line_files import UnusableCopy
from connectors.ledger.engine import Ledger
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.backup.room import room_for
from tests.ledgers import sqlite_url


def code_of(caught):
    return caught.value.problem.code


def copied(ledger, folder, name="ledger.jsonl.gz"):
    path = folder / "copies" / name
    return path, ledger.read(write_copy, path)


def test_a_copy_counts_its_rows_and_is_private(ledger, tmp_path):
    ledger.write(scenes.staged)
    path, copy = copied(ledger, tmp_path)
    assert read_copy(path) == copy
    assert copy.rows["invoices"] == 4
    assert LEFT_OUT.isdisjoint(copy.rows)
    assert copy.taken_at.tzinfo is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_every_row_is_there_in_plain_json(ledger, tmp_path):
    ledger.write(scenes.staged)
    path, _ = copied(ledger, tmp_path)
    held = ledger.read(scenes.contents)
    with open_copy(path) as (_, parts):
        for part in parts:
            rows = [row for group in part.groups for row in group]
            assert len(rows) == len(held[part.table])
            if part.table == "invoices":
                first = dict(zip(part.columns, rows[0], strict=True))
                assert first["competence"] == "2026-11-01"
                assert first["amounts"] == {"service_cents": 10_000}
                assert first["content"] == json.dumps({"row": first["row_id"]})


def test_later_writes_are_not_in_the_copy(ledger, tmp_path):
    ledger.write(scenes.furnish)

    def write_another(table):
        if table == "files":
            other = threading.Thread(target=ledger.write, args=(scenes.add_reading, "b" * 64))
            other.start()
            other.join(30)

    path = tmp_path / "ledger.jsonl.gz"
    copy = ledger.read(write_copy, path, on_table=write_another)
    assert (copy.rows["files"], copy.rows["readings"]) == (1, 1)
    assert len(ledger.read(scenes.contents)["files"]) == 2


def test_the_same_ledger_gives_the_same_rows(ledger, tmp_path):
    ledger.write(scenes.staged)
    bodies = []
    for name in ("one", "two"):
        path, _ = copied(ledger, tmp_path, name)
        bodies.append(gzip.decompress(path.read_bytes()).splitlines()[1:-1])
    assert bodies[0] == bodies[1]


@pytest.fixture(scope="module")
def whole_copy(tmp_path_factory):
    """Return the content of one copy, to be spoilt in many ways: the file is the same from either database."""
    folder = tmp_path_factory.mktemp("whole")
    with Ledger.open(sqlite_url(folder)) as ledger:
        ledger.write(scenes.staged)
        return copied(ledger, folder)[0].read_bytes()


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda raw: raw[: len(raw) // 2], "ledger.copy_damaged"),
        (lambda raw: gzip.compress(gzip.decompress(raw).replace(b"10000", b"10001", 1)), "ledger.copy_damaged"),
        (
            lambda raw: gzip.compress(b"".join(gzip.decompress(raw).splitlines(keepends=True)[:-1])),
            "ledger.copy_damaged",
        ),
        (lambda raw: raw[:200] + b"\0\0\0\0" + raw[204:], "ledger.copy_damaged"),
        (lambda raw: b"something else", "ledger.no_copy"),
        (lambda raw: gzip.compress(b'{"format": "recipes"}\n'), "ledger.no_copy"),
        (lambda raw: gzip.compress(b'{"format": "faturista-ledger", "edition": 99}\n'), "ledger.copy_newer"),
        (lambda raw: gzip.compress(b"[[["), "ledger.copy_damaged"),
    ],
)
def test_a_file_that_is_no_whole_copy_is_refused(whole_copy, tmp_path, spoil, code):
    path = tmp_path / "spoilt.gz"
    path.write_bytes(spoil(whole_copy))
    with pytest.raises(UnusableCopy) as caught:
        read_copy(path)
    assert code_of(caught) == code


def test_a_missing_copy_is_refused(tmp_path):
    with pytest.raises(UnusableCopy) as caught:
        read_copy(tmp_path / "nowhere.gz")
    assert code_of(caught) == "ledger.copy_missing"


def test_a_copy_without_room_leaves_nothing_and_no_damage(ledger, tmp_path):
    ledger.write(scenes.furnish)
    path, copy = copied(ledger, tmp_path)
    ledger.write(scenes.furnish, 300, sha256="b" * 64)
    for room in (0, 1_000, path.stat().st_size + 5_000):
        with room_for(room), pytest.raises(OSError):
            ledger.read(write_copy, path)
        assert read_copy(path) == copy
        assert [each.name for each in path.parent.iterdir()] == [path.name]
