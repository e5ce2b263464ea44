"""The page of a billing run whose batch failed shows what the batches beside it did."""

import asyncio
from pathlib import Path

import pytest

from flows.billing import BillOrder
from flows.runner import DirectRunner
from tasks import entries
from tests.flows.dashboard import steps
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.workshop import PROFILE, Workshop


class DamagedMeanwhile(DirectRunner):
    """A runner with pages, whose ledger loses the content of the second batch's invoice before staging."""

    has_pages = True

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop
        self.pages: dict[str, str] = {}

    async def run(self, station, *given, **named):
        if station is entries.stage:
            self.shop.tamper("UPDATE invoices SET content = '{}' WHERE batch_id = 2")
        return await super().run(station, *given, **named)

    async def show(self, key, page):
        self.pages[key] = page


def test_the_batches_beside_a_failed_one_are_on_the_page(shop: Workshop, tmp_path: Path):
    shop.set(PROTOCOL__BATCH_SIZE=1)
    runner = DamagedMeanwhile(shop)
    sheet = write_sheet(tmp_path / "novembro.csv", [cells(1), cells(2), cells(3)])
    with pytest.raises(KeyError):
        asyncio.run(BillOrder("services")(runner, str(sheet), profile=PROFILE))
    did = [step[1:3] for step in steps(runner.pages["bill-1"]) if step[0] == "Stage the batch"]
    assert did == [["batch 1", "Done"], ["batch 3", "Goes on by itself later"]]
