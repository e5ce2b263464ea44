"""Who acts next on a batch: an approval names the people who may give it."""

from tasks.stations.stage import stage_batch
from tasks.views.who_acts import awaits_approval, who_acts
from tests.tasks.rows import lines
from tests.tasks.staff.people import office
from tests.tasks.workshop import Workshop


def test_an_approval_names_those_who_may_give_it(shop: Workshop) -> None:
    def approval() -> str:
        with shop.context() as context:
            (batch,) = shop.batches()
            assert awaits_approval(context, batch) is not context.settings.approval.automatic
            return who_acts(context, [batch])[batch.id]

    _, (batch,) = shop.assembled(*lines(1))
    shop.run(stage_batch, batch)
    assert approval() == "Faturista"
    shop.set(APPROVAL__AUTOMATIC="false")
    assert approval() == "an approval"
    with shop.context() as context:
        office(context, limit=1)
    assert approval() == "the approval of Bia"
    shop.set(APPROVAL__FOUR_EYES="true")
    assert approval() == "an approval that nobody enrolled may give (faturista staff)"
