"""The checklist of a month: what waits for whom."""

from tasks.closing.checklist import month_page
from tests.tasks.held_back import hold_back
from tests.tasks.workshop import Workshop


def test_a_batch_behind_a_stopped_one_waits_for_a_person(shop: Workshop):
    stopped, waiting = hold_back(shop)
    with shop.context() as context:
        page = month_page(context, None)
    assert {row[0]: row[2] for row in page.sections[-1].rows} == {str(stopped): "you", str(waiting): "you"}
    assert [alarm for alarm in page.alarms if f"then faturista decide {stopped}" in alarm]
