"""What keeps a month open, and who acts."""

from pathlib import Path

from tasks.closing.close import close_month
from tasks.closing.open_items import open_items
from tasks.stations.release import release_batch
from tests.tasks.closing.months import LAST_MONTH, staged_last_month
from tests.tasks.contracts.sheets import contract
from tests.tasks.contracts.test_month import enter
from tests.tasks.rows import line
from tests.tasks.workshop import Workshop, codes


def found(shop: Workshop) -> list[str]:
    with shop.context() as context:
        return codes(open_items(context, LAST_MONTH))


def test_each_open_batch_says_who_acts(shop: Workshop):
    batch = staged_last_month(shop)
    assert found(shop) == ["closing.batch_person"]
    shop.approve()
    assert found(shop) == ["closing.batch_line"]
    shop.run(release_batch, batch)
    assert found(shop) == ["closing.batch_city"]
    with shop.context() as context:
        made = close_month(context, LAST_MONTH, person="Ana")
    assert isinstance(made, list)
    shop.follow(batch)
    assert found(shop) == []


def test_a_stopped_import_and_an_unbilled_contract_keep_it_open(shop: Workshop, tmp_path: Path):
    shop.reading(line(1, competence=LAST_MONTH))
    enter(shop, tmp_path, contract(1), contract(2))
    with shop.context() as context:
        readings, contracts = open_items(context, LAST_MONTH)
    assert codes([readings, contracts]) == ["closing.open_readings", "closing.open_contracts"]
    assert contracts.params == {"count": 2, "first": "C-1, C-2"}
