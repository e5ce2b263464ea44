"""The verbs that steer the sandbox."""

import pytest

from tests.sandboxes import note_body, running_sandbox


@pytest.mark.parametrize(
    ("method", "verb", "body", "status"),
    [
        ("GET", "nonsense", None, 404),
        ("GET", "reset", None, 404),
        ("POST", "switches", {"gab": "refuse"}, 400),
        ("POST", "faults", [{"operation": "*"}], 400),
        ("POST", "faults", {"operation": "*"}, 400),
        ("POST", "clock", {}, 400),
        ("POST", "act", None, 400),
    ],
)
def test_control_refuses_nonsense_in_words(method, verb, body, status):
    with running_sandbox(in_thread=True) as sandbox:
        answered, answer, _ = sandbox.call(method, f"/_sandbox/{verb}", body)
    assert (answered, list(answer)) == (status, ["detail"])


def test_reset_is_a_first_start():
    with running_sandbox(in_thread=True, gap="refuse") as sandbox:
        sandbox.faults({"operation": "*", "kind": "late"})
        sandbox.control("clock", {"ahead_s": 60})
        sandbox.call("POST", "/api/v1/nfse", note_body(1))
        sandbox.control("reset")
        assert sandbox.record()["notes"] == []
        assert sandbox.control("faults") == []
        assert sandbox.control("switches")["gap"] == "accept"
        assert sandbox.control("clock", {"ahead_s": 0}) == {"ahead_s": 0}


def test_the_company_of_a_first_start_can_be_changed_and_put_in():
    with running_sandbox(in_thread=True) as sandbox:
        company = sandbox.control("seed")
        assert {"account", "emitters", "takers", "organizations", "sales"} <= company.keys()
        company["account"]["name"] = "Outra Conta"
        sandbox.call("POST", "/api/v1/nfse", note_body(1))
        assert sandbox.control("seed", company) == {"account": "Outra Conta"}
        assert sandbox.call("GET", "/api/v1")[1]["name"] == "Outra Conta"
        assert sandbox.record()["notes"] == []
