"""The ledger's commands at the terminal: every outcome is a sentence, and a restored ledger reports that it waits."""

from pathlib import Path

import sqlalchemy as sa
from pyrage import x25519

from connectors.ledger import tables
from connectors.ledger.detached.months import detached_months
from connectors.ledger.migrations.triggers import disable_guards
from tests.flows.terminal import Terminal
from tests.tasks.rows import line, this_month
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop


def path_in(output: str, ending: str) -> Path:
    return next(Path(word) for word in output.split() if word.endswith(ending))


def moved_to_2019(conn: sa.Connection) -> None:
    with disable_guards(conn):
        for table in ("invoices", "batches"):
            conn.execute(sa.text(f"UPDATE {table} SET competence = '2019-03-01'"))


def test_an_old_month_is_shown_detached_and_traced(shop: Workshop, terminal: Terminal):
    shop.processed(2)
    shop.write(moved_to_2019)
    assert "03/2019 is not closed" in terminal("ledger", "detach").output
    assert terminal("close", "2019-03").code == 0
    shown = terminal("ledger", "detach").output
    assert "03/2019: 2 invoices, R$ 200,03." in shown
    assert "With --apply" in shown
    assert not shop.read(detached_months)
    sentence = "1 closed month is past its term, 03/2019 to 03/2019: it can leave the tables."
    assert sentence in terminal("ledger", "size").output
    doctor = terminal("doctor")
    assert (doctor.code, sentence in doctor.output) == (1, True)
    assert "No month can be detached" in terminal("ledger", "detach", "--before", "2018-01", "--apply").output
    assert "within their term" in terminal("ledger", "detach", "--before", f"{this_month():%Y-%m}").errors
    done = terminal("ledger", "detach", "--apply")
    file = path_in(done.output, ".jsonl.gz")
    assert "03/2019 detached" in done.output
    assert "1 detached month compared" in terminal("ledger", "verify").output
    assert file.name in terminal("trace", "--rps", "F-1").output
    assert "is detached" in terminal("close", "2019-03").errors
    assert "No month can be detached" in terminal("ledger", "detach").output
    assert "past their term" not in terminal("ledger", "size").output


def test_an_abandoned_batch_is_named_with_its_file(shop: Workshop, terminal: Terminal):
    (batch,) = shop.assembled(line(9))[1]
    assert "has not ended" not in terminal("ledger", "detach").output
    long_ago = 7 * 366 * 24 * 3_600 * 1_000_000
    shop.tamper(f"UPDATE events SET at = at - {long_ago}")
    (name,) = shop.read(lambda conn: conn.execute(sa.select(tables.files.c.name)).scalars().all())
    for command in (("ledger", "detach"), ("ledger", "size"), ("doctor",)):
        output = " ".join(terminal(*command).output.split())
        assert f"batch {batch} of {name} has not ended" in output
        assert f"faturista reject {batch} --because" in output


def test_a_copy_is_made_verified_and_restored_elsewhere(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.processed(2)
    made = terminal("ledger", "backup")
    assert made.code == 0
    copy = path_in(made.output, ".jsonl.gz")
    assert "All agree." in terminal("ledger", "verify").output
    assert "All agree." in terminal("ledger", "verify", copy).output
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    assert "Ledger restored" in terminal("ledger", "restore", copy).output
    assert "restored from a copy" in terminal("status").output
    freed = terminal("ledger", "check")
    assert (freed.code, "free to work" in freed.output) == (0, True)
    assert "restored from a copy" not in terminal("status").output
    assert "was not restored, or is free already" in terminal("ledger", "check").output
    assert "counts as an older copy" in terminal("ledger", "distrust").output
    assert "restored from a copy" in terminal("status").output
    assert "was restored from a copy" in terminal("ledger", "distrust").errors
    assert "free to work" in terminal("ledger", "check").output


def test_the_size_shows_bytes_of_a_note_and_the_growth(shop: Workshop, terminal: Terminal):
    shop.processed(3)
    output = terminal("ledger", "size").output
    assert "MB for 3 notes" in output
    assert "3 notes in the last 30 days" in output
    assert "invoices: " in output


def test_a_person_answers_for_unexplained_differences(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.processed(2)
    copy = path_in(terminal("ledger", "backup").output, ".jsonl.gz")
    shop.staged(25)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    terminal("ledger", "restore", copy)
    seen = terminal("ledger", "check")
    assert (seen.code, seen.output.count("Invoice F-")) == (1, 20)
    assert "Invoice F-3" in seen.output
    assert "and 3 more of the same kind" in seen.output
    assert terminal("ledger", "check", "--full").output.count("Invoice F-") == 23
    assert "free to work" in terminal("ledger", "free", "--because", "looked at both").output


def test_unprotected_sales_sheets_are_named_twice(store: Store, terminal: Terminal, tmp_path: Path):
    store.without_extensions()
    store.planned(1)
    copy = path_in(terminal("ledger", "backup").output, ".jsonl.gz")
    store.set(LEDGER__URL=f"sqlite:///{tmp_path / 'new.db'}")
    terminal("ledger", "restore", copy)
    seen = terminal("ledger", "check")
    assert seen.code == 1
    freed = terminal("ledger", "free", "--because", "nothing was issued since")
    assert (freed.code, "free to work" in freed.output) == (0, True)
    for output in (seen.output, freed.output):
        assert "Do not drop any sheet of sales from after" in output


def test_a_changed_journal_is_reported_in_words(shop: Workshop, terminal: Terminal):
    shop.set(LANGUAGE="pt_BR")
    shop.processed(2)
    shop.tamper("UPDATE invoices SET state = 'rejected', is_living = false WHERE number = 2")
    copy = path_in(terminal("ledger", "backup").output, ".jsonl.gz")
    seen = terminal("ledger", "verify", copy)
    assert seen.code == 1
    assert 'nota 2 está em "Rejeitada", mas o diário termina em "Aceita"' in seen.output
    assert "Não restaure desta cópia" in seen.output


def test_mistakes_are_sentences(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.processed(1)
    (tmp_path / "no-copy").write_text("something")
    for command in (("restore", tmp_path / "no-copy"), ("verify", tmp_path / "nowhere"), ("free", "--because", "x")):
        ended = terminal("ledger", *command)
        assert ended.code == 2, command
        assert ended.errors
        assert "Traceback" not in ended.errors
    copy = path_in(terminal("ledger", "backup").output, ".jsonl.gz")
    assert "never overwrites a ledger" in terminal("ledger", "restore", copy).errors


def test_an_auditor_gets_a_folder(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.processed(1)
    assert terminal("ledger", "export", tmp_path / "audit").code == 0
    assert (tmp_path / "audit" / "events.csv").exists()


def test_an_encrypted_copy_is_opened_by_its_key_alone(shop: Workshop, terminal: Terminal, tmp_path: Path):
    key = x25519.Identity.generate()
    shop.set(BACKUP__RECIPIENTS=f'["{key.to_public()}"]')
    shop.processed(1)
    copy = path_in(terminal("ledger", "backup").output, ".age")
    refused = terminal("ledger", "verify", copy)
    assert (refused.code, "This copy is encrypted" in refused.errors) == (2, True)
    (tmp_path / "key.txt").write_text(str(key))
    (tmp_path / "key.txt").chmod(0o600)
    shop.set(BACKUP__IDENTITY=tmp_path / "key.txt")
    assert "All agree." in terminal("ledger", "verify", copy).output
