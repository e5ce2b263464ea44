"""This month compared with the last: new takers, missing takers, changed amounts and duplicates."""

from datetime import date

import pytest

from domain.forecasts.month_comparison import BilledNote, Change, compare_months, month_before
from domain.forecasts.planned_invoices import PlannedNote

NOVEMBER, OCTOBER, SEPTEMBER = date(2026, 11, 1), date(2026, 10, 1), date(2026, 9, 1)
ANA, BIA, CEU = "99000000000191", "99000000000272", "99000000000353"


def planned(document: str, cents: int = 10_000, template: str = "Consultoria", **more: object) -> PlannedNote:
    return PlannedNote(
        kind=str(more.get("kind", "service")),
        emitter_cnpj="99000001000101",
        emitter_name="Marés",
        competence=NOVEMBER,
        sheet="Nov",
        row_number=1,
        taker_document=document,
        taker_name=f"T{document[-3:]}",
        service_cents=cents,
        liquid_cents=cents,
        template=template,
    )


def billed(document: str, month: date, cents: int = 10_000, kind: str = "service") -> BilledNote:
    return BilledNote(
        kind=kind,
        emitter_cnpj="99000001000101",
        emitter_name="Marés",
        competence=month,
        taker_document=document,
        taker_name=f"T{document[-3:]}",
        template="Consultoria",
        service_cents=cents,
    )


def kinds(changes: tuple[Change, ...]) -> list[tuple[str, str]]:
    return [(change.kind, change.taker_document) for change in changes]


def test_a_first_month_has_figures_and_nothing_to_compare():
    found = compare_months([planned(ANA)], [], unusual_bp=2_000)
    assert found.changes == ()
    assert (found.figures[0].count, found.figures[0].cents, found.figures[0].change_bp) == (1, 10_000, None)
    assert not found.figures[0].is_unusual


def test_newcomers_and_the_missing_are_named():
    history = [billed(ANA, OCTOBER), billed(BIA, OCTOBER), billed(BIA, SEPTEMBER), billed(ANA, SEPTEMBER)]
    found = compare_months([planned(ANA), planned(CEU)], history, unusual_bp=2_000)
    assert kinds(found.changes) == [("missing", BIA), ("newcomer", CEU)]


def test_takers_billed_by_other_files_are_neither_new_nor_gone():
    history = [billed(ANA, OCTOBER), billed(BIA, OCTOBER), billed(BIA, NOVEMBER, 90_000), billed(CEU, NOVEMBER)]
    found = compare_months([planned(ANA)], history, unusual_bp=2_000)
    assert found.changes == ()
    assert found.figures[0].count == 3


def test_one_bill_in_two_months_makes_no_regular_customer():
    history = [billed(ANA, OCTOBER), billed(BIA, OCTOBER), billed(ANA, SEPTEMBER)]
    assert compare_months([planned(ANA)], history, unusual_bp=2_000).changes == ()
    one_month = [each for each in history if each.competence == OCTOBER]
    assert compare_months([planned(ANA)], one_month, unusual_bp=2_000).changes == ()


def test_a_customer_of_a_row_without_an_invoice_is_not_missing():
    history = [billed(document, month) for document in (ANA, BIA, CEU) for month in (OCTOBER, SEPTEMBER)]
    found = compare_months([planned(ANA)], history, unusual_bp=2_000, left_customers=lambda: {BIA})
    assert kinds(found.changes) == [("missing", CEU)]


def test_a_taker_that_paused_a_month_is_not_new():
    history = [billed(ANA, OCTOBER), billed(CEU, SEPTEMBER)]
    assert compare_months([planned(ANA), planned(CEU)], history, unusual_bp=20_000).changes == ()


@pytest.mark.parametrize(("cents", "is_reported"), [(12_000, False), (12_001, True), (8_000, False), (7_999, True)])
def test_an_amount_is_reported_only_outside_the_band(cents: int, is_reported: bool):
    found = compare_months([planned(ANA, cents)], [billed(ANA, OCTOBER)], unusual_bp=2_000)
    assert kinds(found.changes) == ([("amount", ANA)] if is_reported else [])
    assert found.figures[0].is_unusual == is_reported


def test_the_same_service_twice_counts_what_lives_already():
    history = [billed(ANA, OCTOBER), billed(ANA, NOVEMBER)]
    found = compare_months([planned(ANA)], history, unusual_bp=20_000)
    assert kinds(found.changes) == [("twice", ANA)]
    assert found.figures[0].count == 2


def test_duplicates_need_no_earlier_month():
    found = compare_months([planned(ANA, 5), planned(BIA)], [billed(ANA, NOVEMBER)], unusual_bp=2_000)
    assert kinds(found.changes) == [("twice", ANA)]


def test_two_a_month_are_usual_for_who_had_two():
    history = [billed(ANA, OCTOBER), billed(ANA, OCTOBER)]
    assert compare_months([planned(ANA), planned(ANA)], history, unusual_bp=2_000).changes == ()


def test_a_shops_customers_come_and_go():
    found = compare_months([planned(ANA, kind="nfce")], [billed(BIA, OCTOBER, kind="nfce")], unusual_bp=2_000)
    assert found.changes == ()
    assert found.figures[0].change_bp == 0


def test_the_month_before_january_is_december():
    assert month_before(date(2026, 1, 31)) == date(2025, 12, 1)
