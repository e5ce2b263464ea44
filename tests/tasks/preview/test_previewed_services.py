"""A preview lets the register tell an unclear document as billing does: same row, same document, same words."""

from pathlib import Path
from typing import Any

import pytest

from domain.decisions import DecisionKind
from tasks.preview.page import forecast_page
from tasks.services.paging import PART
from tests.tasks.dropped_sheets import HEADER_ROW, cells
from tests.tasks.issuance.test_document_completion import AS_CNPJ, AS_CPF, COMPANY, NAME, PERSON
from tests.tasks.preview.test_dry_run import WRITES, billed, previewed
from tests.tasks.stations.test_report import whole_text, written
from tests.tasks.stations.test_resolve import seeded
from tests.tasks.workshop import Workshop

FIRST = HEADER_ROW + 1
DOCUMENT_COLUMN = "B"


def unclear(number: int = 1, **changes: str) -> list[str]:
    """Return a row with a number that is a valid CPF and, with its zeros, a valid CNPJ."""
    return cells(number, **{"CNPJ/CPF": AS_CPF, "Razão Social": NAME, **changes})


@pytest.mark.parametrize(("known", "number"), [(PERSON, AS_CPF), (COMPANY, AS_CNPJ)])
def test_the_preview_bills_whom_the_register_knows(each_shop: Workshop, tmp_path: Path, known: Any, number: str):
    shop = each_shop
    seeded(shop, takers=[known])
    seen = previewed(shop, tmp_path, [unclear(), cells(2), unclear(3)])
    assert [note.taker_document for note in seen.notes][::2] == [number, number]
    assert seen.newcomers[0].row_number == FIRST + 1
    assert shop.asked(*WRITES) == 0
    found = [each for each in seen.decisions if each.problem.code == "document.of_register"]
    assert [(each.kind, each.cells(5)) for each in found] == [
        (DecisionKind.FILLED, f"{DOCUMENT_COLUMN}{FIRST}, {DOCUMENT_COLUMN}{FIRST + 2}")
    ]
    with shop.context() as context:
        words = context.catalogue
        decisions = forecast_page(words, seen).sections[0].rows
    (shown,) = [row for row in decisions if row[1] == words.what(found[0].problem)]
    assert str(found[0].problem.params["listed"]) in str(shown[1])
    assert shown[3] == f"{DOCUMENT_COLUMN}{FIRST}, {DOCUMENT_COLUMN}{FIRST + 2}"

    reading = billed(shop, tmp_path / "mes.csv")
    assert shop.problems(reading) == {}
    assert [(row.line or {})["taker"]["document"][1] for row in shop.rows(reading)][::2] == [number, number]


def test_an_unclear_document_is_refused_with_its_cell(shop: Workshop, tmp_path: Path):
    seeded(shop, takers=[PERSON, COMPANY])
    seen = previewed(shop, tmp_path, [unclear(), cells(2)])
    (reason,) = seen.reasons
    assert (reason.problem.code, reason.rows) == ("document.ambiguous", (FIRST,))
    assert (reason.problem.where.column, reason.problem.where.row) == (DOCUMENT_COLUMN, FIRST)
    assert [note.row_number for note in seen.notes] == [FIRST + 1]
    reading = billed(shop, tmp_path / "mes.csv")
    assert shop.rows(reading)[0].problems == [reason.problem]


def test_unclear_rows_of_every_part_are_judged(shop: Workshop, tmp_path: Path):
    seeded(shop, takers=[COMPANY])
    rows = [unclear(number) for number in range(1, PART + 3)]
    seen = previewed(shop, tmp_path, rows)
    assert len(seen.notes) == PART + 2
    assert {note.taker_document for note in seen.notes} == {AS_CNPJ}


def test_the_outcome_says_which_document_was_found(shop: Workshop, tmp_path: Path):
    seeded(shop, takers=[COMPANY])
    previewed(shop, tmp_path, [unclear(), unclear(2, **{"Razão Social": "Mercado Central Ltda"})])
    reading = billed(shop, tmp_path / "mes.csv")
    assert shop.problems(reading) == {FIRST + 1: ["taker.name_differs"]}
    file = shop.rows(reading)[0].file_id
    text = whole_text(written(shop, file))
    place = f"{DOCUMENT_COLUMN}{FIRST}"
    assert f"• {place}: The number alone does not show whether it is a CPF or a CNPJ; by the register" in text
    assert f"• {DOCUMENT_COLUMN}{FIRST + 1}: The number could be a CPF or a CNPJ; by the customer's name" in text
    assert "00.040.773/0001-00" in text
