"""Previews and approvals show what the new invoices replace: number, both amounts and the reason."""

import asyncio
from pathlib import Path

from connectors.spreadsheets.writers.pages import Page
from tasks.preview.dry_run import forecast_file
from tasks.preview.page import forecast_page
from tasks.preview.stored_forecast import forecast_reading, preview_markdown, stored_page
from tests.tasks.dropped_sheets import HEADER_ROW, HEADERS, cells, write_sheet
from tests.tasks.preview.test_dry_run import ASKED, WRITES, billed
from tests.tasks.workshop import Workshop

WHY = "valor errado"


def replaced_rows(page: Page, title: str) -> list[list[str]]:
    return [[str(cell) for cell in row] for each in page.sections if each.title == title for row in each.rows]


def test_previews_and_approvals_show_what_is_replaced(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    shop.processed(2)
    row = [*cells(2, Valor="90,00"), "F-2", WHY]
    headers = (*HEADERS, "Substitui", "Motivo da Substituição")
    path = write_sheet(tmp_path / "mes.csv", [row, [*cells(5), "", ""]], headers=headers)
    made = shop.asked(*WRITES)
    seen = shop.run(forecast_file, path, ASKED)
    assert shop.asked(*WRITES) == made
    reading = billed(shop, path)
    with shop.context() as context:
        words = context.catalogue
        stored = asyncio.run(forecast_reading(context, reading))
        approval = asyncio.run(stored_page(context, reading))
        shared = asyncio.run(preview_markdown(context, reading))
    title = words.text("preview.replaced")
    shown = [["F-2", "Tomador 2 Ltda", "R$ 100,02", "R$ 90,00", WHY, str(HEADER_ROW + 1)]]
    for page in (forecast_page(words, seen), forecast_page(words, stored), approval):
        assert replaced_rows(page, title) == shown
    (section,) = (each for each in approval.sections if each.title == title)
    assert "R$ 100,02 becomes R$ 90,00" in section.note
    assert title in shared
    assert "| F-2 | Tomador 2 Ltda | R$ 100,02 | R$ 90,00 |" in shared
    assert WHY not in shared


def test_a_batch_that_replaces_nothing_lists_nothing(shop: Workshop) -> None:
    reading, _ = shop.assembled()
    with shop.context() as context:
        page = asyncio.run(stored_page(context, reading))
        assert replaced_rows(page, context.catalogue.text("preview.replaced")) == []
