"""Assembling: a good row becomes one drafted invoice, and a repeat or a doubtful sum becomes none."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from connectors.ledger import rows
from domain.competence import add_months
from domain.states import InvoiceState, RowState
from domain.station_result import StationResult
from tasks.runtime import Runtime
from tasks.stations.assemble import assemble_rows
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.tasks.rows import SAO_PAULO, line, lines, person, taker, this_month
from tests.tasks.services.test_paging import MORE_THAN_A_PART
from tests.tasks.workshop import Workshop, fault


def assembled(shop: Workshop, *asked, **options) -> dict[int, list[str]]:
    """Return problem codes by row number; the first row is 5."""
    reading, _ = shop.assembled(*asked, **options)
    return shop.problems(reading)


def drafts(shop: Workshop) -> int:
    return sum(len(shop.notes(batch.id)) for batch in shop.batches())


def rejected(shop: Workshop, *asked) -> int:
    """Return the batch of these rows, all of which the city rejects."""
    shop.sandbox.switch(rejection_share=1.0)
    _, (batch,) = shop.assembled(*asked)
    for station in (stage_batch, release_batch, reconcile_batch):
        shop.run(station, batch)
        shop.approve()
    shop.follow(batch)
    shop.sandbox.switch(rejection_share=0.0)
    assert set(shop.states(batch)) == {InvoiceState.REJECTED}
    return batch


def test_each_good_row_is_one_draft_with_a_number(each_shop: Workshop):
    shop = each_shop
    reading = shop.reading(line(1), line(2, template_name="Consultoria", service_cents=100_000))
    shop.run(resolve_rows, reading)
    result = shop.run(assemble_rows, reading)
    assert (result.ending, dict(result.counts)) == ("done", {"drafted": 2, "refused": 0, "batches": 1})
    first, second = shop.notes(shop.batches()[0].id)
    assert (first.service_cents, first.liquid_cents, first.competence) == (10_001, 10_001, this_month())
    assert (second.service_cents, second.liquid_cents) == (100_000, 93_850)
    content = json.loads(second.content)
    assert not {"batch_id", "serie", "number", "emission_at"} & content.keys()
    assert content["amounts"]["iss_cents"] == 5_000
    assert {row.state for row in shop.rows(reading)} == {RowState.ASSEMBLED}


def test_run_again_it_drafts_nothing(each_shop: Workshop):
    shop = each_shop
    reading, _ = shop.assembled(*lines(3))
    assert dict(shop.run(assemble_rows, reading).counts) == {"drafted": 0, "refused": 0, "batches": 0}
    assert drafts(shop) == 3


def test_a_run_that_died_after_drafting_is_planned_by_the_next(shop: Workshop):
    reading, (batch,) = shop.assembled(*lines(2))
    shop.tamper("UPDATE invoices SET state = 'drafted', batch_id = NULL, number = NULL, serie = NULL")
    shop.tamper("DELETE FROM numbers")
    shop.tamper(f"DELETE FROM batches WHERE id = {batch}")
    assert dict(shop.run(assemble_rows, reading).counts) == {"drafted": 0, "refused": 0, "batches": 1}


def test_a_template_with_another_net_amount_is_not_used(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("service_values.calculate", "altered", fields={"liquid_amount": "93.84"}))
    found = assembled(
        shop,
        line(1, template_name="Consultoria"),
        line(2, template_name="Consultoria"),
        line(3, template_name="Suporte Mensal"),
    )
    # The first template to be checked is the one that differs, whichever of the two it is.
    assert sorted(found.values()) in ([["template.calculation_differs"]] * 2, [["template.calculation_differs"]])
    assert drafts(shop) == 3 - len(found)
    assert shop.asked("service_values.calculate") == 2


def test_a_templates_calculation_is_compared_at_its_largest(shop: Workshop):
    """A rate that somebody changed meanwhile shows only above the minimum of its tax."""
    small, large = (
        line(number, template_name="Consultoria", service_cents=cents) for number, cents in ((1, 10_000), (2, 100_000))
    )
    reading = shop.reading(small, large, small)
    shop.run(resolve_rows, reading)
    _, found, _ = shop.sandbox.call("GET", "/api/v1/service-values?emitter_id=1&name=Consultoria")
    (template,) = found["collection"]
    shop.sandbox.call("PATCH", f"/api/v1/service-values/{template['id']}", {"ir_percentage": "2.50"})
    shop.run(assemble_rows, reading)
    assert shop.asked("service_values.calculate") == 1
    assert list(shop.problems(reading).values()) == [["template.calculation_differs"]] * 3
    (problem,) = shop.rows(reading)[0].problems
    assert (problem.params["service"], problem.params["ours"], problem.params["theirs"]) == (
        "R$ 1.000,00",
        "R$ 938,50",
        "R$ 928,50",
    )


def test_a_withheld_iss_is_billed_only_once_the_provider_agrees(shop: Workshop):
    """Nobody ever saw how the provider computes one: its own calculation is the proof."""
    withheld = line(1, emitter_cnpj=SAO_PAULO, template_name="Licença Anual")
    assert assembled(shop, withheld) == {}
    note = shop.notes(shop.batches()[0].id)[0]
    assert (note.amounts["retained_iss_cents"], note.liquid_cents) == (200, 9_801)
    # Withheld by the row alone: the provider did not confirm that.
    assert assembled(shop, line(2, retained_iss=True)) == {5: ["amount.unconfirmed"]}


def test_a_row_repeated_in_the_file_is_billed_once(each_shop: Workshop):
    shop = each_shop
    reading, _ = shop.assembled(line(1), line(2), line(1), line(1, description="  CONTRATO   1 "))
    assert shop.problems(reading) == {7: ["row.repeated"], 8: ["row.repeated"]}
    assert shop.rows(reading)[2].problems[0].params == {"first": 5}
    assert drafts(shop) == 2


def test_a_row_that_another_file_has_billed_is_refused(each_shop: Workshop):
    shop = each_shop
    shop.assembled(*lines(2))
    reading, made = shop.assembled(line(2), line(3))
    assert shop.problems(reading) == {5: ["row.living"]}
    assert shop.rows(reading)[0].problems[0].params == {"serie": "F", "number": 2}
    assert len(made) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"service_cents": 10_002},
        {"description": "Outro contrato"},
        {"template_name": "Suporte Mensal"},
        {"emitter_cnpj": SAO_PAULO},
        {"taker": taker(2)},
        {"competence": add_months(this_month(), -1)},
        {"own_key": "A-1"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_billed_difference_makes_another_row(shop: Workshop, change):
    assert assembled(shop, line(1), line(1, **change)) == {}
    assert drafts(shop) == 2


def test_a_key_of_the_users_own_decides_alone(shop: Workshop):
    shop.assembled(line(1, own_key="A-1"))
    # Another amount under the same key is the same charge; equal rows under two keys are two.
    assert assembled(shop, line(1, own_key="a-1", service_cents=5), line(1, own_key="A-2")) == {5: ["row.living"]}


def test_an_unchanged_rejected_row_is_not_issued_again(each_shop: Workshop):
    shop = each_shop
    batch = rejected(shop, line(1))
    found = assembled(shop, line(1))
    assert found == {5: ["row.rejected_unchanged"]}
    assert len(shop.batches()) == 1
    assert shop.notes(batch)[0].number == 1


def test_a_rejected_row_is_issued_again_if_corrected_or_wanted(shop: Workshop):
    rejected(shop, line(1), line(2))
    mended = line(1, service_item_code="0107", city_tax_code="010701", iss_bp=500)
    assert assembled(shop, mended) == {}
    assert assembled(shop, line(2), retry_rejected=True) == {}
    assert [note.number for batch in shop.batches() for note in shop.notes(batch.id)] == [1, 2, 3, 4]


def test_equal_rows_are_billed_where_somebody_allows_it(each_shop: Workshop):
    shop = each_shop
    assert assembled(shop, line(1), line(1), allow_repeats=True) == {}
    assert drafts(shop) == 2
    assert assembled(shop, line(1), allow_repeats=True) == {}
    assert drafts(shop) == 3


def test_an_allowed_repeat_is_a_repeat_again_the_next_time(each_shop: Workshop):
    """Permission for two equal rows of one file must not permit the whole file under another name."""
    shop = each_shop
    shop.assembled(line(1), line(1), line(2), allow_repeats=True)
    assert assembled(shop, line(1), line(2), line(3)) == {5: ["row.living"], 6: ["row.living"]}


def test_to_allow_repeats_is_not_to_retry_what_was_rejected(shop: Workshop):
    file = shop.file(77)
    shop.sandbox.switch(rejection_share=1.0)
    reading = shop.reading(line(1), line(1), file_id=file, allow_repeats=True)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    shop.approve()
    shop.run(release_batch, batch.id)
    shop.follow(batch.id)
    again = shop.reading(line(1), line(1), file_id=file, allow_repeats=True)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, again)
    # The first repeats nothing living; the second is a repeat, and was rejected itself.
    assert shop.problems(again) == {5: ["row.rejected_unchanged"], 6: ["row.rejected_unchanged"]}


@pytest.mark.both_databases
def test_one_of_two_simultaneous_drafts_is_a_repeat(each_shop: Workshop):
    shop = each_shop
    readings = [shop.reading(line(1)), shop.reading(line(1))]
    for reading in readings:
        shop.run(resolve_rows, reading)

    async def both(runtime: Runtime) -> list[StationResult]:
        return list(await asyncio.gather(*(assemble_rows(runtime, reading) for reading in readings)))

    results = shop.run(both)
    assert sum(result.counts["drafted"] for result in results) == 1
    (refused,) = [codes for reading in readings for codes in shop.problems(reading).values()]
    assert refused in (["row.overtaken"], ["row.living"], ["row.living_unnumbered"])
    assert drafts(shop) == 1


def test_dates_that_cannot_be_issued_are_refused(shop: Workshop):
    now = datetime.now(UTC)
    found = assembled(
        shop,
        line(1, competence=add_months(this_month(), 1)),
        line(2, competence=add_months(this_month(), -2)),
        line(3, emission_at=now - timedelta(days=9)),
        line(4, emission_at=now + timedelta(hours=1)),
        line(5, competence=None),
        line(6),
    )
    assert found[5][0] == "competence.future"
    assert found[6] == ["date.emission_outside"]
    assert found[7] == ["date.emission_old"]
    assert found[8][0] == "date.emission_future"
    assert found[9] == ["competence.missing"]
    assert set(found) == {5, 6, 7, 8, 9}


@pytest.mark.parametrize("days", [-70, 70])
def test_dates_are_judged_by_the_ledgers_clock(shop: Workshop, days: int):
    reading = shop.reading(*lines(1))
    shop.run(resolve_rows, reading)
    shop.run_ahead(timedelta(days=days), assemble_rows, reading)
    assert shop.problems(reading) == {}


def test_a_certain_rejection_is_refused_before_the_request(shop: Workshop):
    federal = {"template_name": "Consultoria", "service_cents": 100_000, "taker": taker(1, document=person(1))}
    assert assembled(shop, line(1, **federal), line(2, **federal, emitter_cnpj=SAO_PAULO)) == {
        5: ["city.federal_retentions_of_cpf"]
    }


def test_an_amount_beyond_all_bounds_refuses_its_row_alone(shop: Workshop):
    """It must not reach the provider's calculation, whose refusal would stop the whole file."""
    assert assembled(shop, line(1), line(2, service_cents=10**16)) == {6: ["amount.out_of_range"]}


def test_a_deleted_template_refuses_only_its_rows(shop: Workshop):
    reading = shop.reading(line(1), line(2, template_name="Consultoria"))
    shop.run(resolve_rows, reading)
    shop.sandbox.call("DELETE", "/api/v1/service-values/1")
    shop.run(assemble_rows, reading)
    assert shop.problems(reading) == {5: ["template.gone"]}
    assert drafts(shop) == 1


def test_a_problem_says_where_it_is(shop: Workshop):
    reading, _ = shop.assembled(line(1), line(1))
    (problem,) = shop.rows(reading)[1].problems
    assert (problem.where.sheet, problem.where.row) == ("Faturamento", 6)


def test_rows_in_different_parts_of_a_large_file_are_one_file(shop: Workshop):
    """A repeat finds the first row, and each calculation is requested once, with the largest amount."""
    between = [line(9, service_cents=500, description=f"Mensalidade {n}") for n in range(MORE_THAN_A_PART)]
    reading, batches = shop.assembled(line(1), *between, line(2, service_cents=90_000), line(1))
    last = 5 + len(between) + 2
    assert shop.problems(reading) == {last: ["row.repeated"]}
    (problem,) = shop.read(rows.rows_at, 1, row_number=last)[0].problems
    assert problem.params == {"first": 5}
    assert shop.asked("service_values.calculate") == 1
    assert sum(shop.batch(batch).count for batch in batches) == len(between) + 2
