"""Rows that wait for a correction or for their customer's record: named by file until somebody deals with them."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl.worksheet.worksheet import Worksheet

from connectors.ledger import files
from connectors.spreadsheets.archive import discard
from domain.competence import BRASILIA
from tasks.corrections.waiting_rows import waiting_rows
from tasks.persons.forget import forget_person
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.tasks.corrections.rounds import (
    BAD,
    FIRST,
    HEADER_ROW,
    back,
    bill,
    edited,
    issue,
    problems_of,
    put,
    read_rows,
    returned,
    write_month,
)
from tests.tasks.dropped_sheets import HEADERS, cells
from tests.tasks.persons.people import ANA, refused_row
from tests.tasks.rows import line
from tests.tasks.stations.test_resolve import known_taker, seeded
from tests.tasks.workshop import Workshop, fault


def waiting(shop: Workshop) -> list[tuple[str, dict[str, Any]]]:
    with shop.context() as context:
        return [(each.code, dict(each.params)) for each in waiting_rows(context)]


@pytest.mark.both_databases
def test_waiting_rows_are_named_until_corrected(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **BAD), cells(3)])
    bill(shop, month)
    (line,) = waiting(shop)
    usual = line[1].pop("workbook")
    with shop.context() as context:
        today = f"{context.clock().astimezone(BRASILIA):%d/%m/%Y}"
    assert line[1].pop("since").startswith(today)
    assert line == ("waiting.rows_returned", {"count": 1, "file": "mes.xlsx"})
    path = returned(shop, month)
    assert path.name == usual
    again = edited(path, tmp_path / "again.xlsx", put("Valor", "nada"))
    bill(shop, again)
    assert [(code, params["file"]) for code, params in waiting(shop)] == [("waiting.rows_returned", "again.xlsx")]
    bill(shop, edited(returned(shop, again), tmp_path / "good.xlsx", put("Valor", "10,00")))
    assert waiting(shop) == []


def test_the_workbook_in_the_outbox_is_named(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD), cells(2, **BAD)])
    bill(shop, month)
    path = returned(shop, month)
    edited(path, path, put("Valor", "200,00"))
    bill(shop, write_month(tmp_path / "other.xlsx", [cells(9)]))
    read_rows(shop, month)
    assert [params["workbook"] for _, params in waiting(shop)] == [path.name]
    shop.set(LANGUAGE="pt_BR")
    assert [params["workbook"] for _, params in waiting(shop)] == [path.name]


def test_rows_of_an_incomplete_customer_are_parked(shop: Workshop, tmp_path: Path):
    seeded(shop, takers=[known_taker(is_complete=False)])
    shop.sandbox.faults(fault("takers.read", "altered", fields={"is_complete": False}))
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **BAD), cells(3)])
    bill(shop, month)
    path = returned(shop, month)
    assert [(code, params["count"], params["workbook"]) for code, params in waiting(shop)] == [
        ("waiting.rows_returned", 1, path.name),
        ("waiting.rows_parked", 1, path.name),
    ]
    shop.sandbox.faults()
    bill(shop, edited(path, tmp_path / "back.xlsx", put("Valor", "10,00", FIRST + 1)))
    assert (waiting(shop), back(shop, month)) == ([], None)


def test_rows_that_are_left_out_wait_for_nobody(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD)])
    bill(shop, month)

    def leave_out(page: Worksheet) -> None:
        column = page.max_column + 1
        page.cell(HEADER_ROW, column).value, page.cell(FIRST, column).value = "Emitir", "Não"

    bill(shop, edited(returned(shop, month), tmp_path / "back.xlsx", leave_out))
    assert waiting(shop) == []


def test_an_answered_row_stays_answered(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    rows = [[*cells(1), "Cancelado"], [*cells(2), "ok"], [*cells(3, **BAD), "ok"]]
    month = write_month(tmp_path / "mes.xlsx", rows, headers=[*HEADERS, "Situação"])
    bill(shop, month)
    assert [(code, params["count"]) for code, params in waiting(shop)] == [
        ("waiting.rows_returned", 1), ("waiting.rows_held", 1),
    ]  # fmt: skip
    answered = edited(returned(shop, month), tmp_path / "back.xlsx", put("Bill anyway", "N", FIRST, FIRST + 1))
    assert set(problems_of(bill(shop, answered))[FIRST]) == {"row.not_wanted", "held.status"}
    assert waiting(shop) == []
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    shop.decide(batch.id, "discard")
    bill(shop, month)
    assert (waiting(shop), back(shop, month)) == ([], None)
    bill(shop, edited(answered, tmp_path / "later.xlsx", put("Bill anyway", "S")))
    assert len([each for each in shop.batches() if each.state == "planned"]) == 1


def test_rejected_rows_wait_beside_the_refused_ones(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    shop.sandbox.switch(rejection_share=1.0)
    month = write_month(tmp_path / "mes.xlsx", [cells(1), cells(2, **BAD)])
    bill(shop, month)
    issue(shop)
    found = back(shop, month)
    assert found is not None
    assert [(code, params["count"]) for code, params in waiting(shop)] == [("waiting.rows_returned", found.count)]
    shop.sandbox.switch(rejection_share=0.0)
    bill(shop, edited(found.path, tmp_path / "back.xlsx", put("Valor", "20,00", FIRST, FIRST + 1)))
    assert waiting(shop) == []


def test_many_files_are_counted_in_one_line(shop: Workshop):
    for number in range(1, 13):
        shop.run(resolve_rows, shop.reading(line(number, template_name="Errado")))
    *named, rest = waiting(shop)
    assert [params["file"] for _, params in named] == [f"mes-{number}.xlsx" for number in range(12, 2, -1)]
    assert rest == ("waiting.rows_more", {"count": 2, "files": 2})


def test_without_its_sheet_a_file_names_no_workbook(shop: Workshop, tmp_path: Path):
    month = write_month(tmp_path / "mes.xlsx", [cells(1, **BAD), cells(2)])
    reading = bill(shop, month)[0].reading_id
    with shop.context() as context:
        file = context.ledger.read(files.file_of_reading, reading)
        discard(file.sha256, name=file.name, folder=context.archive)
    ((code, params),) = waiting(shop)
    assert (code, params["count"]) == ("waiting.rows_sheet_gone", 1)


def test_erased_rows_wait_for_nobody(shop: Workshop):
    reading = refused_row(shop)
    assert len(waiting(shop)) == 1
    with shop.context() as context:
        forget_person(context, ANA, person="dpo", because="asked on 1 December")
    assert shop.rows(reading)[0].cells == {}
    assert waiting(shop) == []
