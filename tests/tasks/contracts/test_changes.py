"""A person's changes of one contract, and the refused ones."""

from datetime import date
from pathlib import Path

import pytest

from connectors.ledger import contracts as ledger_contracts
from domain.contracts.contract import Adjustment, Pause
from domain.problems import FaturistaError
from tasks.contracts import changes
from tasks.contracts.plans import apply_contracts, plan_contracts
from tests.tasks.contracts.sheets import contract, write_contracts
from tests.tasks.workshop import Workshop

MARCH, MAY = date(2026, 3, 1), date(2026, 5, 1)


@pytest.fixture
def kept(shop: Workshop, tmp_path: Path) -> Workshop:
    """Return a ledger with two contracts; the second one quarterly."""
    path = write_contracts(tmp_path / "contratos.csv", [contract(1), contract(2, Periodicidade="trimestral")])
    with shop.context() as context:
        apply_contracts(context, plan_contracts(context, path), person="Ana", because="x")
    return shop


def test_every_change_is_kept_with_who_and_why(kept: Workshop) -> None:
    adjustment = Adjustment(competence=MARCH, cents=-500, reason="cortesia")
    with kept.context() as context:
        changes.pause_contract(context, "c-1", since=MAY, until=None, person="Ana", because="obra")
        changes.resume_contract(context, "C-1", since=date(2026, 7, 1), person="Bia", because="obra pronta")
        changes.adjust_contract(context, "C-1", adjustment, person="Ana")
        done = changes.end_contract(context, "C-1", last_on=date(2026, 12, 31), person="Ana", because="aviso prévio")
        assert changes.end_contract(context, "C-1", last_on=date(2026, 12, 31), person="Ana", because="y") == done
    assert done.contract.pauses == (Pause(since=MAY, until=date(2026, 6, 1)),)
    assert (done.contract.adjustments, done.contract.ends_on) == ((adjustment,), date(2026, 12, 31))
    versions = kept.read(ledger_contracts.versions_of, "C-1")
    history = [(each.ordinal, each.changed_by, each.because) for each in versions]
    assert history == [
        (1, "Ana", "x"),
        (2, "Ana", "obra"),
        (3, "Bia", "obra pronta"),
        (4, "Ana", "cortesia"),
        (5, "Ana", "aviso prévio"),
    ]
    with kept.context() as context:
        assert changes.end_contract(context, "C-1", last_on=None, person="Ana", because="z").contract.ends_on is None


def test_an_impossible_value_is_refused_in_words(kept: Workshop) -> None:
    by = {"person": "Ana", "because": "x"}
    with kept.context() as context:
        changes.pause_contract(context, "C-1", since=MARCH, until=MAY, **by)
        for code, act in (
            ("contract.unknown", lambda: changes.end_contract(context, "C-9", last_on=MAY, **by)),
            ("contract.end_before_start", lambda: changes.end_contract(context, "C-1", last_on=date(2025, 1, 1), **by)),
            ("contract.paused_already", lambda: changes.pause_contract(context, "C-1", since=MAY, until=None, **by)),
            ("contract.pause", lambda: changes.pause_contract(context, "C-2", since=MAY, until=MARCH, **by)),
            ("contract.not_paused", lambda: changes.resume_contract(context, "C-2", since=MAY, **by)),
            (
                "contract.not_charged",
                lambda: changes.adjust_contract(
                    context, "C-2", Adjustment(competence=MAY, cents=1, reason="x"), person="Ana"
                ),
            ),
        ):
            with pytest.raises(FaturistaError) as refused:
                act()
            assert refused.value.problem.code == code
            assert context.catalogue.explain(refused.value)
    assert len(kept.read(ledger_contracts.versions_of, "C-2")) == 1


def test_going_on_beside_a_successor_is_refused(kept: Workshop, tmp_path: Path) -> None:
    by = {"person": "Ana", "because": "x"}
    with kept.context() as context:
        changes.end_contract(context, "C-1", last_on=date(2026, 6, 30), **by)
        successor = contract(3, **{"CNPJ/CPF": contract(1)[2], "Início": "01/07/2026"})
        (plan,) = plan_contracts(context, write_contracts(tmp_path / "novo.csv", [successor]))
        apply_contracts(context, [plan], **by)
        with pytest.raises(FaturistaError) as refused:
            changes.end_contract(context, "C-1", last_on=None, **by)
    assert refused.value.problem.code == "contract.overlap"
