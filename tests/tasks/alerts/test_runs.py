"""The sentence that an alert stores about a failed run."""

from connectors.ledger.alerts import RUN_FAILED, open_alerts
from domain.problems import FaturistaError, Problem
from tasks.alerts.runs import alert_lost_runs, problem_of, record_end, record_failure
from tasks.alerts.sending import say_alert
from tests.tasks.workshop import Workshop


def test_the_first_of_several_errors_is_the_sentence():
    busy = FaturistaError(Problem("batch.busy", params={"batch": 9}))
    assert problem_of(ExceptionGroup("", [ExceptionGroup("", [busy]), KeyError("x")])) is busy.problem


def test_an_unforeseen_error_is_named_by_its_kind_alone():
    found = problem_of(KeyError("a customer's name"))
    assert (found.code, dict(found.params)) == ("board.unforeseen", {"kind": "KeyError"})


def test_a_lost_run_is_an_alert_until_a_run_ends(each_shop: Workshop):
    with each_shop.context() as context:

        def messages() -> list[str]:
            return [say_alert(context, each) for each in context.ledger.read(open_alerts, RUN_FAILED)]

        record_failure(context, "sweep_inbox", FaturistaError(Problem("batch.busy", params={"batch": 9})))
        (busy,) = messages()
        alert_lost_runs(context, ["release_batches"])
        assert messages()[0] == busy
        assert "A run of release_batches ended without storing its result" in messages()[1]
        alert_lost_runs(context, [])
        assert messages() == [busy]
        alert_lost_runs(context, ["sweep_inbox"])
        assert "without storing its result" in messages()[0]
        record_end(context, "sweep_inbox")
        assert messages() == []
