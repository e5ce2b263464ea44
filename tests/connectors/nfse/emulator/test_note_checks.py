"""Every post gets a documented answer: the provider never crashes, and never stores half a note."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sandboxes import note_body

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**25), 10**25),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.sampled_from(["id", "cpf", "address", "number", "service_amount"]), st.integers(), max_size=2),
)
FIELDS = [
    *("emitter_id", "taker", "taker_id", "serie", "number", "batch_id", "emission_date", "competence", "rps_type"),
    *("service_values", "substitute_rps", "rps_situation", "other_informations", "allow_incomplete", "send_nfse_taker"),
]
VALUES = ["id", "service_amount", "iss_percentage", "service_item_code", "cnae_code", "city_code", "retained_iss"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=4),
    values=st.dictionaries(st.sampled_from(VALUES), ODD, max_size=3),
)
def test_any_note_is_stored_or_refused(provider, changes, values):
    body = note_body(1, service_values=values)
    status, answer, _ = provider.call("POST", "/api/v1/nfse", body | changes)
    assert status in (201, 202, 400, 422)  # 400: infinity is not JSON.
    if status == 400:
        assert answer == {"detail": "JSON parse error"}
    elif status == 422:
        assert answer
        assert all(isinstance(messages, list | dict) for messages in answer.values())
    else:
        assert provider.get(f"nfse/{answer['id']}")["id"] == answer["id"]


def test_an_empty_text_counts_as_absent_but_never_as_no_batch(provider):
    """A note without batch is issued at once."""
    fields = ("taker_id", "number", "competence", "rps_type", "special_regime", "substitute_rps", "send_nfse_taker")
    blank = {"deduction_amount": "", "nfse_liquid_amount": "", "retained_iss": "", "city_code": ""}
    body = note_body(1, service_values=blank) | dict.fromkeys(fields, "")
    assert provider.call("POST", "/api/v1/nfse", body)[0] == 202
    status, answer, _ = provider.call("POST", "/api/v1/nfse", body | {"batch_id": ""})
    assert (status, list(answer)) == (422, ["batch_id"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    noun=st.sampled_from(
        ["takers", "batches", "service-values", "emitters", "service-values/1/calculation-liquid-amount"]
    ),
    body=st.one_of(ODD, st.dictionaries(st.sampled_from(["cpf", "cnpj", "name", "emitter_id", "service_amount"]), ODD)),
)
def test_any_body_gets_a_documented_answer(provider, noun, body):
    assert provider.post(noun, body)[0] in (200, 201, 400, 422)


def test_a_missing_or_textual_body_is_refused(provider):
    assert provider.call("POST", "/api/v1/nfse")[0] == 422
    assert provider.call("POST", "/api/v1/nfse", "text")[0] == 422
    assert provider.call("GET", f"/api/v1/nfse/{10**30}")[0] == 404


def test_equal_meanings_have_equal_digests(provider):
    batch = provider.open_batch()
    provider.post_note(1, batch=batch)
    provider.post_note(
        1, emission_date="2026-11-20T13:00:00Z", service_values={"service_amount": 1000, "iss_amount": 50}
    )
    provider.post_note(1, service_values={"service_amount": "1000.01"})
    digests = [note["digest"] for note in provider.record()["notes"]]
    assert digests[0] == digests[1] != digests[2]
