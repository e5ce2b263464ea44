"""The terms of a contract in a workbook."""

from collections.abc import Mapping
from datetime import date
from typing import Final

import pytest

from domain.contracts.contract import Contract, Index
from domain.contracts.terms import (
    OPEN_END,
    REQUIRED,
    contract_changes,
    new_contract,
    read_cadence,
    read_index,
    revise_contract,
)
from domain.master_fields import Value

ROW_VALUES: Final[Mapping[str, Value]] = {
    "emitter_cnpj": "99000051000180",
    "document": "99000000130",
    "name": "Ana Lima",
    "template_name": "Mensalidade",
    "service_cents": 10_000,
    "starts_on": "2026-01-10",
}


def plain() -> Contract:
    made = new_contract("C-1", ROW_VALUES)
    assert isinstance(made, Contract)
    return made


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("Mensal", 1),
        ("a cada 2 meses", 2),
        ("Trimestral", 3),
        ("half-yearly", 6),
        ("ANUAL", 12),
        ("12", 12),
        ("x", None),
    ],
)
def test_cadences_as_people_write_them(text: str, months: int | None) -> None:
    assert read_cadence(text) == months


def test_indexes_as_people_write_them() -> None:
    assert [read_index(text) for text in ("IPCA", "igp-m", "IGP M", "INPC")] == [
        Index.IPCA,
        Index.IGPM,
        Index.IGPM,
        None,
    ]


def test_a_new_contract_needs_its_required_fields() -> None:
    refused = new_contract("C-1", {})
    assert isinstance(refused, list)
    assert [problem.field for problem in refused] == list(REQUIRED)
    made = plain()
    assert (made.customer.kind, made.starts_on, made.description) == ("cpf", date(2026, 1, 10), "")
    assert (made.billing_day.text, made.cadence_months, made.is_prorated) == ("dia 1 ou próximo dia útil", 1, True)


def test_an_index_and_a_percentage_exclude_each_other() -> None:
    indexed = revise_contract(plain(), {"readjustment": "ipca"})
    assert (indexed.index, indexed.readjustment_bp) == (Index.IPCA, None)
    fixed = revise_contract(indexed, {"readjustment": 450})
    assert (fixed.index, fixed.readjustment_bp) == (None, 450)
    assert revise_contract(fixed, {"readjustment": 0}).readjustment_bp is None


def test_changes_are_listed_field_by_field() -> None:
    ended = revise_contract(plain(), {"ends_on": "2026-12-31", "is_prorated": False})
    listed = [(each.field, each.was, each.becomes) for each in contract_changes(plain(), ended)]
    assert listed == [("ends_on", "", "31/12/2026"), ("is_prorated", "Sim", "Não")]
    assert revise_contract(ended, {"ends_on": OPEN_END}).ends_on is None
    assert contract_changes(plain(), plain()) == ()
