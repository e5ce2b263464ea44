"""Templates and emitters field by field: only what a sheet says otherwise is a change, and travels."""

from domain.master.fields import EMITTER, TEMPLATE, Value, differing_fields, field_changes, field_problems, fields_wire
from domain.master.takers import Change

THEIRS = {
    "service_amount": "1234.50",
    "iss_percentage": "2.00",
    "retained_iss": False,
    "cnae_code": "6201-5/00",
    "description": "Mensalidade",
    "city_code": "3304557",
    "highlight_retentions": ["ir_amount", "pis_amount"],
}


def test_another_way_of_writing_the_same_is_no_change():
    said: dict[str, Value] = {
        "service_cents": 123_450,
        "iss_bp": 200,
        "pis_bp": 0,
        "retained_iss": False,
        "cnae_code": "6201500",
        "description": "MENSALIDADE",
        "city_code": "3304557",
        "highlight_retentions": ("pis_amount", "ir_amount"),
    }
    assert field_changes(TEMPLATE, THEIRS, said) == ()
    assert field_changes(TEMPLATE, THEIRS, {}) == ()


def test_changes_are_shown_as_sheets_write_them():
    said: dict[str, Value] = {"service_cents": 100, "iss_bp": 505, "retained_iss": True, "ir_limit_cents": 66_667}
    assert field_changes(TEMPLATE, THEIRS, said) == (
        Change("service_cents", "R$ 1.234,50", "R$ 1,00"),
        Change("iss_bp", "2,00%", "5,05%"),
        Change("retained_iss", "Não", "Sim"),
        Change("ir_limit_cents", "", "R$ 666,67"),
    )
    (names,) = field_changes(TEMPLATE, THEIRS, {"highlight_retentions": ("ir_amount",)})
    assert (names.was, names.becomes) == ("ir, pis", "ir")


def test_a_figure_of_theirs_that_is_none_is_shown_and_replaced():
    assert field_changes(TEMPLATE, {"iss_percentage": "2.005"}, {"iss_bp": 200}) == (
        Change("iss_bp", "2.005", "2,00%"),
    )


def test_only_what_is_asked_for_travels():
    said: dict[str, Value] = {
        "service_cents": 5,
        "iss_bp": 65,
        "city_code": "3304557",
        "highlight_retentions": ("ir_amount",),
    }
    assert fields_wire(TEMPLATE, said) == {
        "service_amount": "0.05",
        "iss_percentage": "0.65",
        "city_code": 3304557,
        "highlight_retentions": ["ir_amount"],
    }
    assert fields_wire(TEMPLATE, said, {"iss_bp"}) == {"iss_percentage": "0.65"}


def test_what_is_never_a_sheets_matter_has_no_field():
    wires = {field.wire for field in EMITTER.values()}
    assert not wires & {"cnpj", "certificate", "password", "filename", "environment", "latest_serie", "latest_number"}


def test_texts_that_do_not_fit_and_rows_that_differ():
    assert [each.code for each in field_problems(EMITTER, {"number": "1" * 11, "name": "Marés"})] == ["text.too_long"]
    assert differing_fields({"name": "A", "city": "B"}, {"name": "C", "state": "D"}) == {"name"}
