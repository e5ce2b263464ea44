"""Months past their term: detached once and provably, and never billed again."""

import dataclasses
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from pyrage import x25519

from connectors.ledger.attempts import attempts_of
from connectors.ledger.backup.line_files import UnusableCopy, read_lines
from connectors.ledger.backup.verify import verify
from connectors.ledger.contracts import living_keys
from connectors.ledger.detached.contents import FORMATS
from connectors.ledger.detached.months import detached_months
from connectors.ledger.detached.proof import broken_months
from connectors.ledger.engine import Ledger, check_integrity
from connectors.ledger.migrations.triggers import disable_guards
from domain.competence import add_months, format_competence
from domain.problems import FaturistaError
from domain.states import Entity
from tasks.backup.copies import back_up, verify_copy, verify_ledger
from tasks.backup.detaching import detach, detach_notices, plan_detaching
from tasks.closing.accountant import write_accountant_file
from tasks.closing.close import close_month, current_closing, reopen_month
from tasks.replacements.requests import check_replacement
from tasks.stations.intake import find_dropped
from tasks.stations.report import refuse_detached_rows, report_outcome
from tasks.stations.stage import stage_batch
from tasks.views.detached import folder_of
from tasks.views.trace import trace_row
from tests.tasks.backup.months import billed_sheet, closed, content, detached, dropped, years_later
from tests.tasks.dropped_sheets import HEADER_ROW, cells, write_sheet
from tests.tasks.rows import line, this_month
from tests.tasks.workshop import PROFILE, Workshop

pytestmark = pytest.mark.both_databases

FIRST = HEADER_ROW + 1
SAME_CHARGE = """
    INSERT INTO invoices (row_id, emitter_id, taker_id, kind, issuer, is_staged, competence, content, digest,
        service_cents, liquid_cents, amounts, errors, business_key, state)
    SELECT row_id, emitter_id, taker_id, kind, issuer, is_staged, competence, '{"a": 1}', digest,
        service_cents, liquid_cents, amounts, errors, business_key, 'drafted' FROM invoices WHERE id = 1"""
SAME_NUMBER = """
    INSERT INTO numbers (emitter_id, serie, number, invoice_id, digest)
    SELECT emitter_id, serie, number, invoice_id, digest FROM numbers"""


def test_a_detached_month_is_never_billed_again(each_shop: Workshop, tmp_path: Path):
    """The same file and a copy are answered as billed, a new row as of a closed month; the keys refuse all else."""
    shop = each_shop
    path = billed_sheet(shop)
    before = shop.notes(1)
    closed(shop)
    _, _, requests, lines = content(shop)
    (file,) = detached(shop)
    texts, rows, left, fewer = content(shop)
    assert (texts, rows, left) == (0, 0, 0)
    assert 0 < fewer < lines
    assert read_lines(file, formats=FORMATS).rows["attempts"] == requests
    kept = [(each.state, each.number, each.digest, each.business_key, each.remote_id) for each in before]
    assert [(each.state, each.number, each.digest, each.business_key, each.remote_id) for each in shop.notes(1)] == kept
    posts = shop.asked("notes.create")

    reading, counts = dropped(shop, path)
    assert counts == {"read": 0, "refused": 0, "skipped": 3}
    assert not shop.rows(reading)
    saved = write_sheet(tmp_path / "de novo.csv", [cells(1), cells(2), cells(3), cells(4)])
    again, _ = dropped(shop, saved)
    living = {row: ["row.living"] for row in range(FIRST, FIRST + 3)}
    assert shop.problems(again) == living | {FIRST + 3: ["closing.closed"]}
    with years_later(shop) as context:
        report_outcome(context, shop.rows(again)[0].file_id)
        assert verify_ledger(context).is_sound
    assert shop.asked("notes.create") == posts
    keys = {each.business_key for each in before}
    assert shop.read(living_keys, keys).keys() == keys
    with pytest.raises(sa.exc.IntegrityError, match="business_key"):
        shop.write(lambda conn: conn.execute(sa.text(SAME_CHARGE)))
    with pytest.raises(sa.exc.IntegrityError):
        shop.write(lambda conn: conn.execute(sa.text(SAME_NUMBER)))


def test_the_file_proves_the_journal_that_left(each_shop: Workshop):
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    with years_later(shop) as context:
        head = verify_ledger(context).head
    (file,) = detached(shop)
    (month,) = shop.read(detached_months)
    assert month.last_event > 0
    assert file.name == month.file
    assert file.stat().st_mode & 0o077 == 0
    with years_later(shop) as context:
        found = verify_ledger(context, [str(head)])
        assert found.is_sound, found.problems
        assert [each.code for each in found.remarks] == ["ledger.months_compared"]
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2])
        assert [each.code for each in verify_ledger(context).problems] == ["ledger.month_differs"]
        file.unlink()
        found = verify_ledger(context)
        assert (found.is_sound, [each.code for each in found.remarks]) == (True, ["ledger.month_unread"])


def test_the_states_of_every_block_are_carried(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    # A month of thousands has more blocks than are carried together.
    monkeypatch.setattr("connectors.ledger.detached.carried._TOGETHER", 1)
    billed_sheet(shop)
    closed(shop)
    detached(shop)
    with years_later(shop) as context:
        found = verify_ledger(context)
    assert found.is_sound, found.problems


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("UPDATE seals SET head = 'x' || head WHERE id = 1", "ledger.seal_broken"),
        ("UPDATE carried_states SET becomes = 'rejected' WHERE entity = 'invoice'", "ledger.carried_differs"),
        ("UPDATE carried_states SET becomes = 'rejected' WHERE entity = 'invoice'", "ledger.state_differs"),
        ("UPDATE detached_months SET sha256 = 'x'", "ledger.month_differs"),
        ("UPDATE invoices SET state = 'cancelled', is_living = false WHERE id = 1", "ledger.state_differs"),
    ],
)
def test_an_edit_of_what_a_file_proves_is_found(shop: Workshop, change: str, code: str):
    billed_sheet(shop)
    closed(shop)
    detached(shop)
    assert not_sound(shop) == set()
    shop.tamper(change)
    assert code in not_sound(shop)


def not_sound(shop: Workshop) -> set[str]:
    with years_later(shop) as context:
        folder = folder_of(context)
    found = (*shop.read(verify).problems, *shop.read(lambda conn: list(broken_months(conn, folder))))
    return {each.code for each in found}


def test_a_month_is_detached_once_however_often_it_is_asked(each_shop: Workshop):
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    with years_later(shop) as context:
        plan = plan_detaching(context)
        results: list[Path | None] = []

        def work() -> None:
            with Ledger.open(shop.ledger_url) as ledger:
                mine = dataclasses.replace(context, ledger=ledger)
                results.extend(path for _, path in detach(mine, plan, person="Olga"))

        threads = [threading.Thread(target=work) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len([each for each in results if each is not None]) == 1
        assert [path for _, path in detach(context, plan, person="Olga")] == [None]
        assert not plan_detaching(context).months
        assert verify_ledger(context).is_sound
    assert len(shop.read(detached_months)) == 1
    assert len(list((shop.home / "detached").iterdir())) == 1


def test_only_closed_months_past_their_term_go_in_their_order(each_shop: Workshop):
    shop = each_shop
    billed_sheet(shop)
    with years_later(shop) as context:
        plan = plan_detaching(context)
        assert plan.detach_problem is not None
        assert (list(plan.months), plan.detach_problem.code) == ([], "ledger.detach_open")
    closed(shop)
    with shop.context() as context:
        assert not plan_detaching(context).months
        with pytest.raises(FaturistaError) as caught:
            plan_detaching(context, this_month())
        assert caught.value.problem.code == "ledger.detach_term"
    with years_later(shop) as context:
        plan = plan_detaching(context)
        assert [(each.competence, each.invoices, each.service_cents) for each in plan.months] == [
            (this_month(), 3, 30_006)
        ]
        assert plan.detach_problem is None
        assert not plan_detaching(context, this_month()).months


def test_a_detached_month_stays_closed_and_says_where_it_is(each_shop: Workshop):
    shop = each_shop
    path = billed_sheet(shop)
    closed(shop)
    (file,) = detached(shop)
    with years_later(shop) as context:
        (story,) = trace_row(context, file=path.name, sheet=None, row_number=FIRST)
        (text,) = story.files
        assert str(file) in text
        closing, note = current_closing(context, this_month()), shop.notes(1)[0]
        (problem,) = check_replacement(context, note, {"description": "x"}, reason="valor errado").problems
        assert problem.code == "closing.detached"
        for act in (
            lambda: write_accountant_file(context, closing, "taxes", shop.home),
            lambda: refuse_detached_rows(context, find_dropped(context, path).id),
            lambda: close_month(context, this_month(), person="Ana"),
            lambda: reopen_month(context, this_month(), person="Ana", because="x"),
        ):
            with pytest.raises(FaturistaError) as caught:
                act()
            assert caught.value.problem.code == "closing.detached"
            assert caught.value.problem.params["month"] == format_competence(this_month())


def test_a_copy_of_a_ledger_with_detached_months_is_sound(each_shop: Workshop):
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    detached(shop)
    with years_later(shop) as context:
        path, copy = back_up(context)
        context.ledger.read(check_integrity)
    assert copy.rows["detached_months"] == 1
    assert verify_copy(PROFILE, path)[1].is_sound


def test_the_journal_stays_from_the_first_unfinished_work(each_shop: Workshop):
    """The pipeline decides on a batch by its whole journal, however old."""
    shop = each_shop
    (waiting,) = shop.assembled(line(50))[1]
    shop.run(stage_batch, waiting)
    reasons = shop.reasons(Entity.BATCH, waiting)
    shop.write(lambda conn: moved(conn, waiting))
    billed_sheet(shop)
    closed(shop)
    detached(shop)
    with years_later(shop) as context:
        (held,) = (each for each in detach_notices(context) if each.code == "ledger.detach_held")
    assert held.params["batch"] == waiting
    assert shop.reasons(Entity.BATCH, waiting)[: len(reasons)] == reasons
    assert content(shop)[:3] == (1, 0, len(shop.read(attempts_of, batch_id=waiting)))
    with years_later(shop) as context:
        assert verify_ledger(context).is_sound


def moved(conn: sa.Connection, batch: int) -> None:
    """Move a batch into another month, which stays open."""
    next_month = add_months(this_month(), 1)
    with disable_guards(conn):
        for table, key in (("batches", "id"), ("invoices", "batch_id")):
            conn.execute(sa.text(f"UPDATE {table} SET competence = '{next_month}' WHERE {key} = {batch}"))


def test_an_encrypted_month_is_read_back_before_it_goes(shop: Workshop, monkeypatch):
    billed_sheet(shop)
    closed(shop)
    key = x25519.Identity.generate()
    shop.set(BACKUP__RECIPIENTS=f'["{key.to_public()}"]')
    with pytest.raises(FaturistaError) as caught:
        detached(shop)
    assert caught.value.problem.code == "ledger.detach_key"
    assert content(shop)[0] == 3
    monkeypatch.setenv("MONTH_KEY", str(key))
    shop.set(BACKUP__IDENTITY="env:MONTH_KEY")
    (file,) = detached(shop)
    assert file.name.endswith(".jsonl.gz.age")
    with years_later(shop) as context:
        assert [each.code for each in verify_ledger(context).remarks] == ["ledger.months_compared"]
    with pytest.raises(FaturistaError):
        read_lines(file, formats=FORMATS)


def test_the_object_store_has_the_file_before_it_leaves(shop: Workshop, tmp_path: Path):
    billed_sheet(shop)
    closed(shop)
    (tmp_path / "full").write_text("no folder")
    shop.set(STORE__URL=f"file://{tmp_path / 'full'}")
    with pytest.raises(FaturistaError) as caught:
        detached(shop)
    assert caught.value.problem.code == "store.unavailable"
    assert content(shop)[0] == 3
    store = tmp_path / "store"
    store.mkdir()
    shop.set(STORE__URL=f"file://{store}")
    (file,) = detached(shop)
    assert (store / "detached" / file.name).read_bytes() == file.read_bytes()
    file.unlink()
    with years_later(shop) as context:
        assert [each.code for each in verify_ledger(context).remarks] == ["ledger.months_compared"]
    assert file.stat().st_mode & 0o077 == 0


def test_nothing_leaves_the_tables_but_what_is_in_a_file(each_shop: Workshop):
    """The database itself keeps what no file of a detached month has."""
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    refused = [
        "DELETE FROM events WHERE id = 1",
        "DELETE FROM attempts",
        "UPDATE invoices SET content = '{}'",
        """INSERT INTO detached_months
           (competence, file, sha256, counts, service_cents, last_event, detached_at, detached_by)
           VALUES ('2001-01-01', 'f', 's', '{}', 0, 0, 0, 'x')""",
    ]
    for statement in refused:
        with pytest.raises(sa.exc.DBAPIError):
            shop.write(lambda conn, statement=statement: conn.execute(sa.text(statement)))
    detached(shop)
    shop.reading(line(7))
    for statement in ("DELETE FROM events", "UPDATE invoices SET content = 'x'", "DELETE FROM detached_months"):
        with pytest.raises(sa.exc.DBAPIError):
            shop.write(lambda conn, statement=statement: conn.execute(sa.text(statement)))


def test_another_file_is_no_month(tmp_path: Path):
    path = tmp_path / "x.gz"
    path.write_bytes(b"no archive")
    with pytest.raises(UnusableCopy):
        read_lines(path, formats=FORMATS)
