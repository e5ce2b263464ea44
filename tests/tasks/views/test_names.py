"""Names of runs: people's names of a file and a batch."""

from tasks.views.names import batch_name, file_name, reading_name
from tests.tasks.workshop import Workshop


def test_files_and_batches_are_called_as_people_call_them(shop: Workshop):
    batch = shop.planned(1)
    found = shop.batch(batch)
    with shop.context() as context:
        assert (file_name(context, 1), reading_name(context, found.reading_id)) == ("mes-1.xlsx", "mes-1.xlsx")
        assert file_name(context, 99) == "99"
        assert batch_name(context, batch) == f"{batch}: Marés Consultoria Ltda, {found.competence:%m/%Y}"
