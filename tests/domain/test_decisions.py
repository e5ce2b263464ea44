"""Decisions about cells are listed once each, the worst first."""

from domain.decisions import Decision, DecisionKind, Decisions, decided
from domain.problems import Problem, Where


def held(row: int, text: str) -> Problem:
    return Problem("held.status", "status", Where(row=row, column="E"), {"text": text, "header": "Situação"})


def test_cells_with_the_same_text_are_one_decision():
    first, second = decided([held(3, "CANCELADO"), held(5, "suspenso"), held(9, "cancelado")])
    assert (first.count, first.cells(5), first.is_example) == (2, "E3, E9", True)
    assert (second.count, second.cells(5)) == (1, "E5")


def test_the_worst_comes_first():
    found = decided(
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
