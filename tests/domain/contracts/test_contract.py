"""Contracts alone and compared with each other."""

from dataclasses import replace
from datetime import date

from domain.contracts.billing_day import BillingDay
from domain.contracts.contract import Adjustment, Contract, Index, Pause, contract_problems
from domain.documents import Document

PLAIN = Contract(
    key="C-1",
    emitter_cnpj="99000051000180",
    customer=Document("cnpj", "99000001000101"),
    customer_name="Padaria Sol Nascente Ltda",
    template_name="Mensalidade",
    cents=100_000,
    description="Mensalidade",
    starts_on=date(2026, 1, 1),
    ends_on=date(2026, 12, 31),
)


def test_json_reads_back_as_the_same_contract() -> None:
    full = replace(
        PLAIN,
        billing_day=BillingDay.of("last business day"),
        cadence_months=3,
        index=Index.IGPM,
        adjustments=(Adjustment(competence=date(2026, 4, 1), cents=-5, reason="ajuste"),),
        pauses=(Pause(since=date(2026, 7, 1)), Pause(since=date(2026, 2, 1), until=date(2026, 3, 1))),
    )
    assert Contract.from_json(full.to_json()) == full
    assert Contract.from_json(PLAIN.to_json()) == PLAIN


def test_each_fault_of_a_contract_is_reported() -> None:
    wrong = replace(
        PLAIN,
        cents=0,
        ends_on=date(2025, 12, 31),
        cadence_months=0,
        readjustment_bp=20_000,
        index=Index.IPCA,
        pauses=(Pause(since=date(2026, 3, 1), until=date(2026, 2, 1)),),
    )
    assert [problem.code for problem in contract_problems(wrong)] == [
        "contract.amount",
        "contract.end_before_start",
        "contract.cadence",
        "contract.two_readjustments",
        "contract.readjustment",
        "contract.pause",
    ]
    assert not list(contract_problems(PLAIN))
