"""The verbs that control the sandbox."""

import urllib.error
import urllib.request

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
        ("POST", "content", [], 400),
        ("POST", "content", {"sqlite_schema": []}, 400),
        ("POST", "content", {"notes": 7}, 400),
        ("POST", "content", {"notes": [["x"]]}, 400),
        ("POST", "act", None, 400),
    ],
)
def test_control_refuses_nonsense_in_words(method, verb, body, status):
    with running_sandbox(in_thread=True) as sandbox:
        answered, answer, _ = sandbox.call(method, f"/_sandbox/{verb}", body)
    assert (answered, list(answer)) == (status, ["detail"])


def test_requests_are_counted_by_operation():
    with running_sandbox(in_thread=True) as sandbox:
        assert sandbox.requests() == {}
        for number in (1, 2):
            sandbox.call("POST", "/api/v1/nfse", note_body(number))
        assert sandbox.requests() == {"notes.create": 2} == sandbox.record()["requests_by_operation"]


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


def test_the_content_of_one_moment_can_be_put_into_another_sandbox():
    with running_sandbox(in_thread=True) as sandbox, running_sandbox(in_thread=True) as other:
        sandbox.switch(gap="refuse")
        sandbox.call("POST", "/api/v1/nfse", note_body(1))
        content = sandbox.control("content")
        other.call("POST", "/api/v1/nfse", note_body(7))
        assert other.control("content", content) == {"account": sandbox.call("GET", "/api/v1")[1]["name"]}
        assert other.control("content") == content
        assert [note["number"] for note in other.record()["notes"]] == [1]
        assert other.control("switches")["gap"] == "refuse"
        changed = {"notes": content["notes"], "note_history": []}
        other.call("POST", "/api/v1/nfse", note_body(2))
        other.control("content", changed)
        assert [note["number"] for note in other.record()["notes"]] == [1]


DEEP = '{"a":' * 50_000 + "1" + "}" * 50_000
HORRORS = [
    *('{"', "[]", "7", '"x"', "null", "NaN", '{"ahead_s": 1e400}', '{"ahead_s": NaN}', '{"ahead_s": [1]}', DEEP),
    *(
        '{"advance_seconds": Infinity}',
        '{"advance_seconds": NaN}',
        '{"gap": []}',
        '{"": 1}',
        '{"do": []}',
        '{"do": "send"}',
    ),
    *('{"do": "send", "batch_id": {}}', '{"do": "edit", "note_id": 1e400}', '{"do": "add", "batch_id": 1}'),
    *('[{"operation": "*", "kind": []}]', '[{"operation": "*", "kind": "late", "seconds": 1e400}]', "[[]]", "[null]"),
    *('{"account": {}, "emitters": 7}', '{"account": {}, "emitters": ["x"]}', '{"account": {}, "takers": [[]]}'),
    *('{"account": {}, "organizations": [{}]}', '{"account": {}, "sales": {"orders": "x"}}', '{"account": {"id": {}}}'),
    '{"account": {}, "identity": 7}',
]


def test_a_bad_control_request_is_explained_and_changes_nothing():
    with running_sandbox(in_thread=True) as sandbox:
        assert sandbox.call("POST", "/api/v1/nfse", note_body(1))[0] == 202
        before = [note["digest"] for note in sandbox.record()["notes"]]
        for verb in ("switches", "faults", "act", "clock"):
            for raw in HORRORS:
                request = urllib.request.Request(f"{sandbox.base_url}/_sandbox/{verb}", raw.encode(), method="POST")
                assert status_of(request) in (200, 400), (verb, raw[:80])
        sandbox.faults()
        for query in ("first=x", "first=-1", f"first={2**70}", "first=%C2%B2", "history=2"):
            assert status_of(f"{sandbox.base_url}/_sandbox/record?{query}") in (200, 400), query
        assert [note["digest"] for note in sandbox.record()["notes"]] == before
        for raw in HORRORS:
            request = urllib.request.Request(f"{sandbox.base_url}/_sandbox/seed", raw.encode(), method="POST")
            assert status_of(request) in (200, 400), raw[:80]
            assert status_of(f"{sandbox.base_url}/_sandbox/") == 200, raw[:80]
        sandbox.control("reset")
        assert sandbox.call("GET", "/api/v1")[0] == 200


def status_of(request):
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
