"""A workbook of contracts: shown first, written on order, dropped again without harm."""

from pathlib import Path

import pytest

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.contracts import write_version
from domain.contracts.contract import Index
from domain.problems import InputError
from tasks.contracts.plans import apply_contracts, plan_contracts
from tests.tasks.contracts.sheets import HEADERS, contract, write_contracts
from tests.tasks.workshop import Workshop, codes


def take(shop: Workshop, path: Path, *, apply: bool = True) -> dict[str, str]:
    """Plan, and apply. Return each contract's outcome, by key."""
    with shop.context() as context:
        plans = plan_contracts(context, path)
        if apply:
            plans = apply_contracts(context, plans, person="Ana", because=path.name)
    return {plan.who.split(" ")[0]: plan.status for plan in plans}


@pytest.mark.both_databases
def test_a_workbook_is_shown_written_and_dropped_again(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    path = write_contracts(
        tmp_path / "contratos.csv", [contract(1), contract(2, Reajuste="IPCA", Periodicidade="anual")]
    )
    assert take(shop, path, apply=False) == {"C-1": "new", "C-2": "new"}
    assert shop.read(ledger_contracts.contracts_all) == []
    assert take(shop, path) == {"C-1": "new", "C-2": "new"}
    assert take(shop, path) == {"C-1": "same", "C-2": "same"}
    first, second = shop.read(ledger_contracts.contracts_all)
    assert (first.contract.cents, first.contract.billing_day.text, first.contract.cadence_months) == (
        10_001,
        "dia 1",
        1,
    )
    assert (second.contract.index, second.contract.cadence_months) == (Index.IPCA, 12)
    assert (first.ordinal, first.changed_by, first.because) == (1, "Ana", "contratos.csv")


def test_a_change_is_a_new_version_and_the_old_one_stays(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    take(shop, write_contracts(tmp_path / "a.csv", [contract(1, Reajuste="IPCA"), contract(2)]))
    # Another spelling of the key is the same contract; an empty cell changes nothing.
    headers, row = (*HEADERS[:1], "Valor", "Reajuste", "Fim"), ["c 1", "150,00", "4,5%", ""]
    path = write_contracts(tmp_path / "b.csv", [row], headers=headers)
    with shop.context() as context:
        (plan,) = plan_contracts(context, path)
        changes = [(each.field, each.was, each.becomes) for each in plan.changes]
        assert changes == [("service_cents", "R$ 100,01", "R$ 150,00"), ("readjustment", "IPCA", "4,50%")]
        apply_contracts(context, [plan], person="Bia", because="reajuste")
    before, after = shop.read(ledger_contracts.versions_of, "C-1")
    assert (before.contract.cents, after.contract.cents, after.contract.index) == (10_001, 15_000, None)
    assert (after.ordinal, after.changed_by, after.because) == (2, "Bia", "reajuste")
    assert len(shop.read(ledger_contracts.contracts_all)) == 2


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"Fim": "31/12/2025"}, "contract.end_before_start"),
        ({"Valor": ""}, "row.required"),
        ({"Valor": "0"}, "contract.amount"),
        ({"Dia de Cobrança": "quando der"}, "contract.billing_day"),
        ({"Periodicidade": "às vezes"}, "contract.cadence_unreadable"),
        ({"Periodicidade": "61"}, "contract.cadence"),
        ({"Início": "ontem"}, "date.unreadable"),
        ({"Discriminação": "Plano {xpto}"}, "contract.placeholder"),
        ({"Discriminação": "Plano de {mês/ano"}, "contract.stray_brace"),
        ({"Discriminação": "{parcela} de {parcelas}"}, "contract.no_installments"),
        ({"CNPJ/CPF": "99.000.001/0001-00"}, "document.invalid"),
    ],
)
def test_a_bad_row_is_refused_with_its_reason(
    shop: Workshop, tmp_path: Path, changes: dict[str, str], code: str
) -> None:
    path = write_contracts(tmp_path / "contratos.csv", [contract(1), contract(2, **changes)])
    with shop.context() as context:
        good, bad = plan_contracts(context, path)
        assert (good.status, bad.status, codes(bad.problems)) == ("new", "refused", [code])
        assert context.catalogue.say(bad.problems[0])
        apply_contracts(context, [good, bad], person="Ana", because="x")
    assert [each.contract.key for each in shop.read(ledger_contracts.contracts_all)] == ["C-1"]


def test_two_contracts_for_one_service_are_both_named(shop: Workshop, tmp_path: Path) -> None:
    same = {"CNPJ/CPF": contract(1)[2], "Início": "01/03/2026"}
    path = write_contracts(tmp_path / "contratos.csv", [contract(1), contract(2, **same), contract(3)])
    with shop.context() as context:
        first, second, third = plan_contracts(context, path)
        assert codes([*first.problems, *second.problems, *third.problems]) == ["contract.overlap"] * 2
        assert (first.problems[0].params["other"], second.problems[0].params["other"]) == ("C-2", "C-1")
    take(shop, write_contracts(tmp_path / "a.csv", [contract(1)]))
    # Nor may one be added beside an existing one.
    assert take(shop, write_contracts(tmp_path / "b.csv", [contract(2, **same)]))["C-2"] == "refused"
    assert (
        take(shop, write_contracts(tmp_path / "c.csv", [contract(2, **same | {"Modelo": "Consultoria"})]))["C-2"]
        == "new"
    )


def test_rows_that_contradict_each_other_are_refused(shop: Workshop, tmp_path: Path) -> None:
    path = write_contracts(tmp_path / "contratos.csv", [contract(1), contract(1, Valor="7,00")])
    with shop.context() as context:
        (plan,) = plan_contracts(context, path)
    assert (plan.rows, plan.status, codes(plan.problems)) == ((2, 3), "refused", ["import.conflict"])


def test_an_amount_counts_as_that_of_the_start_and_says_so(shop: Workshop, tmp_path: Path) -> None:
    old, whole = {"Início": "01/01/2020", "Reajuste": "5%"}, "contract.amount_of_start"
    path = write_contracts(tmp_path / "a.csv", [contract(1, **old), contract(2, **(old | {"Reajuste": ""}))])
    with shop.context() as context:
        assert [codes(plan.problems) for plan in plan_contracts(context, path)] == [[whole], []]
    take(shop, path)
    for changed, found in (({"Valor": "99,00"}, [whole]), ({"Discriminação": "Outra"}, [])):
        path = write_contracts(tmp_path / "b.csv", [contract(1, **old, **changed)])
        with shop.context() as context:
            (plan,) = plan_contracts(context, path)
            assert (plan.status, codes(plan.problems)) == ("changed", found)


def test_an_unreadable_row_is_named_by_its_key(shop: Workshop, tmp_path: Path) -> None:
    path = write_contracts(tmp_path / "contratos.csv", [contract(1, Valor="abc"), contract(2, Contrato="")])
    with shop.context() as context:
        assert [(plan.who, plan.status) for plan in plan_contracts(context, path)] == [
            ("C-1", "refused"),
            ("", "refused"),
        ]


@pytest.mark.both_databases
def test_a_contract_changed_meanwhile_is_not_overwritten(each_shop: Workshop, tmp_path: Path) -> None:
    shop = each_shop
    take(shop, write_contracts(tmp_path / "a.csv", [contract(1)]))
    with shop.context() as context:
        plans = plan_contracts(context, write_contracts(tmp_path / "b.csv", [contract(1, Valor="7,00")]))
        (record,) = context.ledger.read(ledger_contracts.contracts_all)
        assert context.ledger.write(write_version, record.contract, after=1, by="Bia", because="x")
        (done,) = apply_contracts(context, plans, person="Ana", because="y")
    assert (done.status, codes(done.problems)) == ("refused", ["contract.changed_meanwhile"])
    assert len(shop.read(ledger_contracts.versions_of, "C-1")) == 2


def test_a_sheet_without_keys_is_refused_as_a_whole(shop: Workshop, tmp_path: Path) -> None:
    path = write_contracts(tmp_path / "x.csv", [contract(1)[1:]], headers=HEADERS[1:])
    with shop.context() as context, pytest.raises(InputError):
        plan_contracts(context, path)
