"""A copy restores to either database, from either and of any version; its unsent invoices may have been sent."""

import contextlib
import gzip
import hashlib
import json
import uuid
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql

from connectors.ledger import approvals, batch_observations, batches, invoices, leases, numbers
from connectors.ledger.backup import quarantine, restorations
from connectors.ledger.backup.copies import write_copy
from connectors.ledger.backup.line_files import UnusableCopy
from connectors.ledger.backup.restoring import restore_copy
from connectors.ledger.backup.verify import verify
from connectors.ledger.engine import HEAD, Ledger, LedgerRefused
from connectors.ledger.migrations import steps
from connectors.ledger.migrations.triggers import missing_guards
from connectors.ledger.observations.notes import NoteView, observe_notes
from domain.states import BatchState, InvoiceState
from tests import ledgers
from tests.connectors.ledger import scene as scenes


@contextlib.contextmanager
def blank_url(kind, folder):
    """Yield the address of a database without any table."""
    if kind == "sqlite":
        yield ledgers.sqlite_url(folder / uuid.uuid4().hex)
        return
    with ledgers.postgresql_url() as near:
        name = f"b{uuid.uuid4().hex[:16]}"
        with psycopg.connect(near, autocommit=True) as conn:
            conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield _renamed(near, name)
        finally:
            with psycopg.connect(near, autocommit=True) as conn:
                conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _renamed(url, name):
    place, _, host = url.partition("?")
    return f"{place.rpartition('/')[0]}/{name}?{host}"


def processed(conn):
    """Return a finished batch, and another one that is only planned."""
    scene, lease = scenes.staged(conn)
    batch = batches.batch_of(conn, scene.batch_id)
    content: dict[str, Any] = {"digest": "d", "count": batch.count, "total_cents": batch.total_cents}
    approvals.approve(conn, scene.batch_id, revision=1, approver="Ana", **content)
    assert approvals.begin_sending(conn, lease) is not None
    batches.mark_sent(conn, lease, counters={"scheduled": 4})
    views = [NoteView(invoice_id=each, state=InvoiceState.ACCEPTED) for each in scene.invoice_ids]
    observe_notes(conn, scene.batch_id, views)
    batch_observations.observe_batch(conn, scene.batch_id, becomes=BatchState.PROCESSED, counters={}, look_s=None)
    leases.give_back(conn, lease)
    return scene


@pytest.mark.parametrize("target", ledgers.DATABASES)
def test_a_copy_of_either_database_restores_to_either(ledger, tmp_path, target):
    ledger.write(processed)
    path = tmp_path / "copy.gz"
    ledger.read(write_copy, path)
    before = ledger.read(scenes.contents)
    with blank_url(target, tmp_path) as url:
        copy = restore_copy(url, path, by="Ana")
        with Ledger.open(url, migrate=False) as restored:
            after = restored.read(scenes.contents)
            assert {name: rows for name, rows in after.items() if name != "restorations"} == {
                name: rows for name, rows in before.items() if name != "restorations"
            }
            assert restored.read(verify).is_sound
            assert not restored.read(missing_guards)
            waiting = restored.read(restorations.quarantine_of)
            assert waiting is not None
            assert (waiting.sha256, waiting.taken_at, waiting.restored_by) == (copy.sha256, copy.taken_at, "Ana")
            # New ids follow the existing ones.
            assert restored.write(scenes.add_reading, "c" * 64) > max(row[0] for row in before["readings"])


def test_a_migrated_ledger_that_holds_nothing_is_filled(ledger, ledger_url, tmp_path):
    with Ledger.open(ledgers.sqlite_url(tmp_path / "source")) as source:
        source.write(scenes.furnish)
        source.read(write_copy, tmp_path / "copy.gz")
    restore_copy(ledger_url, tmp_path / "copy.gz", by="Ana")
    assert len(ledger.read(scenes.contents)["invoices"]) == 4


def test_a_ledger_that_holds_something_is_never_written_over(ledger, ledger_url, tmp_path):
    ledger.write(scenes.furnish)
    ledger.read(write_copy, tmp_path / "copy.gz")
    before = ledger.read(scenes.contents)
    with pytest.raises(LedgerRefused) as caught:
        restore_copy(ledger_url, tmp_path / "copy.gz", by="Ana")
    assert caught.value.problem.code == "ledger.not_empty"
    assert ledger.read(scenes.contents) == before


def test_a_copy_of_a_newer_version_is_refused_in_words(ledger, tmp_path):
    ledger.read(write_copy, tmp_path / "copy.gz")
    lines = gzip.decompress((tmp_path / "copy.gz").read_bytes()).splitlines(keepends=True)
    head = json.loads(lines[0]) | {"version": "9999"}
    _resealed(tmp_path / "copy.gz", [json.dumps(head).encode() + b"\n", *lines[1:]])
    with pytest.raises(UnusableCopy) as caught:
        restore_copy(ledgers.sqlite_url(tmp_path / "new"), tmp_path / "copy.gz", by="Ana")
    assert caught.value.problem.code == "ledger.copy_newer"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("version", steps.revisions()[:-1])
def test_a_ledger_of_each_earlier_version_is_migrated(ledger_url, ledger, tmp_path, version):
    """The ledger is as an older program left it: its tables, its columns, and all their content."""
    ledger.write(processed)
    ledger.write(scenes.add_reading, "b" * 64)
    newest = ledger.read(write_copy, tmp_path / "new.gz")
    _as_of(version, tmp_path / "new.gz", tmp_path / "old.gz", tmp_path)
    with blank_url("sqlite" if ledger.dialect == "sqlite" else "postgresql", tmp_path) as url:
        assert restore_copy(url, tmp_path / "old.gz", by="Ana").version == version
        with Ledger.open(url, migrate=False) as restored:
            again = restored.read(write_copy, tmp_path / "again.gz")
            assert again.version == HEAD
            assert {**again.rows, "restorations": 0} == {**newest.rows}
            assert restored.read(verify).is_sound
            assert not restored.read(missing_guards)
            assert restored.read(scenes.contents)["invoices"] == ledger.read(scenes.contents)["invoices"]


def _as_of(version, newest, path, folder):
    """Return the copy as a program of that version would have written it."""
    columns = {}

    def make(conn):
        steps.upgrade(conn, version)
        inspector = sa.inspect(conn)
        for table in inspector.get_table_names():
            columns[table] = [each["name"] for each in inspector.get_columns(table)]

    Ledger.fill(ledgers.sqlite_url(folder / f"as-of-{version}"), make)
    kept: list[Any] = []
    places: list[int] = []
    table = ""
    for line in gzip.decompress(newest.read_bytes()).splitlines():
        entry = json.loads(line)
        if isinstance(entry, list):
            if table in columns:
                kept.append([entry[place] for place in places])
        elif "table" in entry:
            table = entry["table"]
            if table in columns:
                places = [place for place, name in enumerate(entry["columns"]) if name in columns[table]]
                kept.append({"table": table, "columns": [entry["columns"][place] for place in places]})
        elif "end" in entry:
            kept.append({"end": {name: count for name, count in entry["end"].items() if name in columns}})
        else:
            kept.append(entry | {"version": version})
    _resealed(path, [json.dumps(each).encode() + b"\n" for each in kept])


def _resealed(path, lines):
    body = b"".join(lines[:-1])
    end = json.loads(lines[-1]) | {"sha256": hashlib.sha256(body).hexdigest()}
    path.write_bytes(gzip.compress(body + json.dumps(end).encode() + b"\n"))


def restored_from(ledger, folder):
    path = folder / "copy.gz"
    ledger.read(write_copy, path)
    url = ledgers.sqlite_url(folder / uuid.uuid4().hex)
    restore_copy(url, path, by="Ana")
    return Ledger.open(url, migrate=False)


def test_reserved_invoices_of_a_copy_are_in_doubt(ledger, tmp_path):
    """The copy was taken during the staging of a batch; the staging may have ended since."""

    def half_posted(conn):
        scene, lease = scenes.opened(conn)
        scenes.post_all(conn, lease, scene.invoice_ids[:2])
        return scene

    scene = ledger.write(half_posted)
    with restored_from(ledger, tmp_path) as restored:
        states = {each.id: each for each in restored.read(invoices.invoices_of, scene.batch_id)}
        assert [states[each].state for each in scene.invoice_ids] == ["created"] * 2 + ["in_doubt"] * 2
        assert {states[each].doubts for each in scene.invoice_ids[2:]} == {1}
        batch = restored.read(batches.batch_of, scene.batch_id)
        assert (batch.must_list, batch.lease_owner, batch.state) == (True, None, "open")
        assert batch.settle_after is not None
        serie = restored.read(numbers.serie_of, scene.emitter_id, "F")
        assert serie is not None
        assert serie.highest_posted == 4
        assert restored.read(verify).is_sound


def test_a_staged_or_approved_batch_is_opened_again(ledger, tmp_path):
    def approved(conn):
        scene, lease = scenes.staged(conn)
        batch = batches.batch_of(conn, scene.batch_id)
        content: dict[str, Any] = {"digest": "d", "count": batch.count, "total_cents": batch.total_cents}
        approvals.approve(conn, scene.batch_id, revision=1, approver="Ana", **content)
        leases.give_back(conn, lease)
        return scene

    scene = ledger.write(approved)
    with restored_from(ledger, tmp_path) as restored:
        batch = restored.read(batches.batch_of, scene.batch_id)
        assert (batch.state, batch.revision, batch.must_list) == ("open", 2, True)
        assert restored.read(approvals.valid_approval, scene.batch_id) is None
        assert restored.read(verify).is_sound


def test_the_database_itself_holds_a_restored_ledger_back(ledger, tmp_path):
    scene = ledger.write(scenes.furnish)
    with restored_from(ledger, tmp_path) as restored:
        lease = restored.write(scenes.claimed, scene.batch_id)
        restored.write(batches.name_opening, lease, "2026-11 abc 1 r1 nonce")
        restored.write(batches.mark_opened, lease, 500)
        with pytest.raises(sa.exc.DBAPIError, match="restored ledger"):
            restored.write(scenes.post_all, lease, scene.invoice_ids)
        assert restored.write(quarantine.free, by="Ana", because="looked at it")
        restored.write(scenes.post_all, lease, scene.invoice_ids)


def test_a_restore_that_fails_leaves_nothing(ledger, tmp_path):
    ledger.write(scenes.furnish)
    ledger.read(write_copy, tmp_path / "copy.gz")
    lines = gzip.decompress((tmp_path / "copy.gz").read_bytes()).splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if line.startswith(b'{"table":"invoices"')) + 1
    double = [*lines[: place + 1], *lines[place:]]
    end = json.loads(double[-1])
    end["end"]["invoices"] += 1
    _resealed(tmp_path / "copy.gz", [*double[:-1], json.dumps(end).encode() + b"\n"])
    url = ledgers.sqlite_url(tmp_path / "new")
    with pytest.raises(LedgerRefused):
        restore_copy(url, tmp_path / "copy.gz", by="Ana")
    with Ledger.open(url) as again:
        assert again.read(scenes.contents)["invoices"] == []
