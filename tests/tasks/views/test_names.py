"""Names of runs: what people call a file and a batch."""

from tasks.views.names import batch_name, file_name, reading_name
from tests.tasks.workshop import Workshop


def test_files_and_batches_are_called_as_people_call_them(shop: Workshop):
    batch = shop.planned(1)
    found = shop.batch(batch)
    with shop.desk() as desk:
        assert (file_name(desk, 1), reading_name(desk, found.reading_id)) == ("mes-1.xlsx", "mes-1.xlsx")
        assert file_name(desk, 99) == "99"
        assert batch_name(desk, batch) == f"{batch}: Marés Consultoria Ltda, {found.competence:%m/%Y}"
