"""The data export for a person: complete, without other persons' data, and readable by nobody else."""

import json
from pathlib import Path

import openpyxl
import pytest

from domain.problems import FaturistaError
from tasks.persons.export import JSON_FILE, WORKBOOK, export_person
from tests.connectors.ledger.backup.room import room_for
from tests.tasks.persons.people import ANA, MAIL, OTHER, PHONE, finished, refused_row

pytestmark = pytest.mark.both_databases


def test_an_export_holds_all_of_one_person_and_none_of_another(each_shop):
    shop = each_shop
    finished(shop)
    refused_row(shop)
    with shop.context() as context:
        done = export_person(context, ANA)
        assert done.folder.parent == Path(context.settings.paths.home) / "persons"
    assert {each.name: each.stat().st_mode & 0o777 for each in done.folder.iterdir()} == {
        JSON_FILE: 0o600,
        WORKBOOK: 0o600,
    }
    assert done.folder.stat().st_mode & 0o777 == 0o700
    text = (done.folder / JSON_FILE).read_text(encoding="utf-8")
    for held in (ANA.number, MAIL, PHONE, "Ana Recusada", "amount.unreadable"):
        assert held in text
    assert OTHER.number not in text
    assert "Tomador 12" not in text
    exported = json.loads(text)["tables"]
    assert [len(exported[name]["lines"]) for name in ("takers", "rows", "invoices", "numbers")] == [1, 2, 1, 1]
    assert exported["rows"]["why"]


def test_the_exported_workbook_is_in_a_persons_words(shop):
    finished(shop)
    refused_row(shop)
    with shop.context() as context:
        done = export_person(context, ANA)
    book = openpyxl.load_workbook(done.folder / WORKBOOK)
    assert {"Register", "Invoices", "Rows of sheets"} <= set(book.sheetnames)
    texts = {str(cell.value) for sheet in book for row in sheet for cell in row}
    assert {"Ana Recusada", MAIL, "Accepted"} <= texts
    assert not {"taker_id", "leader_id", "folded_key", "accepted"} & texts


def test_half_an_export_is_not_left_as_a_whole_one(shop):
    finished(shop)
    with shop.context() as context:
        whole = export_person(context, ANA).folder
        room = (whole / JSON_FILE).stat().st_size + 100
        (whole / WORKBOOK).unlink()
        (whole / JSON_FILE).unlink()
        whole.rmdir()
        for size in (100, min(room, 6_000)):
            with room_for(size), pytest.raises(FaturistaError) as caught:
                export_person(context, ANA)
            assert caught.value.problem.code == "ledger.cannot_write"
            assert [*whole.parent.iterdir()] == []
