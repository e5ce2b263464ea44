"""A run's page lists what came back for correction, with its file and what to do."""

from domain.states import InvoiceState
from domain.station_result import Ending, StationResult, Subject
from tasks.corrections.returned import returned_notes
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tasks.views.dashboard import run_page_markdown
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop


def test_untaken_invoices_come_with_the_command_that_explains(shop: Workshop):
    shop.sandbox.switch(rejection_share=1.0)
    batch = shop.processed(2)
    done = StationResult("reconcile", Subject("batch", batch), Ending.DONE, {"accepted": 0, "rejected": 2})
    with shop.context() as context:
        results = [done, StationResult("stage", Subject("reading", 1), Ending.DONE, {"refused": 1})]
        page = run_page_markdown(context, results, returned=returned_notes(context, results))
    assert "**2 rows came back**" in page
    assert "- **File mes-1.xlsx** · Count: 2 · Numbers: F-1, F-2 · What to do: reasons, and a workbook" in page
    assert "`faturista report outcome mes-1.xlsx`" in page
    assert "Nothing of this run" not in page
    assert f"| Follow to the end | batch {batch} | Done | rejected 2 |" in page


def test_a_files_batches_are_listed_together_without_accepted(shop: Workshop):
    shop.set(PROTOCOL__BATCH_SIZE=7)
    shop.sandbox.switch(rejection_share=0.5)
    batches = shop.assembled(*lines(14))[1]
    for station in (stage_batch, release_batch, reconcile_batch):
        for batch in batches:
            shop.run(station, batch)
        shop.approve()
    for batch in batches:
        shop.follow(batch)
    done = [StationResult("reconcile", Subject("batch", batch), Ending.DONE, {"rejected": 1}) for batch in batches]
    with shop.context() as context:
        (of_file,) = returned_notes(context, done)
    rejected = [state for batch in batches for state in shop.states(batch)].count(InvoiceState.REJECTED)
    assert 0 < of_file.count == rejected < 14
