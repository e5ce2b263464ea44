"""The checklist of a month: who acts next on each batch."""

import pytest

from tasks.closing.checklist import month_page
from tasks.closing.open_items import open_items
from tests.tasks.held_back import hold_back
from tests.tasks.rows import this_month
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop, codes


def test_a_batch_behind_a_stopped_one_waits_for_a_person(shop: Workshop):
    stopped, waiting = hold_back(shop)
    with shop.context() as context:
        page = month_page(context, None)
    acts = {str(stopped): "a person's decision (faturista decide)", str(waiting): f"the decision about batch {stopped}"}
    assert {row[0]: row[2] for row in page.sections[-1].rows} == acts
    assert [alarm for alarm in page.alarms if f"then faturista decide {stopped}" in alarm]


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_sent_sales_wait_for_their_own_tax_authority(store: Store, kind) -> None:
    store.planned(1, kind=kind)
    store.tamper("UPDATE batches SET state = 'processing'")
    with store.context() as context:
        lists = [section.rows for section in month_page(context, None).sections]
        waits = [row[2] for rows in lists for row in rows if row[1] == context.catalogue.text("state.batch.processing")]
        assert waits == ["the tax authority (SEFAZ)"]
        assert codes(open_items(context, this_month())) == ["closing.batch_tax_authority"]
