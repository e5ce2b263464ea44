"""The table of answers: every status, for a read and for a write, and the words that the error keeps."""

import dataclasses
from datetime import UTC, datetime
from types import MappingProxyType

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.http import errors
from connectors.http.calls import DISTURBING_KEYS, Call, Response
from connectors.http.error_classification import classify_answer, classify_no_answer, messages_of
from connectors.http.wire_trace import Wire

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BEGUN = Wire(first_byte_at=NOW, last_byte_at=NOW, requests=1)
READ = Call(method="GET", path="/api/v1/nfse/1", is_write=False)
WRITE = Call(method="POST", path="/api/v1/nfse", is_write=True, expect=frozenset({201}))
SEND = Call(method="POST", path="/api/v1/batches/1/send", is_write=True, expect=frozenset({202}), is_about_row=False)
DELETE = Call(
    method="DELETE", path="/api/v1/nfse/1", is_write=True, expect=frozenset({204}), foreseen=frozenset({404, 409})
)
ABOUT_ROW = {"service_values": {"description": ["too long"]}}


OWN = {404: {"detail": "Not found"}, 401: {"detail": "x"}, 403: {"detail": "x"}, 409: {"detail": "x"}}


def judged(call, status, data=MappingProxyType({}), *, is_json=True, **headers):
    headers = {"content-type": "application/json", **headers}
    answer = Response(call=call, status=status, headers=headers, data=dict(data), is_json=is_json, wire=BEGUN, size=2)
    return classify_answer(call, answer, lambda: NOW)


WRITES = {
    200: errors.Disturbed,
    202: errors.Disturbed,
    204: errors.Doubtful,
    301: errors.Doubtful,
    400: errors.Refused,
    401: errors.Denied,
    402: errors.Disturbed,
    403: errors.Denied,
    404: errors.Disturbed,
    405: errors.Disturbed,
    406: errors.Refused,
    408: errors.Doubtful,
    409: errors.Disturbed,
    413: errors.Disturbed,
    422: errors.Refused,
    429: errors.Busy,
    500: errors.Doubtful,
    502: errors.Doubtful,
    503: errors.Doubtful,
    504: errors.Doubtful,
}
READS = {
    201: errors.Unreadable,
    302: errors.Unreadable,
    400: errors.Refused,
    401: errors.Denied,
    403: errors.Denied,
    404: errors.NotFound,
    405: errors.Unreadable,
    406: errors.Refused,
    408: errors.Broken,
    409: errors.Conflict,
    422: errors.Refused,
    429: errors.Busy,
    500: errors.Broken,
    503: errors.Broken,
}


@pytest.mark.parametrize("status", WRITES)
def test_each_answer_to_a_write(status):
    is_json = status != 204
    body = ABOUT_ROW if status in (400, 406, 422) else OWN.get(status, {"detail": "x"})
    assert type(judged(WRITE, status, body, is_json=is_json)) is WRITES[status]


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_answer_to_what_issues_is_a_doubt(status):
    """A rate limiter may count after the work, and a second arrival is a second tax document."""
    issuing = dataclasses.replace(WRITE, issues=True)
    assert type(judged(issuing, status, b"", **{"retry-after": "1"})) is errors.Doubtful


@pytest.mark.parametrize("status", READS)
def test_each_answer_to_a_read(status):
    body = ABOUT_ROW if status in (400, 406, 422) else OWN.get(status, {"detail": "x"})
    assert type(judged(READ, status, body)) is READS[status]


@pytest.mark.parametrize("status", [200, 404, 422])
def test_a_read_from_a_cache_proves_nothing(status):
    body = OWN.get(status, ABOUT_ROW)
    assert type(judged(READ, status, body, age="1")) is errors.Broken
    assert type(judged(READ, status, body, age="9" * 5_000)) is errors.Broken
    for fresh in ("0", "", "-1", "soon"):
        assert type(judged(READ, status, body, age=fresh)) is type(judged(READ, status, body))


def test_an_age_is_nothing_to_a_write():
    assert judged(WRITE, 201, age="7") is None
    assert type(judged(DELETE, 404, OWN[404], age="7")) is errors.NotFound


def test_a_success_is_no_error():
    assert judged(READ, 200) is None
    assert judged(WRITE, 201) is None
    assert judged(DELETE, 204, is_json=False) is None


@pytest.mark.parametrize("key", sorted(DISTURBING_KEYS))
@pytest.mark.parametrize("status", [400, 406, 422])
def test_a_refusal_about_batch_or_number_is_no_row_problem(status, key):
    assert type(judged(WRITE, status, {key: ["x"], **ABOUT_ROW})) is errors.Disturbed


def test_only_the_top_level_speaks_of_numbers():
    """A taker's address has a `number`, too."""
    assert type(judged(WRITE, 422, {"taker": {"address": [{"number": ["required"]}]}})) is errors.Refused


def test_writes_of_master_data_raise_no_alarm_by_key():
    """An emitter's own `number` is its house number."""
    call = Call(method="POST", path="/api/v1/emitters", is_write=True, expect=frozenset({201}), alarms=frozenset())
    assert type(judged(call, 422, {"number": ["required"]})) is errors.Refused


def test_a_redirect_is_an_answer_only_where_it_is_asked_for():
    call = Call(method="GET", path="/api/v1/nfse/1/pdf", is_write=False, expect=frozenset({302}))
    assert judged(call, 302, is_json=False) is None
    assert type(judged(READ, 302, is_json=False)) is errors.Unreadable


def test_a_refusal_of_send_is_never_a_rows_trouble():
    assert type(judged(SEND, 422, {"name": ["x"]})) is errors.Disturbed


def test_a_refusal_without_the_providers_words_is_a_doubt():
    assert type(judged(WRITE, 422, is_json=False)) is errors.Doubtful
    assert type(judged(WRITE, 422, {"message": "refused"})) is errors.Doubtful


def test_a_foreseen_status_is_an_answer():
    assert type(judged(DELETE, 404, {"detail": "Not found"})) is errors.NotFound
    assert type(judged(DELETE, 409, {"detail": "in use"})) is errors.Conflict
    assert type(judged(DELETE, 422, {"rps": ["sent already"]})) is errors.Disturbed


def test_503_asks_a_read_to_wait_and_leaves_a_write_in_doubt():
    assert type(judged(READ, 503, **{"retry-after": "3"})) is errors.Busy
    assert type(judged(WRITE, 503, **{"retry-after": "3"})) is errors.Doubtful


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("Fri, 20 Nov 2026 12:01:30 GMT", 90.0),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("٣", None),
        ("9" * 40, 1e40),
        # All three forms of a date mean GMT.
        ("Friday, 20-Nov-26 12:01:30 GMT", 90.0),
        ("Fri Nov 20 12:01:30 2026", 90.0),
        ("Fri Nov 20 12:01:30 2026 9999999999999", None),
        ("Fri, 20 Nov 99999 12:01:30 GMT", None),
        ("", None),
    ],
)
def test_retry_after_is_read_in_either_form(text, seconds):
    assert judged(WRITE, 429, **{"retry-after": text}).retry_after == seconds


@given(st.integers(200, 599), st.booleans(), st.dictionaries(st.sampled_from(["name", "batch", "detail"]), st.text()))
def test_a_write_is_repeatable_only_after_a_plain_refusal(status, is_json, data):
    """Only 429 says that nothing was done and the request may be sent again."""
    verdict = judged(WRITE, status, data, is_json=is_json)
    assert not isinstance(verdict, errors.Unreachable | errors.Broken)
    assert isinstance(verdict, errors.Busy) == (status == 429)


@pytest.mark.parametrize("error", [httpx.ConnectError("x"), httpx.ConnectTimeout("x"), httpx.PoolTimeout("x")])
def test_not_sent_takes_both_the_short_list_and_the_trace(error):
    assert type(classify_no_answer(WRITE, error, Wire())) is errors.Unreachable
    assert type(classify_no_answer(WRITE, error, BEGUN)) is errors.Doubtful
    assert type(classify_no_answer(READ, error, BEGUN)) is errors.Broken


@pytest.mark.parametrize(
    "error",
    [
        httpx.ReadError("x"),
        httpx.WriteError("x"),
        httpx.ReadTimeout("x"),
        httpx.RemoteProtocolError("x"),
        httpx.DecodingError("x"),
        httpx.CloseError("x"),
        TimeoutError(),
        RuntimeError("another loop"),
        OSError(),
    ],
)
def test_any_other_error_is_a_doubt_even_without_a_trace(error):
    assert type(classify_no_answer(WRITE, error, Wire())) is errors.Doubtful
    assert type(classify_no_answer(READ, error, Wire())) is errors.Broken


def test_words_are_kept_in_every_known_shape():
    assert messages_of({"cnpj": ["exists"], "detail": "Not found"}) == {"cnpj": ["exists"], "detail": ["Not found"]}
    assert messages_of({"service_values": {"iss": ["a", "b"]}}) == {"service_values.iss": ["a", "b"]}
    assert messages_of({"taker": {"address": [{"zip_code": ["c"]}]}}) == {"taker.address.zip_code": ["c"]}
    assert messages_of({"errors": [{"serie": ["d"]}, "e"]}) == {"errors.serie": ["d"], "errors": ["e"]}
    assert messages_of("bare") == {"": ["bare"]}
    assert messages_of(None) == {}


def test_words_are_masked_and_bounded():
    error = judged(WRITE, 422, {"cnpj": ["99.000.001/0001-01 exists, ask ana@mares.example"], "x": ["y" * 9_000]})
    assert error.messages["cnpj"] == ["*** exists, ask ***"]
    assert len(error.messages["x"][0]) == 300
    assert len(messages_of({str(n): ["x"] for n in range(1_000)})) == 50
    assert "0001" not in str(error)


def test_words_do_not_quote_a_secret_back():
    values = {"password": ["letmein is wrong"], "token": "t0ken", "detail": "certificate t0ken, senha letmein"}
    assert messages_of(values, "letmein") == {
        "password": ["*** is wrong"],
        "token": ["***"],
        "detail": ["certificate t0ken, senha ***"],
    }


def test_an_error_names_the_call_without_its_query():
    error = judged(WRITE, 422, {"cnpj": ["exists"]})
    assert error.call == "POST nfse"
    assert error.keys == ("cnpj",)
    assert error.problem.code == "provider.refused"
    assert error.problem.params == {"call": "POST nfse", "facts": "POST nfse, 422, cnpj: exists"}
