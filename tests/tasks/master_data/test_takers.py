"""Customers from a sheet: shown before anything is written, and written once."""

from pathlib import Path
from typing import Any

from connectors.nfse.issuing.parties import customer_data
from domain.parties import TakerData
from tasks.master_data.takers import TakerPlan, apply_takers, count_changes, plan_takers
from tasks.runtime import Runtime
from tests.tasks.rows import company
from tests.tasks.workshop import Workshop, fault

HEADERS = ("CNPJ/CPF", "Razão Social", "E-mail", "Logradouro", "Número", "Bairro", "CEP", "Cidade", "UF")
PLACE = ("Rua das Laranjeiras", "10", "Centro", "01310-100", "São Paulo", "SP")


def row(number: int, name: str, email: str = "", street: str = PLACE[0]) -> list[str]:
    return [company(number).formatted, name, email, street, *PLACE[1:]]


def sheet(path: Path, *rows: list[str]) -> Path:
    path.write_text("\n".join(";".join(line) for line in (HEADERS, *rows)) + "\n", encoding="utf-8")
    return path


def planned(shop: Workshop, path: Path) -> list[TakerPlan]:
    return shop.run(plan_takers, path)


def applied(shop: Workshop, path: Path) -> list[TakerPlan]:
    async def work(runtime: Runtime) -> list[TakerPlan]:
        return await apply_takers(runtime, await plan_takers(runtime, path))

    return shop.run(work)


def held(shop: Workshop, number: int) -> TakerData:
    """Return the customer at the provider."""
    _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(number).number}")
    _, taker, _ = shop.sandbox.call("GET", f"/api/v1/takers/{found['collection'][0]['id']}")
    return customer_data(taker)


def writes(shop: Workshop) -> list[Any]:
    return [each["method"] for each in shop.record()["requests"] if each["method"] != "GET"]


def test_nothing_is_written_before_a_person_says_so(shop: Workshop, tmp_path: Path):
    path = sheet(tmp_path / "c.csv", row(1, "Um Ltda", "a@um.example"), row(2, "Dois Ltda"))
    assert [plan.status for plan in planned(shop, path)] == ["new", "new"]
    assert writes(shop) == []


def test_customers_are_created_changed_and_then_the_same(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    applied(shop, sheet(tmp_path / "a.csv", row(1, "Um Ltda", "a@um.example"), row(2, "Dois Ltda")))
    changed = sheet(
        tmp_path / "b.csv", row(1, "Um Ltda", "b@um.example", "Rua Nova"), row(2, "Dois Ltda"), row(3, "Três")
    )
    plans = planned(shop, changed)
    assert [plan.status for plan in plans] == ["changed", "same", "new"]
    statuses, groups = count_changes(plans)
    assert (statuses["changed"], dict(groups)) == (1, {"email": 1, "address": 1})
    applied(shop, changed)
    assert (held(shop, 1).emails, held(shop, 1).street) == (("b@um.example",), "Rua Nova")
    # Fields that the sheet did not change are as before.
    assert (held(shop, 1).number, held(shop, 1).city_code) == ("10", "3550308")
    assert [plan.status for plan in planned(shop, changed)] == ["same", "same", "same"]


def test_rows_that_contradict_each_other_are_refused_together(shop: Workshop, tmp_path: Path):
    path = sheet(tmp_path / "c.csv", row(1, "Um Ltda"), row(1, "Outro Nome"), row(2, "Dois"), ["x", "Sem documento"])
    plans = planned(shop, path)
    assert [(plan.rows, plan.status) for plan in plans] == [((2, 3), "refused"), ((4,), "new"), ((5,), "refused")]
    assert plans[0].problems[0].code == "taker.conflict"


def test_a_customer_with_an_unsent_invoice_stays_unchanged(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    shop.staged(1)
    path = sheet(tmp_path / "c.csv", row(1, "Tomador 1 Ltda", "novo@um.example"))
    before = held(shop, 1)
    assert [plan.status for plan in applied(shop, path)] == ["waits"]
    assert held(shop, 1) == before


def test_an_answer_that_was_lost_is_looked_up(shop: Workshop, tmp_path: Path):
    path = sheet(tmp_path / "c.csv", row(1, "Um Ltda"))
    shop.sandbox.faults(fault("takers.create", "lose_answer"))
    assert [plan.status for plan in applied(shop, path)] == ["new"]
    assert held(shop, 1).name == "Um Ltda"
    changed = sheet(tmp_path / "d.csv", row(1, "Um Ltda", "b@um.example"))
    shop.sandbox.faults(fault("takers.update", "status_500"))
    refused = applied(shop, changed)
    assert [(plan.status, plan.problems[0].code) for plan in refused] == [("refused", "taker.not_created")]
    assert [plan.status for plan in applied(shop, changed)] == ["changed"]
    assert held(shop, 1).emails == ("b@um.example",)
