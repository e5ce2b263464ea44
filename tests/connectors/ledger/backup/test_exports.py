"""An auditor's export: every table but the secrets, readable without us, and nothing that a spreadsheet would run."""

import csv
import hashlib
import json
import os
import stat

import pytest

from connectors.ledger import files
from connectors.ledger.backup.exports import LEFT_OUT, MANIFEST, _cell, export_tables
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.backup.room import room_for


def test_every_table_is_there_twice(ledger, tmp_path):
    ledger.write(scenes.staged)
    folder = tmp_path / "out"
    counts = ledger.read(export_tables, folder)
    held = ledger.read(scenes.contents)
    assert counts == {name: len(rows) for name, rows in held.items() if name not in LEFT_OUT}
    for name, count in counts.items():
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert len(list(csv.reader(file))) == count + 1
        assert len((folder / f"{name}.jsonl").read_text().splitlines()) == count
    assert not (folder / "secrets.csv").exists()


def test_instants_can_be_read_and_amounts_are_cents(ledger, tmp_path):
    ledger.write(scenes.staged)
    ledger.read(export_tables, tmp_path / "out")
    event = json.loads((tmp_path / "out" / "events.jsonl").read_text().splitlines()[0])
    assert event["at"].endswith("+00:00")
    with (tmp_path / "out" / "invoices.csv").open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["service_cents"], first["competence"]) == ("10000", "2026-11-01")
    assert json.loads(first["amounts"]) == {"service_cents": 10_000}


def test_nothing_in_the_csv_would_run(ledger, tmp_path):
    ledger.write(files.receive, sha256="a" * 64, name="=HYPERLINK(1)", size_bytes=9, kind="services")
    ledger.read(export_tables, tmp_path / "out")
    assert "'=HYPERLINK(1)" in (tmp_path / "out" / "files.csv").read_text()
    assert json.loads((tmp_path / "out" / "files.jsonl").read_text())["name"] == "=HYPERLINK(1)"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain;=HYPERLINK(1)", "plain;'=HYPERLINK(1)"),
        ('plain"; "+1', 'plain""; ""\'+1'),
        ("two\n@lines", "two\n'@lines"),
        ("a tab\t-1", "a tab\t'-1"),
        ("2026-11 a+b=c", "2026-11 a+b=c"),
    ],
)
@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_nothing_would_run_behind_another_separator(ledger, tmp_path, name, written):
    ledger.write(files.receive, sha256="a" * 64, name=name, size_bytes=9, kind="services")
    ledger.read(export_tables, tmp_path / "out")
    assert written in (tmp_path / "out" / "files.csv").read_text()
    assert json.loads((tmp_path / "out" / "files.jsonl").read_text())["name"] == name


def test_many_separators_cost_no_more_than_their_length():
    assert _cell(";" * 200_000 + "=") == ";" * 200_000 + "'="
    assert len(_cell(" " * 200_000 + "=")) == 200_002


def test_only_the_owner_may_read_an_export(ledger, tmp_path):
    before = os.umask(0)
    try:
        ledger.read(export_tables, tmp_path / "out")
    finally:
        os.umask(before)
    assert {stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "out").iterdir()} == {0o600}
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_the_manifest_vouches_for_every_file(ledger, tmp_path):
    ledger.write(scenes.furnish)
    ledger.read(export_tables, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == digest
    assert set(manifest["sha256"]) == {each.name for each in (tmp_path / "out").iterdir()} - {MANIFEST}


def test_a_folder_that_is_there_is_left_alone(ledger, tmp_path):
    with pytest.raises(FileExistsError):
        ledger.read(export_tables, tmp_path)


def test_a_full_disk_leaves_no_partial_file(ledger, tmp_path):
    ledger.write(scenes.staged)
    ledger.read(scenes.contents)
    with room_for(2_000), pytest.raises(OSError):
        ledger.read(export_tables, tmp_path / "audits" / "out")
    assert list((tmp_path / "audits").iterdir()) == []
