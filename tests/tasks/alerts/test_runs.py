"""The sentence that an alert stores about a failed run."""

from domain.problems import FaturistaError, Problem
from tasks.alerts.runs import problem_of


def test_the_first_of_several_errors_is_the_sentence():
    busy = FaturistaError(Problem("batch.busy", params={"batch": 9}))
    assert problem_of(ExceptionGroup("", [ExceptionGroup("", [busy]), KeyError("x")])) is busy.problem


def test_an_unforeseen_error_is_named_by_its_kind_alone():
    found = problem_of(KeyError("a customer's name"))
    assert (found.code, dict(found.params)) == ("board.unforeseen", {"kind": "KeyError"})
