"""Codes of templates and emitters are compared with the provider's lists before anything is written."""

from pathlib import Path

from tasks.master_data.emitters import plan_emitters
from tasks.master_data.reference import ListedCodes, check_codes
from tests.tasks.master_data.test_takers import writes
from tests.tasks.master_data.test_templates import HEADERS, applied, held, planned, row, statuses_and_codes
from tests.tasks.rows import RIO
from tests.tasks.workshop import Workshop

RECIFE, NITEROI = "2611606", "3303302"


def with_city(path: Path, *rows: tuple[list[str], str]) -> Path:
    lines = [";".join([*HEADERS, "Código IBGE"]), *(";".join([*cells, city]) for cells, city in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_an_unlisted_city_is_asked_and_still_written(shop: Workshop, tmp_path: Path):
    path = with_city(tmp_path / "m.csv", (row("Em Recife"), RECIFE), (row("Em Niterói"), NITEROI))
    assert statuses_and_codes(planned(shop, path)) == [("new", ["import.city_unlisted"]), ("new", [])]
    assert writes(shop) == []
    assert statuses_and_codes(applied(shop, path))[0] == ("new", ["import.city_unlisted"])
    assert [each["city_code"] for each in held(shop, "Em Recife")] == [int(RECIFE)]
    assert statuses_and_codes(planned(shop, path)) == [("same", []), ("same", [])]


def test_an_item_outside_of_the_national_list_is_refused(shop: Workshop, tmp_path: Path):
    cells = row("Item errado")
    cells[HEADERS.index("Código do Serviço")] = "0199"
    path = with_city(tmp_path / "m.csv", (cells, RECIFE))
    assert statuses_and_codes(applied(shop, path)) == [("refused", ["service.item_unknown"])]
    assert writes(shop) == []


def test_no_list_is_read_that_no_row_needs(shop: Workshop, tmp_path: Path):
    planned(shop, with_city(tmp_path / "m.csv", (row("Plano Novo"), "")))
    assert (shop.asked("cities.list"), shop.asked("notes.constants")) == (0, 0)


def test_a_tax_regime_that_the_provider_does_not_list_is_refused(shop: Workshop, tmp_path: Path):
    path = tmp_path / "e.csv"
    path.write_text(f"CNPJ;Regime Tributário\n{RIO};1\n", encoding="utf-8")
    (plan,) = shop.run(plan_emitters, path)
    assert (plan.status, plan.problems, shop.asked("emitters.constants")) == ("changed", (), 1)
    listed = ListedCodes(constants={"code_tax_regime": {"2", "3"}})
    assert statuses_and_codes([check_codes(plan, listed)]) == [("refused", ["import.constant_unknown"])]
