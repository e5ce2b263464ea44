"""Decisions about cells are listed once each, the worst first."""

from domain.decisions import Decision, DecisionKind, Decisions, decisions_of
from domain.problems import Problem, Where


def held(row: int, text: str) -> Problem:
    return Problem("held.status", "status", Where(row=row, column="E"), {"text": text, "header": "Situação"})


def test_cells_with_the_same_text_are_one_decision():
    first, second = decisions_of([held(3, "CANCELADO"), held(5, "suspenso"), held(9, "cancelado")])
    assert (first.count, first.cells(5), first.is_example) == (2, "E3, E9", True)
    assert (second.count, second.cells(5)) == (1, "E5")


def test_the_worst_comes_first():
    found = decisions_of(
        [
            Problem("column.unused", where=Where(row=1, column="G"), params={"header": "x"}),
            Problem("document.repaired", where=Where(row=4, column="A")),
            held(3, "CANCELADO"),
            Problem("sheet.total_differs", where=Where(row=9)),
        ]
    )
    assert [each.kind for each in found] == ["contradicted", "held", "filled", "unused"]
    assert [Decision.from_json(each.to_json()) for each in found] == list(found)


def test_many_cells_are_counted_and_the_first_are_named():
    found = Decisions()
    for row in range(1, 1_001):
        found.take(Problem("row.comment", where=Where(row=row, column="B")))
    (one,) = found.all()
    assert (one.kind, one.count, one.cells(2)) == (DecisionKind.CHOSEN, 1_000, "B1, B2 …")
    found.clear()
    assert found.all() == ()


def test_cells_with_different_chosen_values_are_different_decisions():
    chosen = [
        Problem("template.of_last_month", "template", Where(row=row), {"template": name})
        for row, name in ((2, "Suporte"), (3, "Treinamento"), (4, "suporte"))
    ]
    first, second = decisions_of(chosen)
    assert (first.rows, first.problem.params["template"]) == ((2, 4), "Suporte")
    assert (second.rows, second.is_example) == ((3,), False)


def test_values_to_check_are_listed_in_one_decision():
    found = [Problem("document.repaired", None, Where(row=row, column="A"), {"listed": f"v{row}"}) for row in range(8)]
    (one,) = decisions_of(found)
    assert (one.count, one.problem.params["listed"], one.is_example) == (8, "v0, v1, v2, v3, v4, …", False)
    assert decisions_of(found[:2])[0].problem.params["listed"] == "v0, v1"


def test_rows_of_a_decision_are_stored_as_runs():
    (one,) = decisions_of(held(row, "CANCELADO") for row in (3, 4, 5, 9))
    assert one.to_json()["rows"] == [[3, 5], [9, 9]]
    assert Decision.from_json(one.to_json()) == one
