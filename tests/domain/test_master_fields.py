"""Templates and emitters field by field: only a difference in the sheet is a change and is sent."""

from domain.master_fields import EMITTER, TEMPLATE, Value, differing_fields, field_changes, field_problems
from domain.taker_changes import Change

THEIRS: dict[str, Value] = {
    "service_cents": 123_450,
    "iss_bp": 200,
    "retained_iss": False,
    "cnae_code": "6201-5/00",
    "description": "Mensalidade",
    "city_code": "3304557",
    "highlight_retentions": ("ir", "pis"),
}


def test_another_way_of_writing_the_same_is_no_change():
    given: dict[str, Value] = {
        "service_cents": 123_450,
        "iss_bp": 200,
        "pis_bp": 0,
        "retained_iss": False,
        "cnae_code": "6201500",
        "description": "MENSALIDADE",
        "city_code": "3304557",
        "highlight_retentions": ("pis", "ir"),
    }
    assert field_changes(TEMPLATE, THEIRS, given) == ()
    assert field_changes(TEMPLATE, THEIRS, {}) == ()


def test_changes_are_shown_as_sheets_write_them():
    given: dict[str, Value] = {"service_cents": 100, "iss_bp": 505, "retained_iss": True, "ir_limit_cents": 66_667}
    assert field_changes(TEMPLATE, THEIRS, given) == (
        Change("service_cents", "R$ 1.234,50", "R$ 1,00"),
        Change("iss_bp", "2,00%", "5,05%"),
        Change("retained_iss", "Não", "Sim"),
        Change("ir_limit_cents", "", "R$ 666,67"),
    )
    (names,) = field_changes(TEMPLATE, THEIRS, {"highlight_retentions": ("ir",)})
    assert (names.was, names.becomes) == ("ir, pis", "ir")


def test_an_invalid_figure_of_the_register_is_replaced():
    assert field_changes(TEMPLATE, {"iss_bp": "2.005"}, {"iss_bp": 200}) == (Change("iss_bp", "2.005", "2,00%"),)


def test_texts_that_do_not_fit_and_rows_that_differ():
    assert [each.code for each in field_problems(EMITTER, {"number": "1" * 11, "name": "Marés"})] == ["text.too_long"]
    assert differing_fields({"name": "A", "city": "B"}, {"name": "C", "state": "D"}) == {"name"}
