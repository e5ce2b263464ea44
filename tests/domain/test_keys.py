"""Keys: the same facts always give the same key, any other fact another one."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import keys

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
BILL: dict[str, Any] = {
    "emitter_cnpj": "99000001000101",
    "competence": date(2026, 11, 1),
    "own_key": None,
    "taker_document": "99ABC001000157",
    "template": "Consultoria",
    "service_cents": 100_000,
    "description": "Consultoria de novembro",
    "contract": None,
}
OTHER: dict[str, Any] = {
    "emitter_cnpj": "99000002000148",
    "competence": date(2026, 12, 1),
    "own_key": "PED-1",
    "taker_document": "52998224725",
    "template": "Suporte",
    "service_cents": 100_001,
    "description": "Consultoria de outubro",
    "contract": "C-1",
}


@given(JSON)
def test_json_has_one_spelling(value):
    text = keys.canonical_json(value)
    assert json.loads(text) == value
    assert keys.canonical_json(json.loads(text)) == text


@given(st.dictionaries(st.text(max_size=5), st.integers(), min_size=2))
def test_the_order_of_names_does_not_matter(value):
    assert keys.canonical_json(dict(reversed(value.items()))) == keys.canonical_json(value)


def test_letters_stay_letters_and_no_other_text_is_a_number():
    assert keys.canonical_json({"b": 1, "a": "São"}) == '{"a":"São","b":1}'
    with pytest.raises(ValueError):
        keys.canonical_json(float("nan"))


def test_a_file_is_its_bytes():
    assert keys.file_digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert keys.file_digest(b"a") != keys.file_digest(b"b")


@pytest.mark.parametrize("name", OTHER)
def test_any_billed_difference_is_another_invoice(name):
    assert keys.business_key(**BILL) != keys.business_key(**{**BILL, name: OTHER[name]})


@pytest.mark.parametrize(
    "description",
    [
        " consultoria  DE novembro ",
        "Consultoria de\nNovembro",
        "Consultoria de novembro.",
        "Consultoria – de novembro",
        "Consultoria \u2212 de novembro!",
        "“Consultoria” de novem\u00adbro",
    ],
)
def test_spelling_does_not_make_a_second_invoice(description):
    assert keys.business_key(**{**BILL, "description": description}) == keys.business_key(**BILL)


@pytest.mark.parametrize("dash", "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\uff0d")
def test_every_dash_is_the_same_dash(dash):
    values = {**BILL, "own_key": f"PED{dash}1", "description": f"Plano A {dash} novembro", "template": f"X{dash}Y"}
    plain = {**BILL, "own_key": "PED-1", "description": "Plano A - novembro", "template": "X-Y"}
    assert keys.business_key(**values) == keys.business_key(**plain)
    assert keys.business_key(**{**values, "own_key": None}) == keys.business_key(**{**plain, "own_key": None})


@pytest.mark.parametrize(("one", "other"), [("C", "C++"), ("1.1", "11"), ("...", "--"), ("10 %", "10")])
def test_signs_that_say_something_make_another_charge(one, other):
    assert keys.business_key(**{**BILL, "own_key": one}) != keys.business_key(**{**BILL, "own_key": other})


def test_a_paid_item_is_one_charge_whatever_else_is_stated():
    paid = {**BILL, "paid_invoice": "essencial #17"}
    for name, other in {**OTHER, "own_key": "PED-1", "contract": "C-1"}.items():
        assert keys.business_key(**paid) == keys.business_key(**{**paid, name: other})
    assert keys.business_key(**paid) == keys.business_key(**{**paid, "paid_invoice": " essencial  #17"})
    for other in ("essencial #18", "essencial 17", "essencial #1 7", "Essencial #17"):
        assert keys.business_key(**paid) != keys.business_key(**{**paid, "paid_invoice": other})


def test_a_late_charge_of_a_contract_has_the_key_of_its_own_month():
    october, december = date(2026, 10, 1), date(2026, 12, 1)
    own = keys.business_key(**{**BILL, "competence": october, "own_key": "C-1"})
    late = {**BILL, "contract": "c 1", "charge_month": october, "service_cents": 1, "description": "y"}
    assert keys.business_key(**late) == own == keys.business_key(**{**late, "competence": december})
    assert keys.business_key(**{**late, "charge_month": december}) != own
    assert keys.business_key(**{**late, "contract": "C-2"}) != own


def test_the_users_own_key_stands_for_everything_but_emitter_and_month():
    own = {**BILL, "own_key": "PED-1"}
    changed = {**own, "taker_document": "52998224725", "service_cents": 1, "template": "x", "description": "y"}
    assert keys.business_key(**own) == keys.business_key(**changed)
    assert keys.business_key(**own) != keys.business_key(**{**own, "competence": date(2026, 12, 1)})
    assert keys.business_key(**own) != keys.business_key(**{**own, "emitter_cnpj": "99000002000148"})


def test_parts_that_run_together_are_not_confused():
    assert keys.business_key(**{**BILL, "template": "ab", "description": "c"}) != keys.business_key(
        **{**BILL, "template": "a", "description": "bc"}
    )


def test_a_batch_name_can_be_read_and_is_short_enough():
    name = keys.batch_name(
        competence=date(2026, 11, 1), file_sha256="ab" * 32, ordinal=12_345, revision=99, nonce="0123456789abcdef"
    )
    assert name == "2026-11 ababababab #12345 r99 0123456789abcdef"
    assert len(name) <= keys.BATCH_NAME_LIMIT
    with pytest.raises(ValueError):
        keys.batch_name(competence=date(2026, 11, 1), file_sha256="ab", ordinal=1, revision=1, nonce="n" * 60)


ANSWER: dict[str, Any] = {
    "remote_id": 1,
    "batch_remote_id": 2,
    "serie": "F",
    "number": 3,
    "amounts": {"service_amount": 100},
}


@pytest.mark.parametrize(
    "change",
    [{"remote_id": 9}, {"batch_remote_id": 9}, {"serie": "G"}, {"number": 9}, {"amounts": {"service_amount": 101}}],
)
def test_an_approval_is_bound_to_every_answer(change):
    one, other = keys.answer_digest(**ANSWER), keys.answer_digest(**{**ANSWER, **change})
    assert one != other
    assert keys.proof_digest(2, 1, [one]) != keys.proof_digest(2, 1, [other])


def test_an_approval_covers_batch_revision_count_not_the_order():
    proof = keys.proof_digest(2, 1, ["a", "b"])
    assert proof == keys.proof_digest(2, 1, iter(["b", "a"]))
    assert len({proof, keys.proof_digest(3, 1, ["a", "b"]), keys.proof_digest(2, 2, ["a", "b"])}) == 3
    assert keys.proof_digest(2, 1, ["a", "b", "b"]) != proof
