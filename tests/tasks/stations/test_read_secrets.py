"""Secrets pasted into ordinary columns: no sentence that we write about a row repeats one."""

from pathlib import Path
from typing import Final

from configs.catalogue import LANGUAGES, Catalogue
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.workshop import Workshop

SECRETS: Final = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "MIIKcQIBAzCCCjcGCSqGSIb3DQEHAaCCCigEggokMIIKIDCC",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "Bearer 5f0c7a52-99a1-4b0e-8c3e-1a2b3c4d5e6f",
    "Marilia#2026!",
)
QUOTED: Final = 8
"""Length of a quotation that would reveal too much of a secret."""


def test_no_sentence_about_a_row_repeats_a_pasted_secret(shop: Workshop, tmp_path: Path):
    rows = [cells(7, **{header: secret}) for secret in SECRETS for header in HEADERS]
    path = write_sheet(tmp_path / "colado.csv", rows)
    with shop.context() as context:
        reading, _ = read_file(context, archive_file(context, path), ReadingOptions(operator="ana"))
        problems = [problem for row in shop.rows(reading) for problem in row.problems]
        assert {problem.field for problem in problems} >= {"document", "service_cents", "competence", "zip_code"}
        for language in LANGUAGES:
            words = Catalogue.load(language)
            text = " ".join(words.say(problem) for problem in problems)
            assert [secret for secret in SECRETS if secret[:QUOTED] in text] == []
