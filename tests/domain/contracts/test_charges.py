"""What a contract bills in a month, to the cent."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from domain.competence import add_months
from domain.contracts.billing_day import BillingDay
from domain.contracts.charges import ContractCharge, charge_of, equal_charge, readjust_amount
from domain.contracts.contract import Adjustment, Contract, Index, Pause
from domain.contracts.schedule import period_of
from domain.documents import Document
from domain.problems import Problem

CUSTOMER = Document("cnpj", "99000001000101")
NO_HOLIDAY: Callable[[date], bool] = lambda _: False  # noqa: E731


def contract(**changes: object) -> Contract:
    plain = Contract(
        key="C-1",
        emitter_cnpj="99000051000180",
        customer=CUSTOMER,
        customer_name="Padaria Sol Nascente Ltda",
        template_name="Mensalidade",
        cents=100_000,
        description="Mensalidade de {mês/ano}",
        starts_on=date(2026, 1, 1),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def charge(wanted: Contract, month: date, indexes: dict[tuple[Index, date], Decimal] | None = None) -> ContractCharge:
    found = charge_of(wanted, month, indexes=indexes or {}, is_holiday=NO_HOLIDAY)
    assert isinstance(found, ContractCharge), found
    return found


def nothing(wanted: Contract, month: date) -> bool:
    return charge_of(wanted, month, indexes={}, is_holiday=NO_HOLIDAY) is None


def test_whole_month_costs_the_whole_amount() -> None:
    found = charge(contract(), date(2026, 2, 1))
    assert (found.cents, found.description) == (100_000, "Mensalidade de 02/2026")
    assert not found.remarks


def test_first_and_last_month_are_billed_by_days() -> None:
    cut = contract(starts_on=date(2026, 1, 17), ends_on=date(2026, 3, 10))
    assert charge(cut, date(2026, 1, 1)).cents == 48_387  # 15 of 31 days: 48387.09…
    assert charge(cut, date(2026, 2, 1)).cents == 100_000
    assert charge(cut, date(2026, 3, 1)).cents == 32_258  # 10 of 31 days: 32258.06…
    assert charge(cut, date(2026, 3, 1)).remarks[0].code == "contract.prorated"
    assert nothing(cut, date(2026, 4, 1))
    assert nothing(cut, date(2025, 12, 1))


def test_without_proration_a_part_costs_the_whole() -> None:
    assert charge(contract(starts_on=date(2026, 1, 31), is_prorated=False), date(2026, 1, 1)).cents == 100_000


def test_cadence_bills_each_nth_month() -> None:
    quarterly = contract(cadence_months=3, ends_on=date(2026, 12, 31), description="{parcela} de {parcelas}: {período}")
    assert [month for month in range(1, 13) if not nothing(quarterly, date(2026, month, 1))] == [1, 4, 7, 10]
    assert charge(quarterly, date(2026, 4, 1)).description == "2 de 4: 01/04/2026 a 30/06/2026"


def test_pause_bills_nothing_and_keeps_the_numbering() -> None:
    paused = contract(description="Parcela {parcela}", pauses=(Pause(since=date(2026, 3, 1), until=date(2026, 4, 1)),))
    assert nothing(paused, date(2026, 3, 1))
    assert nothing(paused, date(2026, 4, 1))
    assert charge(paused, date(2026, 5, 1)).description == "Parcela 5"
    assert nothing(contract(pauses=(Pause(since=date(2026, 3, 1)),)), date(2030, 1, 1))


def test_percentage_readjusts_each_anniversary() -> None:
    yearly = contract(readjustment_bp=450)
    assert charge(yearly, date(2026, 12, 1)).cents == 100_000
    assert charge(yearly, date(2026, 12, 1)).remarks == ()
    assert charge(yearly, date(2027, 1, 1)).cents == 104_500
    assert [each.code for each in charge(yearly, date(2027, 1, 1)).remarks] == ["contract.readjusted"]
    assert charge(yearly, date(2028, 1, 1)).cents == 109_203  # 109202.5, half up


def test_index_readjusts_by_the_published_year() -> None:
    values = {(Index.IPCA, add_months(date(2025, 12, 1), month)): Decimal("0.50") for month in range(12)}
    indexed = contract(index=Index.IPCA)
    assert charge(indexed, date(2027, 1, 1), values).cents == 106_168  # 1.005 ** 12 = 1.0616778…


def test_missing_index_month_is_named() -> None:
    values = {(Index.IPCA, add_months(date(2025, 12, 1), month)): Decimal("0.50") for month in range(11)}
    found = charge_of(contract(index=Index.IPCA), date(2027, 1, 1), indexes=values, is_holiday=NO_HOLIDAY)
    assert found == [Problem("contract.index_missing", "index", params={"index": "IPCA", "months": "11/2026"})]


def test_adjustments_change_one_month_alone() -> None:
    extra = Adjustment(competence=date(2026, 2, 1), cents=2_500, reason="horas extras")
    less = Adjustment(competence=date(2026, 3, 1), cents=-100_000, reason="cortesia")
    changed = contract(adjustments=(extra, less))
    assert charge(changed, date(2026, 2, 1)).cents == 102_500
    refused = charge_of(changed, date(2026, 3, 1), indexes={}, is_holiday=NO_HOLIDAY)
    assert [each.code for each in refused or ()] == ["contract.nothing_left"]  # type: ignore[union-attr]
    assert charge(changed, date(2026, 4, 1)).cents == 100_000


def test_unknown_placeholder_is_refused_in_words() -> None:
    found = charge_of(contract(description="{mes} {valor}"), date(2026, 2, 1), indexes={}, is_holiday=NO_HOLIDAY)
    assert [(each.code, each.params["placeholder"]) for each in found or ()] == [  # type: ignore[union-attr]
        ("contract.placeholder", "valor")
    ]


def test_doubled_braces_are_a_placeholder_and_leave_no_brace() -> None:
    assert charge(contract(description="Mensalidade de {{mês/ano}}"), date(2026, 2, 1)).description == (
        "Mensalidade de 02/2026"
    )


def test_a_brace_of_no_placeholder_is_refused_in_words() -> None:
    found = charge_of(contract(description="Taxa {mês/ano"), date(2026, 2, 1), indexes={}, is_holiday=NO_HOLIDAY)
    assert [each.code for each in found or ()] == ["contract.stray_brace"]  # type: ignore[union-attr]


def test_count_of_installments_needs_an_end() -> None:
    found = charge_of(contract(description="{parcela}/{parcelas}"), date(2026, 2, 1), indexes={}, is_holiday=NO_HOLIDAY)
    assert [each.code for each in found or ()] == ["contract.no_installments"]  # type: ignore[union-attr]


@given(
    st.integers(1_000, 10**9), st.dates(date(2026, 1, 1), date(2026, 12, 31)), st.integers(0, 400), st.integers(1, 12)
)
def test_a_part_never_costs_more_than_the_whole(cents: int, start: date, days: int, cadence: int) -> None:
    end = date.fromordinal(start.toordinal() + days)
    wanted = contract(cents=cents, starts_on=start, ends_on=end, cadence_months=cadence)
    month = date(start.year, start.month, 1)
    covered = 0
    while month <= end:
        found = charge_of(wanted, month, indexes={}, is_holiday=NO_HOLIDAY)
        if isinstance(found, ContractCharge):
            covered += period_of(wanted, month).days
            assert 0 <= found.cents <= readjust_amount(wanted, month, {})[0]
        month = add_months(month, 1)
    assert covered == days + 1  # Every day of the contract is billed exactly once.


def test_two_versions_charge_the_same_or_not() -> None:
    november, old = date(2026, 11, 1), contract(cadence_months=3, starts_on=date(2026, 11, 1), description="Plano")

    def is_equal(**changes: object) -> bool:
        new = replace(old, **changes)  # type: ignore[arg-type]
        return equal_charge(old, new, november, indexes={}, is_holiday=NO_HOLIDAY) is not None

    assert is_equal(pauses=(Pause(since=date(2026, 12, 1)),))
    assert is_equal(adjustments=(Adjustment(competence=date(2026, 12, 1), cents=5, reason="x"),))
    for changes in (
        {"cents": 5},
        {"customer": Document("cnpj", "99000002000101")},
        {"customer_name": "Outro"},
        {"template_name": "Outro"},
        {"emitter_cnpj": "99000052000180"},
        {"description": "Outra"},
        {"cadence_months": 1},
        {"billing_day": BillingDay(day=20, shift="none")},
        {"adjustments": (Adjustment(competence=november, cents=5, reason="x"),)},
        {"pauses": (Pause(since=november),)},
        {"starts_on": date(2026, 12, 1)},
    ):
        assert not is_equal(**changes), changes
