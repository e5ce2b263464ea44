"""The overview page: it fits a screen, names who waits for what, and drops what is settled."""

from datetime import timedelta

import pytest

from connectors.ledger.observations.situation import refused_files, stalled_files
from domain.problems import FaturistaError, Problem
from tasks.alerts.runs import record_end, record_failure
from tasks.corrections.waiting_rows import waiting_rows
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tasks.views.overview_page import LONGEST, overview_markdown
from tests.tasks.rows import line, lines
from tests.tasks.workshop import Workshop


def page(shop: Workshop) -> str:
    with shop.context() as context:
        return overview_markdown(context, list(waiting_rows(context)))


def test_waiting_work_is_listed_first(shop: Workshop):
    shop.set(APPROVAL__AUTOMATIC="false")
    shop.processed(2)
    (waiting,) = shop.assembled(*lines(1, first=21), line(30, template_name="Errado"))[1]
    shop.run(stage_batch, waiting)
    seen = page(shop).split("\n\n")
    assert seen[0] == "# Overview (local)"
    assert seen[1] == "**1 batch waits for approval**, R$ 100,21: `faturista approve`."
    assert seen[2].startswith("**1 row waits for somebody**")
    assert "2 invoices accepted, R$ 200,03; 0 rejected; 1 under way" in seen[3]
    table = page(shop).partition("## Waiting for approval")[2].split("\n")
    assert table[4].startswith(f"| {waiting} | mes-2.xlsx | Marés Consultoria Ltda | ")
    assert any(text.startswith("> 1 row of mes-2.xlsx waits for a correction since ") for text in seen)


def test_without_news_it_is_the_same_text(shop: Workshop):
    shop.staged(1)
    assert page(shop) == page(shop)


def test_refused_rows_stay_until_a_later_row_corrects_them(each_shop: Workshop):
    shop = each_shop
    file = shop.file(7)
    wrong = shop.reading(line(1, template_name="Errado"), line(2, template_name="Errado"), file_id=file)
    shop.run(resolve_rows, wrong)
    (found,) = shop.read(refused_files, days=30)
    assert (found.file_id, found.name, found.count) == (file, "mes-7.xlsx", 2)
    shop.reading(line(1), line(2), file_id=file)
    assert shop.read(refused_files, days=30) == []


def test_rows_refused_as_billed_already_came_back_to_nobody(each_shop: Workshop):
    shop = each_shop
    shop.assembled(line(1))
    shop.assembled(line(1), line(2, template_name="Errado"))
    assert [(each.name, each.count) for each in shop.read(refused_files, days=30)] == [("mes-2.xlsx", 1)]


@pytest.mark.parametrize("is_read", [True, False])
def test_a_file_that_stalled_is_named(shop: Workshop, *, is_read: bool):
    reading = shop.reading(*lines(1))
    end = "" if is_read else ", finished_at = NULL"
    shop.tamper(f"UPDATE readings SET alive_at = alive_at - 100000000000{end}")
    (found,) = shop.read(stalled_files, idle_s=60)
    assert (found.reading_id, found.name, found.is_read) == (reading, "mes-1.xlsx", is_read)
    assert "> mes-1.xlsx: its r" in page(shop)


def test_the_last_error_stays_until_the_same_flow_ends_well(shop: Workshop):
    with shop.context() as context:
        record_failure(context, "reconcile_batches", FaturistaError(Problem("batch.busy", params={"batch": 9})))
        record_failure(context, "sweep_inbox", ExceptionGroup("", [KeyError("x")]))
        record_end(context, "report_orders")
    assert "Last error: sweep" in page(shop).replace("\\", "")
    assert "An unforeseen error (KeyError)" in page(shop)
    with shop.context() as context:
        record_end(context, "sweep_inbox")
    assert "Last error: reconcile" in page(shop)
    with shop.context() as context:
        record_end(context, "reconcile_batches")
    assert "Last error" not in page(shop)


def test_the_page_has_at_most_the_allowed_lines(shop: Workshop):
    shop.set(APPROVAL__AUTOMATIC="false")
    shop.processed(1)
    for first in range(11, 90, 10):
        (batch,) = shop.assembled(line(first), line(first + 1, template_name="Errado"))[1]
        if first < 70:
            shop.run(stage_batch, batch)
        else:
            shop.disturb(batch)
    for first in range(100, 160, 10):
        shop.reading(line(first))
    shop.tamper("UPDATE readings SET alive_at = alive_at - 100000000000")
    shop.age("due_at", timedelta(hours=3))
    with shop.context() as context:
        record_failure(context, "sweep_inbox", KeyError("x"))
    assert len(page(shop).split("\n")) <= LONGEST
    assert page(shop).count("## ") == 2
    assert "… and 2 more." in page(shop)
    assert "preview workbook" not in page(shop)
