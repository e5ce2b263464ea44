"""A rehearsal judges a file as the line will, without a write at the provider and without a row in the ledger."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from connectors.http.errors import ConnectorError
from domain.forecasts.forecast import Forecast
from tasks.preview.dry_run import forecast_file
from tasks.preview.page import forecast_page
from tasks.services.paging import PART
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tests.tasks.dropped_sheets import HEADER_ROW, HEADERS, cells, write_sheet
from tests.tasks.rows import SAO_PAULO, company, lines, this_month
from tests.tasks.workshop import Workshop, fault

FIRST = HEADER_ROW + 1
ASKED = ReadingOptions(operator="Ana")
WRITES = ("takers.create", "batches.create", "notes.create", "batches.send", "notes.delete")


def previewed(shop: Workshop, folder: Path, rows: Sequence[Sequence[str]], options: ReadingOptions = ASKED) -> Forecast:
    return shop.run(forecast_file, write_sheet(folder / "mes.csv", rows), options)


def billed(shop: Workshop, path: Path, options: ReadingOptions = ASKED) -> int:
    with shop.context() as context:
        reading, _ = read_file(context, archive_file(context, path), options)
    shop.run(resolve_rows, reading)
    shop.run(assemble_rows, reading)
    return reading


def test_a_forecast_equals_the_bill_and_writes_nothing(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    rows = [
        cells(1),
        cells(2, Modelo="Errado"),
        cells(1),
        cells(3, **{"CNPJ Emitente": SAO_PAULO}),
        cells(4, Valor="x"),
    ]
    seen = previewed(shop, tmp_path, rows)
    assert shop.asked(*WRITES) == 0
    assert shop.batches() == []
    found = {code: each.rows for each in seen.reasons for code in [each.problem.code]}
    assert found == {"template.unknown": (FIRST + 1,), "row.repeated": (FIRST + 2,), "amount.unreadable": (FIRST + 4,)}
    assert [(note.row_number, note.service_cents) for note in seen.notes] == [(FIRST, 10_001), (FIRST + 3, 10_003)]
    assert {(each.emitter_name, each.first, each.last) for each in seen.ranges} == {
        ("Marés Consultoria Ltda", 1, 1),
        ("Aurora Serviços Digitais S.A.", 1, 1),
    }

    reading = billed(shop, tmp_path / "mes.csv")
    notes = [note for batch in shop.batches() for note in shop.notes(batch.id)]
    assert sorted(note.service_cents for note in notes) == [note.service_cents for note in seen.notes]
    assert shop.problems(reading) == {
        FIRST + 1: ["template.unknown"],
        FIRST + 2: ["row.repeated"],
        FIRST + 4: ["amount.unreadable"],
    }


def test_takers_that_nobody_knows_are_named_once_and_not_made(shop: Workshop, tmp_path: Path):
    shop.assembled(*lines(1))
    again = cells(2, Valor="7,00", Discriminação="Outro")
    seen = previewed(shop, tmp_path, [cells(1, Valor="9,99"), cells(2), again])
    assert [(note.taker_document, note.row_number) for note in seen.newcomers] == [(company(2).number, FIRST + 1)]
    assert shop.asked("takers.create") == 1


def test_many_unknown_takers_cost_one_list(shop: Workshop, tmp_path: Path):
    shop.assembled(*lines(1))
    pages = -(-shop.sandbox.call("GET", "/api/v1/takers")[1]["count"] // 10)
    before = shop.asked("takers.list")
    seen = previewed(shop, tmp_path, [cells(number) for number in range(1, 42)])
    assert len(seen.newcomers) == 40
    assert shop.asked("takers.list") - before == pages


def test_a_large_sheet_is_judged_in_parts_like_a_small_one(shop: Workshop, tmp_path: Path):
    count = PART + 2
    rows = [*([cells(1)] * count), cells(2), cells(3, Valor="x")]
    seen = previewed(shop, tmp_path, rows)
    assert [note.row_number for note in seen.notes] == [FIRST, FIRST + count]
    found = {each.problem.code: each.rows for each in seen.reasons}
    assert found == {
        "row.repeated": tuple(range(FIRST + 1, FIRST + count)),
        "amount.unreadable": (FIRST + count + 1,),
    }
    assert {each.problem.params["first"] for each in seen.reasons if "first" in each.problem.params} == {FIRST}


def test_a_taker_that_could_not_be_made_refuses_its_row(shop: Workshop, tmp_path: Path):
    seen = previewed(shop, tmp_path, [cells(1, Cidade="", UF="", **{"CNPJ Emitente": SAO_PAULO})])
    assert {each.problem.code for each in seen.reasons} == {"taker.missing"}
    assert seen.notes == ()


def test_master_data_that_differ_are_listed_with_both_sides(shop: Workshop, tmp_path: Path):
    shop.assembled(*lines(1))
    seen = previewed(shop, tmp_path, [cells(1, Valor="9,99", **{"Razão Social": "Tomador Um Ltda"})])
    (found,) = seen.differences
    assert (found.field, found.sheet_says, found.provider_says) == ("name", "Tomador Um Ltda", "Tomador 1 Ltda")
    assert company(1).number not in str(found)


def test_rows_that_live_are_skipped_and_counted(shop: Workshop, tmp_path: Path):
    billed(shop, write_sheet(tmp_path / "mes.csv", [cells(1), cells(2)]))
    seen = previewed(shop, tmp_path, [cells(1), cells(2)])
    assert (seen.skipped_rows, seen.notes, seen.refused_rows) == (2, (), 0)
    other = previewed(shop, tmp_path, [cells(2), cells(3)])
    assert (other.skipped_rows, other.refused_rows, len(other.notes)) == (1, 0, 1)
    assert [each.problem.code for each in other.reasons] == ["row.living"]
    assert other.ranges[0].first == 3


def test_rows_that_live_are_skipped_for_the_month_asked_for(shop: Workshop, tmp_path: Path):
    billed(shop, write_sheet(tmp_path / "mes.csv", [cells(1)]))
    for month, words in ((None, "1 row has an invoice already and"), (this_month(), f"for {this_month():%Y-%m}, or")):
        seen = previewed(shop, tmp_path, [cells(1)], ReadingOptions(operator="Ana", competence=month))
        with shop.context() as context:
            (line_shown,) = [
                line for line in forecast_page(context.catalogue, seen).lines if "an invoice already" in line
            ]
        assert words in line_shown


def test_a_waived_retention_of_several_amounts_is_an_example(shop: Workshop, tmp_path: Path):
    rows = [cells(number, Modelo="Suporte Mensal", Valor=amount) for number, amount in ((1, "50,00"), (2, "60,00"))]
    seen = previewed(shop, tmp_path, rows)
    with shop.context() as context:
        page = forecast_page(context.catalogue, seen)
    (row,) = next(each.rows for each in page.sections if each.title == "Retentions that are not due")
    assert str(row[0]).startswith("For example: Income tax (IR) was not withheld: R$ 50,00")


def test_a_shared_serie_is_reported_before_any_billing(shop: Workshop, tmp_path: Path):
    shop.post_as_somebody_else(number=41)
    seen = previewed(shop, tmp_path, [cells(1)])
    assert [problem.code for problem in seen.remarks] == ["serie.in_use"]
    assert seen.ranges == ()
    assert len(seen.notes) == 1


def test_the_months_before_are_those_of_the_ledger(shop: Workshop, tmp_path: Path):
    shop.assembled(*lines(1))
    seen = previewed(shop, tmp_path, [cells(2, Valor="9,99")])
    (figures,) = seen.months.figures
    assert (figures.count, figures.cents, figures.count_before) == (2, 10_001 + 999, 0)


def test_the_budget_counts_what_is_still_to_be_asked(shop: Workshop, tmp_path: Path):
    seen = previewed(shop, tmp_path, [cells(1), cells(2)])
    assert seen.budget is not None
    before = shop.record()["requests_by_operation"]
    billed(shop, tmp_path / "mes.csv")
    after = shop.record()["requests_by_operation"]
    asked = sum(after.values()) - sum(before.values())
    assert asked == seen.budget.requests["resolve"] + seen.budget.requests["assemble"]


def test_the_budget_counts_updates_of_the_register(shop: Workshop, tmp_path: Path):
    shop.run(resolve_rows, shop.reading(*lines(3)))
    rows = [[*cells(1, Logradouro="Rua Nova"), "S"], [*cells(2), "S"], [*cells(3), ""], [*cells(4), "S"]]
    path = write_sheet(tmp_path / "mes.csv", rows, headers=(*HEADERS, "Atualizar cadastro"))
    seen = shop.run(forecast_file, path, ASKED)
    assert seen.budget is not None
    before = shop.record()["requests_by_operation"]
    billed(shop, path)
    after = shop.record()["requests_by_operation"]
    assert after["takers.update"] == 1
    asked = sum(after.values()) - sum(before.values())
    assert asked == seen.budget.requests["resolve"] + seen.budget.requests["assemble"]


def test_the_budget_counts_the_list_of_templates_for_rows_without_one(shop: Workshop, tmp_path: Path):
    options = ReadingOptions(operator="Ana", template="Suporte Mensal")
    rows = [cells(1, Modelo="", Discriminação="Consultoria"), cells(2, Modelo="")]
    seen = previewed(shop, tmp_path, rows, options)
    assert [each.problem.code for each in seen.reasons] == ["template.described"]
    assert seen.budget is not None
    before = shop.record()["requests_by_operation"]
    billed(shop, tmp_path / "mes.csv", options)
    after = shop.record()["requests_by_operation"]
    asked = sum(after.values()) - sum(before.values())
    assert asked == seen.budget.requests["resolve"] + seen.budget.requests["assemble"]


def test_a_provider_that_stumbles_stops_the_rehearsal_in_words(shop: Workshop, tmp_path: Path):
    shop.sandbox.control("faults", [fault("emitters.list", "status_500", count=9)])
    with pytest.raises(ConnectorError):
        previewed(shop, tmp_path, [cells(1)])
