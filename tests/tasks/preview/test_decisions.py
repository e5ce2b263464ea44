"""The list of decisions names cells as cells: also those that the search for customers knows by their row alone."""

import pytest

from domain.decisions import decisions_of
from domain.forecasts.planned_invoices import Difference
from domain.problems import Problem, Where
from tasks.preview.decisions import difference_problems, file_decisions

COLUMNS = [
    {"field": "document", "letter": "A"},
    {"field": "name", "letter": "B"},
    {"field": "emitter_cnpj", "letter": "F"},
    {"field": "emails", "letter": "G"},
]
OF_ROW = Where(sheet="Plan1", row=7)


@pytest.mark.parametrize(
    ("problem", "cells"),
    [
        (Problem("taker.name_differs", "name", OF_ROW, {"registered": "Ana"}), "B7"),
        (Problem("emitter.name_differs", "emitter_name", OF_ROW, {"text": "x", "emitter": "y"}), "F7"),
        (Problem("held.status", "status", Where(sheet="Plan1", row=7, column="E"), {"text": "x", "header": "y"}), "E7"),
        (Problem("held.section", None, OF_ROW, {"text": "CANCELADOS"}), "7"),
        (Problem("template.code_differs", "service_item_code", OF_ROW), "7"),
        (Problem("held.month", None), ""),
        (Problem("taker.differs", "email", OF_ROW, {"field": "email"}), "G7"),
    ],
)
def test_a_field_with_a_column_is_reported_as_a_cell(problem: Problem, cells: str) -> None:
    understood = {"columns": COLUMNS}
    (decision,) = file_decisions(understood, [], [], [problem])
    assert decision.cells(5) == cells
    stored = {"columns": COLUMNS, "decisions": [each.to_json() for each in decisions_of([problem])]}
    assert file_decisions(stored, [], []) == (decision,)


def test_a_hidden_row_is_listed_once():
    of_file = Problem("sheet.hidden_rows", None, Where(sheet="Plan1", row=4), {"count": 1})
    of_the_row = Problem("row.hidden", None, Where(sheet="Plan1", row=4))
    understood = {"columns": COLUMNS, "warnings": [of_file.to_json()]}
    assert [each.problem for each in file_decisions(understood, [(4, [of_the_row])], [])] == [of_the_row]
    assert [each.problem for each in file_decisions(understood, [], [])] == [of_file]


def test_a_changed_address_is_one_decision_at_a_cell_of_the_sheet() -> None:
    found = [
        Difference(document="", name="Ana", field=name, sheet_says="x", provider_says="y", row_number=7)
        for name in ("street", "number", "city_code", "city", "zip_code", "email", "phone")
    ]
    understood = {"columns": [{"field": "street", "letter": "H"}, {"field": "city", "letter": "J"}]}
    address, phone = file_decisions(understood, [], [], difference_problems(found))
    assert (address.problem.code, address.cells(5)) == ("taker.address_differs", "H7")
    assert address.problem.params == {"fields": "street, number, city, zip_code"}
    assert (phone.problem.code, phone.problem.field) == ("taker.differs", "phone")
