"""Teaching a sender's headers: an unreadable mapping is not stored, and every mistake is reported."""

from pathlib import Path

import pytest

from domain.problems import FaturistaError, Problem
from tasks.sheets.mapping_choice import stored_mappings
from tasks.sheets.mapping_storage import delete_mappings, store_mapping
from tests.tasks.dropped_sheets import HEADERS, cells, write_sheet
from tests.tasks.workshop import Workshop

ODD = {"CNPJ/CPF": "Doc Toma", "Valor": "Vlr Tot", "Modelo": "Plano Cobr"}
PAIRS = {"Doc Toma": "CNPJ", "Vlr Tot": "Valor", "Plano Cobr": "template_name"}
SENDER = "Contabilidade Souza"


def odd_sheet(path: Path, *more: str, rows: int = 1) -> Path:
    """Write a good sheet of a sender with other names for three columns."""
    headers = [ODD.get(each, each) for each in HEADERS]
    return write_sheet(path, [[*cells(number), *more] for number in range(1, rows + 1)], headers=[*headers, *more])


def refused(shop: Workshop, path: Path, pairs: dict[str, str], sender: str = SENDER) -> list[Problem]:
    with shop.context() as context, pytest.raises(FaturistaError) as caught:
        store_mapping(context, path, pairs, sender=sender, person="ana")
    with shop.context() as context:
        assert stored_mappings(context) == []
    return [caught.value.problem, *caught.value.details]


def test_a_taught_mapping_is_stored_and_deleted(shop: Workshop, tmp_path: Path):
    path = odd_sheet(tmp_path / "souza.csv")
    with shop.context() as context:
        taught = store_mapping(context, path, PAIRS | {"Discriminação": "-"}, sender=f" {SENDER} ", person="ana")
        assert not taught.replaced
        assert taught.mapping.columns == {
            "Doc Toma": "document", "Vlr Tot": "service_cents", "Plano Cobr": "template_name", "Discriminação": None,
        }  # fmt: skip
        assert (taught.mapping.name, taught.mapping.kind, taught.mapping.saved_by) == (SENDER, "services", "ana")
        assert taught.header.columns["service_cents"] == HEADERS.index("Valor")
        assert store_mapping(context, path, PAIRS, sender="contabilidade souza", person="bia").replaced
        (kept,) = stored_mappings(context)
        assert delete_mappings(context, SENDER) == [kept]
        assert stored_mappings(context) == []
        with pytest.raises(FaturistaError):
            delete_mappings(context, SENDER)


def test_an_unknown_field_is_answered_with_those_most_like_it(shop: Workshop, tmp_path: Path):
    (problem,) = refused(shop, odd_sheet(tmp_path / "souza.csv"), PAIRS | {"Vlr Tot": "Valorr"})
    assert (problem.code, problem.params["name"]) == ("mapping.no_field", "Valorr")
    assert str(problem.params["near"]).startswith("Valor,")


def test_a_missing_header_is_named_with_the_existing_ones(shop: Workshop, tmp_path: Path):
    (problem,) = refused(shop, odd_sheet(tmp_path / "souza.csv"), PAIRS | {"Vlr Total": "Valor"})
    assert (problem.code, problem.params["names"]) == ("mapping.no_header", '"Vlr Total"')
    assert "Vlr Tot," in str(problem.params["found"])


def test_a_lesson_that_is_too_short_is_not_kept(shop: Workshop, tmp_path: Path):
    codes = {each.code for each in refused(shop, odd_sheet(tmp_path / "souza.csv"), {"Doc Toma": "CNPJ"})}
    assert codes == {"column.missing", "column.similar"}


def test_a_sheet_without_any_header_row_is_called_that(shop: Workshop, tmp_path: Path):
    path = tmp_path / "texto.csv"
    path.write_text("bom;dia\nboa;noite\n")
    assert [each.code for each in refused(shop, path, {"bom": "Valor"})] == ["sheet.no_header"]


def test_a_name_without_letters_is_refused(shop: Workshop, tmp_path: Path):
    (problem,) = refused(shop, odd_sheet(tmp_path / "souza.csv"), PAIRS, sender=" -- ")
    assert problem.code == "mapping.name"
