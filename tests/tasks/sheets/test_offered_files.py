"""The files that a form offers, found by the name that a person chose."""

import shutil
from pathlib import Path

from tasks.sheets.offered_files import find_offered
from tasks.stations.intake import archive_file
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.workshop import Workshop


def test_a_file_past_its_term_is_missed_by_its_own_name(shop: Workshop, tmp_path: Path):
    with shop.context() as context:
        archive_file(context, write_sheet(tmp_path / "novembro.csv", [cells(1)]))
        shutil.rmtree(context.settings.paths.archive)
        assert find_offered(context, Path("novembro.csv")) == Path("novembro.csv")
