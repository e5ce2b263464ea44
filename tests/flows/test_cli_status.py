"""What `status` names, and the provider's history of one invoice beside our journal."""

from pathlib import Path

from tests.flows.terminal import Terminal
from tests.tasks.corrections.rounds import BAD, bill, write_month
from tests.tasks.dropped_sheets import cells
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop


def test_trace_shows_the_providers_history_and_differences(shop: Workshop, terminal: Terminal):
    batch = shop.processed(2)
    ended = terminal("trace", "--rps", "F-1", "--provider")
    assert ended.code == 0, ended
    assert "processing → accepted" in ended.output
    assert "scheduled → processing" in ended.output
    assert "not what the ledger has" not in ended.output
    assert "sandbox-token" not in ended.raw
    before = shop.asked("notes.history")
    assert "processing → accepted" not in terminal("trace", "--rps", "F-2").output
    assert shop.asked("notes.history") == before
    remote = shop.notes(batch)[0].remote_id
    shop.sandbox.call("POST", f"/api/v1/nfse/{remote}/cancel")
    ended = terminal("trace", "--rps", "F-1", "--provider")
    assert "not what the ledger has" in ended.output
    assert (ended.code, shop.incidents()) == (0, ["trace.differs"])
    assert "not what the ledger has" in terminal("status").output
    terminal("decide", batch, "seen", "--because", "it was us")
    terminal("trace", "--rps", "F-1", "--provider")
    assert shop.incidents() == []


def test_a_provider_that_is_merely_ahead_is_no_incident(shop: Workshop, terminal: Terminal):
    shop.sent(1)
    ended = terminal("trace", "--rps", "F-1", "--provider")
    assert "not what the ledger has" in ended.output
    assert shop.incidents() == []


def test_a_batch_that_somebody_else_sent_is_an_incident(shop: Workshop, terminal: Terminal):
    batch = shop.staged(1)
    shop.act("send", batch_id=shop.remote(batch))
    assert "faturista release" in terminal("trace", "--rps", "F-1", "--provider").output
    assert "trace.batch_differs" in shop.incidents()


def test_finished_batches_are_counted_in_one_line(shop: Workshop, terminal: Terminal):
    shop.processed(2)
    shop.assembled(*lines(1, first=11))
    seen = terminal("status").output
    assert ("1 finished batch: faturista status --all" in seen, "mes-1.xlsx" in seen) == (True, False)
    assert ("mes-2.xlsx" in seen, "accepted: 2" in seen) == (True, True)
    assert "mes-1.xlsx" in terminal("status", "--all").output


def test_status_names_rows_that_came_back(shop: Workshop, terminal: Terminal, tmp_path: Path):
    bill(shop, write_month(tmp_path / "mes.xlsx", [cells(1, **BAD), cells(2)]))
    ended = terminal("status")
    assert ended.code == 0, ended
    assert "1 row of mes.xlsx waits for a correction since " in ended.output
    assert "-to-correct.xlsx in the outbox and drop it" in ended.output
