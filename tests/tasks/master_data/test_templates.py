"""Service templates from a sheet: shown before anything is written, and written once."""

from pathlib import Path
from typing import Any

from tasks.master_data.plans import MasterPlan, count_statuses
from tasks.master_data.templates import apply_templates, plan_templates
from tasks.runtime import Runtime
from tests.tasks.master_data.test_takers import writes
from tests.tasks.rows import RIO, company
from tests.tasks.workshop import Workshop, fault, nfse_of

HEADERS = ("CNPJ Emitente", "Modelo", "Valor", "Alíquota ISS", "IR (%)", "ISS Retido", "Código do Serviço", "CNAE",
           "Destacar Retenções", "Discriminação")  # fmt: skip
PLAIN = ("1.350,00", "2%", "1,5%", "Não", "0105", "6202-3/00", "IR, PIS", "Mensalidade do sistema")


def row(name: str, *values: str, cnpj: str = RIO) -> list[str]:
    return [cnpj, name, *values, *PLAIN[len(values) :]]


def sheet(path: Path, *rows: list[str]) -> Path:
    path.write_text("\n".join(";".join(line) for line in (HEADERS, *rows)) + "\n", encoding="utf-8")
    return path


def planned(shop: Workshop, path: Path) -> list[MasterPlan]:
    return shop.run(plan_templates, path)


def applied(shop: Workshop, path: Path) -> list[MasterPlan]:
    async def work(runtime: Runtime) -> list[MasterPlan]:
        return await apply_templates(runtime, await plan_templates(runtime, path))

    return shop.run(work)


def held(shop: Workshop, name: str) -> list[Any]:
    """Return the emitter's templates of this name at the provider."""
    _, found, _ = shop.sandbox.call("GET", "/api/v1/service-values?emitter_id=1&limit=100")
    ours = [each["id"] for each in found["collection"] if each["name"] == name]
    return [shop.sandbox.call("GET", f"/api/v1/service-values/{each}")[1] for each in ours]


def statuses_and_codes(plans: list[MasterPlan]) -> list[tuple[str, list[str]]]:
    return [(plan.status, [problem.code for problem in plan.problems]) for plan in plans]


def test_nothing_is_written_before_a_person_says_so(shop: Workshop, tmp_path: Path):
    plans = planned(shop, sheet(tmp_path / "m.csv", row("Plano Novo"), row("Consultoria")))
    assert [plan.status for plan in plans] == ["new", "changed"]
    assert {"iss_bp", "service_cents"} <= {change.field for change in plans[1].changes}
    assert writes(shop) == []


def test_templates_are_created_changed_and_then_the_same(shop: Workshop, tmp_path: Path):
    path = sheet(tmp_path / "m.csv", row("Plano Novo"))
    applied(shop, path)
    (made,) = held(shop, "Plano Novo")
    assert (made["service_amount"], made["iss_percentage"], made["ir_percentage"]) == ("1350.00", "2.00", "1.50")
    assert (made["service_item_code"], made["retained_iss"]) == ("0105", False)
    assert made["highlight_retentions"] == ["ir_amount", "pis_amount"]
    assert [plan.status for plan in planned(shop, path)] == ["same"]
    # An empty cell changes nothing.
    changed = sheet(tmp_path / "n.csv", row("Plano Novo", "", "5%", *[""] * 6))
    (plan,) = applied(shop, changed)
    assert [(each.field, each.was, each.becomes) for each in plan.changes] == [("iss_bp", "2,00%", "5,00%")]
    (now,) = held(shop, "Plano Novo")
    assert {name: now[name] for name in now if now[name] != made[name]} == {"iss_percentage": "5.00"}
    assert writes(shop) == ["POST", "PATCH"]


def test_an_impossible_request_is_refused_in_words(shop: Workshop, tmp_path: Path):
    rows = [
        row("Um", cnpj=company(7).number),
        row("CONSULTORIA"),
        row("Dois", "10", "2%"),
        row("Dois", "20", "2%"),
        row("Três", "-5,00", "2%", "1%", "talvez", "0105", "12", "ICMS"),
        row("Quatro", "5,00", "2%", "1%", "", "123456"),
        row(""),
    ]
    plans = applied(shop, sheet(tmp_path / "m.csv", *rows))
    assert statuses_and_codes(plans) == [
        ("refused", ["emitter.unknown"]),
        ("refused", ["template.similar"]),
        ("refused", ["import.conflict"]),
        ("refused", ["amount.out_of_range", "row.yes_no", "template.cnae", "template.highlight"]),
        ("refused", ["city.code"]),
        ("refused", ["row.required"]),
    ]
    assert plans[2].rows == (4, 5)
    assert [problem.where.column for problem in plans[3].problems] == ["C", "F", "H", "I"]
    assert count_statuses(plans) == {"refused": 6}
    assert writes(shop) == []


def test_an_answer_that_was_lost_is_looked_up(shop: Workshop, tmp_path: Path):
    path = sheet(tmp_path / "m.csv", row("Plano Novo"))
    shop.sandbox.faults(fault("service_values.create", "lose_answer"))
    assert statuses_and_codes(applied(shop, path)) == [("new", [])]
    assert len(held(shop, "Plano Novo")) == 1
    changed = sheet(tmp_path / "n.csv", row("Plano Novo", "99,90"))
    shop.sandbox.faults(fault("service_values.update", "lose_answer"))
    assert statuses_and_codes(applied(shop, changed)) == [("changed", [])]
    other = sheet(tmp_path / "o.csv", row("Outro Plano"))
    shop.sandbox.faults(fault("service_values.create", "status_500"))
    assert statuses_and_codes(applied(shop, other)) == [("refused", ["import.unconfirmed"])]
    assert held(shop, "Outro Plano") == []
    assert statuses_and_codes(applied(shop, other)) == [("new", [])]
    assert len(held(shop, "Outro Plano")) == 1


def test_an_invoice_that_is_staged_stays_as_it_was_composed(shop: Workshop, tmp_path: Path):
    batch = shop.staged(1)
    before = shop.there()
    name = "Mensalidade Sistema"
    assert statuses_and_codes(applied(shop, sheet(tmp_path / "m.csv", row(name, "", "3%", *[""] * 6)))) == [
        ("changed", [])
    ]
    assert held(shop, name)[0]["iss_percentage"] == "3.00"
    assert shop.there() == before
    shop.approve()
    assert shop.batch(batch).state == "approved"


def test_a_record_removed_meanwhile_is_refused_in_words(shop: Workshop, tmp_path: Path):
    async def work(runtime: Runtime) -> list[MasterPlan]:
        plans = await plan_templates(runtime, sheet(tmp_path / "m.csv", row("Consultoria"), row("Treinamento")))
        await nfse_of(runtime).service_values.delete(held(shop, "Consultoria")[0]["id"])
        return await apply_templates(runtime, plans)

    assert statuses_and_codes(shop.run(work)) == [("refused", ["provider.not_found"]), ("changed", [])]


def test_many_rows_of_one_template_are_one(shop: Workshop, tmp_path: Path):
    rows = [row("Plano Novo")] * 3 + [row("Plano Novo", *[""] * 8)]
    (plan,) = applied(shop, sheet(tmp_path / "m.csv", *rows))
    assert (plan.status, plan.rows) == ("new", (2, 3, 4, 5))
    assert writes(shop) == ["POST"]
