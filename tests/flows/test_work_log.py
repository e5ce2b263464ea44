"""A run's log reads as a story, joined by ids, and names nobody."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from configs.logs import JsonLine
from domain.station_result import Ending, StationResult, Subject
from flows.bill_services import bill_services
from flows.reconcile_batches import reconcile_batches
from flows.runner import DirectRunner
from flows.work_log import ids_of, log_results
from tasks import entries
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.rows import person
from tests.tasks.workshop import PROFILE, Workshop

CANARIES = ("Canário da Silva", "Rua do Canário", "canario", "Segredo do contrato")


@pytest.fixture
def log_lines() -> Iterator[list[str]]:
    """Yield every line of our own logs, at the lowest level, as a worker would write it."""
    lines: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(JsonLine().format(record))

    ear, logger = Ear(), logging.getLogger("faturista")
    logger.addHandler(ear)
    level = logger.level
    logger.setLevel(logging.DEBUG)
    yield lines
    logger.setLevel(level)
    logger.removeHandler(ear)


def test_the_log_of_an_import_is_a_story_and_names_nobody(shop: Workshop, tmp_path: Path, log_lines: list[str]):
    customer = {
        "CNPJ/CPF": person(1).number,
        "Razão Social": CANARIES[0],
        "Logradouro": CANARIES[1],
        "Discriminação": CANARIES[3],
    }
    sheet = write_sheet(tmp_path / "canario.csv", [cells(1, **customer), cells(2, **customer, Modelo="canario")])
    reading = asyncio.run(bill_services(DirectRunner(), str(sheet), profile=PROFILE))
    asyncio.run(reconcile_batches(DirectRunner(), profile=PROFILE, until_done=True))
    records = [json.loads(line) for line in log_lines]
    story = [line for line in records if line["logger"] == "faturista.stations"]
    assert [line["station"] for line in story][:4] == ["read", "resolve", "assemble", "stage"]
    assert story[1]["reading"] == reading
    posts = [line for line in records if line["logger"] == "faturista.http" and "note" in line]
    assert posts, "no post was logged"
    assert {line["batch"] for line in posts} == {1}
    assert {line["status"] for line in posts} == {201}
    text = "\n".join(log_lines).casefold()
    assert not [each for each in (*CANARIES, person(1).number) if each.casefold() in text]


def test_only_ids_join_lines():
    assert ids_of(entries.read, "local", 7, None) == {"profile": "local", "file": 7}
    assert ids_of(entries.intake, "local", "/inbox/somebody/a.xlsx", "services") == {"profile": "local"}


def test_work_for_a_person_is_a_warning(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "faturista")
    disturbed = StationResult("stage", Subject("batch", 7), Ending.DISTURBED, {"staged": 3})
    log_results((7, [disturbed, StationResult("stage", Subject("batch", 8))]))
    assert [record.levelno for record in caplog.records] == [logging.WARNING, logging.INFO]
    assert "3" in caplog.records[0].getMessage()
