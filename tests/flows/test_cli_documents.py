"""Documents at the terminal: fetched, shown with their gaps, exported."""

from pathlib import Path

from tests.flows.terminal import Terminal
from tests.tasks.rows import this_month
from tests.tasks.workshop import Workshop


def test_from_the_gap_to_the_zip(shop: Workshop, terminal: Terminal):
    assert "No invoice is issued here" in terminal("documents", "show").said
    shop.processed(2)
    shown = terminal("documents", "show")
    assert (shown.code, shown.said.count("was not fetched yet")) == (1, 4)
    done = terminal("documents", "fetch")
    assert (done.code, "4 document(s) kept now" in done.said) == (0, True), done
    month = f"{this_month():%Y-%m}"
    written = terminal("documents", "export", "--competence", month)
    assert (written.code, "4 document(s), 0 missing" in written.said) == (0, True), written
    assert Path(next(word for word in written.said.split() if word.endswith(".zip"))).is_file()


def test_a_month_without_invoices_is_a_mistake(shop: Workshop, terminal: Terminal):
    shop.processed(1)
    for typed, said in (("2020-01", "No invoice was issued in 01/2020"), ("ontem", "month")):
        ended = terminal("documents", "export", "--competence", typed)
        assert (ended.code, "Traceback" in ended.raw) == (2, False)
        assert said in ended.complained
