"""Emitters from a sheet: their data may change; their CNPJ, certificate and latest RPS never do."""

from pathlib import Path
from typing import Any

import pytest

from tasks.master_data.emitters import apply_emitters, plan_emitters
from tasks.master_data.plans import MasterPlan
from tasks.runtime import Runtime
from tests.tasks.master_data.test_takers import writes
from tests.tasks.master_data.test_templates import statuses_and_codes
from tests.tasks.rows import RIO, company
from tests.tasks.workshop import Workshop, fault

HEADERS = (
    "CNPJ",
    "Razão Social",
    "E-mail",
    "Telefone",
    "CEP",
    "Cidade",
    "Optante pelo Simples",
    "Senha",
    "Última Série",
)
NAME = "Marés Consultoria Ltda"


def row(cnpj: str, *values: str) -> list[str]:
    return [cnpj, *values, *[""] * (len(HEADERS) - 1 - len(values))]


def sheet(path: Path, *rows: list[str]) -> Path:
    path.write_text("\n".join(";".join(line) for line in (HEADERS, *rows)) + "\n", encoding="utf-8")
    return path


def applied(shop: Workshop, path: Path) -> list[MasterPlan]:
    async def work(runtime: Runtime) -> list[MasterPlan]:
        return await apply_emitters(runtime, await plan_emitters(runtime, path))

    return shop.run(work)


def held(shop: Workshop) -> Any:
    return shop.sandbox.call("GET", "/api/v1/emitters/1")[1]


def test_only_what_differs_is_changed_and_only_when_asked_to(shop: Workshop, tmp_path: Path):
    before = held(shop)
    values = (NAME.upper(), "notas@mares.example", "(21) 99999-0000", "20010-000", "", "Sim", "", "Z9")
    path = sheet(tmp_path / "e.csv", row(RIO, *values))
    (plan,) = shop.run(plan_emitters, path)
    assert (plan.status, [each.field for each in plan.changes]) == ("changed", ["email", "national_simple_optant"])
    assert writes(shop) == []
    applied(shop, path)
    now = held(shop)
    changed = {name for name in now if now[name] != before[name]}
    assert (changed, now["email"]) == ({"email", "national_simple_optant"}, "notas@mares.example")
    assert [each.status for each in shop.run(plan_emitters, path)] == ["same"]
    assert writes(shop) == ["PATCH"]


def test_a_new_one_another_cnpj_and_a_secret_are_refused(shop: Workshop, tmp_path: Path):
    new, secret = company(7).number, "abre-te-sesamo"
    path = sheet(
        tmp_path / "e.csv",
        row(new, "Outra Ltda"),
        row(company(8).number, NAME),
        row(RIO, NAME, "x@mares.example", "", "", "", "", secret),
    )
    plans = applied(shop, path)
    assert statuses_and_codes(plans) == [
        ("refused", ["emitter.needs_certificate"]),
        ("refused", ["emitter.cnpj_fixed"]),
        ("refused", ["emitter.secret_in_sheet"]),
    ]
    assert secret not in repr(plans)
    assert writes(shop) == []


def test_an_ignored_change_is_not_called_done(shop: Workshop, tmp_path: Path):
    (plan,) = applied(shop, sheet(tmp_path / "e.csv", row(RIO, NAME, "", "", "", "Niterói - RJ")))
    assert (plan.status, plan.problems[0].code) == ("refused", "import.not_kept")
    assert plan.problems[0].params == {"fields": "city"}


def test_a_partial_change_names_the_unchanged_fields(shop: Workshop, tmp_path: Path):
    (plan,) = applied(shop, sheet(tmp_path / "e.csv", row(RIO, NAME, "novo@mares.example", "", "", "Niterói - RJ")))
    assert (plan.status, [change.field for change in plan.changes]) == ("changed", ["email"])
    assert [(problem.code, problem.params) for problem in plan.problems] == [("import.not_kept", {"fields": "city"})]
    assert held(shop)["email"] == "novo@mares.example"


@pytest.mark.both_databases
def test_one_whose_invoice_is_not_sent_yet_stays_as_it_is(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    batch = shop.staged(1)
    path = sheet(tmp_path / "e.csv", row(RIO, NAME, "novo@mares.example"))
    before = held(shop)
    assert statuses_and_codes(applied(shop, path)) == [("waits", [])]
    assert held(shop) == before
    shop.approve()
    assert shop.batch(batch).state == "approved"


def test_an_answer_that_was_lost_is_looked_up(shop: Workshop, tmp_path: Path):
    path = sheet(tmp_path / "e.csv", row(RIO, NAME, "novo@mares.example"))
    shop.sandbox.faults(fault("emitters.update", "status_500"))
    assert statuses_and_codes(applied(shop, path)) == [("refused", ["import.unconfirmed"])]
    shop.sandbox.faults(fault("emitters.update", "lose_answer"))
    assert statuses_and_codes(applied(shop, path)) == [("changed", [])]
    assert held(shop)["email"] == "novo@mares.example"


def test_a_refusal_comes_back_in_the_providers_words(shop: Workshop, tmp_path: Path):
    taken = "Aurora Serviços Digitais S.A."
    (plan,) = applied(shop, sheet(tmp_path / "e.csv", row(RIO, taken)))
    assert (plan.status, plan.problems[0].code) == ("refused", "provider.refused_field")
    assert plan.problems[0].params["field"] == "name"
    assert held(shop)["social_reason"] == NAME
