"""Problems as values: conversion in both directions, and errors that carry one."""

import json
import pickle

import pytest

from domain.problems import FaturistaError, InputError, Problem, SettingsError, Where

PROBLEM = Problem(
    "amount.ambiguous", "service_cents", Where(sheet="Nov", row=12, column="C"), {"text": "1.234", "n": 1}
)


@pytest.mark.parametrize("problem", [PROBLEM, Problem("file.empty"), Problem("x.y", where=Where(row=3))])
def test_a_problem_survives_the_ledger(problem):
    assert Problem.from_json(json.loads(json.dumps(problem.to_json()))) == problem


@pytest.mark.parametrize("kind", [FaturistaError, InputError, SettingsError])
def test_an_error_says_its_code_and_carries_its_details(kind):
    error = kind(PROBLEM, Problem("file.empty"))
    assert error.problem is PROBLEM
    assert error.details == (Problem("file.empty"),)
    assert "amount.ambiguous" in str(error)


class OfItsOwn(FaturistaError):
    """An error made from something other than a problem."""

    def __init__(self, count):
        super().__init__(PROBLEM, Problem("file.empty"))
        self.count = count


@pytest.mark.parametrize("error", [SettingsError(PROBLEM), OfItsOwn(7)], ids=["of problems", "of its own"])
def test_an_error_reaches_another_process_whole(error):
    there = pickle.loads(pickle.dumps(error))
    assert type(there) is type(error)
    assert (str(there), vars(there)) == (str(error), vars(error))
