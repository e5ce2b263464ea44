"""A month that is stopped while it is detached, in whatever way: whole or detached, and the next one goes on."""

import dataclasses
import time
from itertools import islice
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.detached import detach as ledger_detach
from connectors.ledger.detached.contents import scope_of
from connectors.ledger.detached.emptying import empty_month
from connectors.ledger.detached.months import detached_months, unemptied_months
from domain.problems import FaturistaError
from tasks.backup.copies import verify_ledger
from tasks.backup.detaching import detach, plan_detaching
from tasks.runtime import Context
from tasks.views.detached import folder_of
from tests.ageing import without_triggers
from tests.faults.theatre import PROCESSES
from tests.tasks.backup.months import billed_sheet, closed, content, detach_here, detached, years_later
from tests.tasks.dropped_sheets import HEADER_ROW
from tests.tasks.rows import this_month
from tests.tasks.workshop import Workshop

pytestmark = pytest.mark.both_databases

FIRST = HEADER_ROW + 1


@pytest.mark.parametrize("moment", ["file begun", "file written", "later"])
def test_a_kill_leaves_the_month_whole_or_detached(each_shop: Workshop, moment: str):
    shop = each_shop
    billed_sheet(shop, 6)
    closed(shop)
    before = content(shop)
    process = PROCESSES.Process(target=detach_here)
    process.start()
    wait_for(shop.home / "detached", process, moment)
    process.kill()
    process.join()
    is_detached = bool(shop.read(detached_months))
    assert is_detached or content(shop) == before
    is_emptied = is_detached and not shop.read(unemptied_months)
    files = detached(shop)
    assert bool(files) is not is_emptied
    assert content(shop)[:3] == (0, 0, 0)
    with years_later(shop) as context:
        assert verify_ledger(context).is_sound


def wait_for(folder: Path, process: BaseProcess, moment: str) -> None:
    """Wait until the process has begun its file, has written it, or is a little further."""
    pattern = "*" if moment == "file begun" else "[0-9]*"
    while process.is_alive() and not (folder.is_dir() and any(folder.glob(pattern))):
        time.sleep(0.0005)
    if moment == "later":
        time.sleep(0.004)


def test_emptying_goes_on_wherever_it_was_stopped(each_shop: Workshop):
    """Each transaction leaves a sound ledger, and a repetition finds what is left."""
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    with years_later(shop) as context:
        path = entered(context)
        for parts in range(5):
            for _ in islice(empty_month(context.ledger, this_month(), path), parts):
                pass
            found = verify_ledger(context)
            assert found.is_sound, (parts, found.problems)
            plan = plan_detaching(context)
            assert ([each.invoices for each in plan.half_detached], plan.months) == ([3], [])
        path.rename(path.with_name("elsewhere"))
        with pytest.raises(FaturistaError) as caught:
            list(detach(context, plan, person="Olga"))
        assert caught.value.problem.code == "ledger.detach_file"
        path.with_name("elsewhere").rename(path)
        assert [file for _, file in detach(context, plan, person="Olga")] == [path]
        assert not plan_detaching(context).half_detached
        assert verify_ledger(context).is_sound
    assert content(shop)[:3] == (0, 0, 0)


def entered(context: Context) -> Path:
    """Detach this month without emptying it. Return its file."""
    written = context.ledger.read(ledger_detach._write, this_month(), folder_of(context), ())
    assert written is not None
    path, scope, whole = written
    cents = ledger_detach._prove(context.ledger, path, scope, whole, ())
    assert context.ledger.write(ledger_detach._enter, scope, whole, file=path.name, cents=cents, by="Olga")
    return path


def test_a_row_changed_after_the_file_stays(each_shop: Workshop):
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    with years_later(shop) as context:
        entered(context)
        changed = sa.update(tables.rows).where(tables.rows.c.row_number == FIRST).values(problems=["later"])
        assert context.ledger.write(lambda conn: conn.execute(changed).rowcount) == 1
        list(detach(context, plan_detaching(context), person="Olga"))
        assert verify_ledger(context).is_sound
    assert content(shop)[:3] == (0, 1, 0)


def test_an_edited_journal_stops_it(each_shop: Workshop):
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    with years_later(shop) as context:
        entered(context)
        context.ledger.write(edit_journal)
        before = content(shop)
        with pytest.raises(FaturistaError) as caught:
            list(detach(context, plan_detaching(context), person="Olga"))
        assert caught.value.problem.code == "ledger.detach_journal"
        assert content(shop)[3] == before[3] > 0


def edit_journal(conn: sa.Connection) -> None:
    triggers = without_triggers(conn)
    events = tables.events
    latest = sa.select(sa.func.max(events.c.id)).scalar_subquery()
    first = sa.select(sa.func.min(events.c.id)).where(events.c.id < latest).scalar_subquery()
    assert conn.execute(sa.update(events).where(events.c.id == first).values(because="edited")).rowcount == 1
    for trigger in triggers:
        conn.exec_driver_sql(trigger)


def test_a_journal_that_goes_on_meanwhile_stops_it(each_shop: Workshop):
    """The file has the journal up to a seal; another bound is another file."""
    shop = each_shop
    billed_sheet(shop)
    closed(shop)
    with years_later(shop) as context:
        written = context.ledger.read(ledger_detach._write, this_month(), folder_of(context), ())
        assert written is not None
        path, scope, whole = written
        other = dataclasses.replace(scope, until=scope.until - 1)
        with pytest.raises(FaturistaError) as caught:
            context.ledger.write(ledger_detach._enter, other, whole, file=path.name, cents=0, by="Olga")
        assert caught.value.problem.code == "ledger.detach_changed"
        assert context.ledger.read(scope_of, this_month()) == scope
    assert not shop.read(detached_months)
    assert content(shop)[0] == 3
