"""Documents at the terminal: fetched, shown with their gaps, exported."""

from pathlib import Path

from tests.connectors.ledger.backup.room import room_for
from tests.flows.terminal import Terminal
from tests.tasks.rows import this_month
from tests.tasks.workshop import Workshop


def test_commands_fetch_and_export_missing_documents(shop: Workshop, terminal: Terminal):
    assert "No invoice is issued here" in terminal("documents", "show").output
    shop.processed(2)
    shown = terminal("documents", "show")
    assert (shown.code, shown.output.count("was not fetched yet")) == (1, 4)
    done = terminal("documents", "fetch")
    assert (done.code, "4 documents kept now" in done.output) == (0, True), done
    month = f"{this_month():%Y-%m}"
    written = terminal("documents", "export", "--competence", month)
    assert (written.code, "4 documents, 0 missing" in written.output) == (0, True), written
    assert Path(next(word for word in written.output.split() if word.endswith(".zip"))).is_file()


def test_a_full_disk_leaves_the_earlier_zip_alone(shop: Workshop, terminal: Terminal):
    shop.processed(2)
    terminal("documents", "fetch")
    typed = ("documents", "export", "--competence", f"{this_month():%Y-%m}")
    path = Path(next(word for word in terminal(*typed).output.split() if word.endswith(".zip")))
    before = path.read_bytes()
    # The zip outgrows the disk; the ledger, which is open, needs no more room.
    with shop.context(), room_for(len(before) // 2):
        full = terminal(*typed)
    assert (full.code, full.output) == (2, "")
    assert "Nothing could be written" in full.errors
    assert "larger than this disk" in full.errors
    assert "Make room" in full.errors
    assert "Traceback" not in full.raw
    assert ([each.name for each in path.parent.iterdir()], path.read_bytes()) == ([path.name], before)
    path.unlink()
    with shop.context(), room_for(len(before) // 2):
        assert terminal(*typed).code == 2
    assert list(path.parent.iterdir()) == []
    assert (terminal(*typed).code, path.read_bytes()) == (0, before)


def test_a_full_disk_is_a_sentence_for_any_workbook(shop: Workshop, terminal: Terminal):
    blank = shop.home / "blank.xlsx"
    with shop.context(), room_for(1_000):
        full = terminal("template", "indexes", "--output", blank)
    assert (full.code, "Traceback" in full.raw, blank.exists()) == (3, False, False), full
    assert "larger than this disk" in full.errors
    assert terminal("template", "indexes", "--output", blank).code == 0


def test_a_month_without_invoices_is_a_mistake(shop: Workshop, terminal: Terminal):
    shop.processed(1)
    for typed, message in (("2020-01", "No invoice was issued in 01/2020"), ("ontem", "month")):
        ended = terminal("documents", "export", "--competence", typed)
        assert (ended.code, "Traceback" in ended.raw) == (2, False)
        assert message in ended.errors
