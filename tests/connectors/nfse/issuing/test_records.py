"""Templates and emitters field by field, in both directions."""

from connectors.nfse.issuing.records import master_record, our_messages, record_body
from domain.master_fields import EMITTER, Value

THEIRS = {
    "service_amount": "1234.50",
    "iss_percentage": "2.00",
    "pis_percentage": "2.005",
    "csll_percentage": None,
    "retained_iss": False,
    "cnae_code": "6201-5/00",
    "description": "Mensalidade",
    "city_code": "3304557",
    "highlight_retentions": ["ir_amount", "pis_amount"],
}


def test_a_record_is_in_our_words_and_a_bad_figure_is_text():
    assert master_record("template", 7, "Consultoria", THEIRS).values == {
        "service_cents": 123_450,
        "iss_bp": 200,
        "pis_bp": "2.005",
        "retained_iss": False,
        "cnae_code": "6201-5/00",
        "description": "Mensalidade",
        "city_code": "3304557",
        "highlight_retentions": ("ir", "pis"),
    }


def test_only_what_is_asked_for_travels():
    values: dict[str, Value] = {
        "service_cents": 5,
        "iss_bp": 65,
        "city_code": "3304557",
        "highlight_retentions": ("ir",),
    }
    assert record_body("template", values) == {
        "service_amount": "0.05",
        "iss_percentage": "0.65",
        "city_code": 3304557,
        "highlight_retentions": ["ir_amount"],
    }
    assert record_body("template", {"iss_bp": 65}) == {"iss_percentage": "0.65"}


def test_fields_outside_of_sheets_do_not_exist():
    every: dict[str, Value] = dict.fromkeys(EMITTER, "1")
    wires = set(record_body("emitter", every))
    assert len(wires) == len(EMITTER)
    assert not wires & {"cnpj", "certificate", "password", "filename", "environment", "latest_serie", "latest_number"}


def test_a_refusal_names_fields_by_our_words():
    assert our_messages("emitter", {"social_reason": ["x"], "odd": ["y"]}) == {"name": ["x"], "odd": ["y"]}
