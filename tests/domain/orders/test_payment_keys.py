"""A key of a payment is found in every spelling that people give it, and nothing else is."""

import pytest

from domain.orders.billing import payment_key
from domain.orders.payment_keys import folded_payment, named_payment, read_payment

SPELLINGS = (
    "essencial #9001",
    "Essencial #9001",
    " ESSENCIAL  # 9001 ",
    "essencial#9001",
    "essencial #09001",
    "essencial 9001",
    "essencial-9001",
    "Essencial Nº 9001",
    "essencial n° 9001",
    "essencial nº9001",
    "essencial №9001",
    "essencial #9001.0",
    "essencial #9001,00",
    "essencial ＃９００１",
)
SLUGS = {9_001: {"essencial", "plano-pro"}, 1: {"a-1", "a", "plano_pro", "plano-pro"}, 11: {"a"}}


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_is_the_same_payment(text: str) -> None:
    assert named_payment(text, SLUGS) == "essencial #9001"
    assert folded_payment(text) == "essencial #9001"


@pytest.mark.parametrize(
    ("text", "key"), [("Plano Pro 9001", "plano-pro #9001"), ("a 1 #1", "a-1 #1"), ("a #1", "a #1"), ("A 11", "a #11")]
)
def test_signs_in_a_plans_slug_do_not_matter(text: str, key: str) -> None:
    assert named_payment(text, SLUGS) == key


@pytest.mark.parametrize(
    "text",
    [
        "essencial",
        "#9001",
        "9001",
        "essencial9001",
        "essencial #9.001",
        "essencial #9001.000",
        "essencial #9002",
        "basico #9001",
        "essencial #" + "9001".zfill(30),
        "essencial" + " " * 200 + "#9001",
        "Plano Pro 1",  # two plans have this name and a payment with this number
        "",
    ],
)
def test_other_texts_name_no_payment(text: str) -> None:
    assert named_payment(text, SLUGS) is None


def test_an_exact_key_names_one_of_two_plans_that_read_alike() -> None:
    assert named_payment("plano_pro #1", SLUGS) == "plano_pro #1"
    assert named_payment("plano-pro  #1", SLUGS) == "plano-pro #1"


def test_a_plan_may_end_with_a_word_for_number() -> None:
    assert named_payment("plano no 7", {7: {"plano-no"}}) == "plano-no #7"
    assert named_payment("plano no 7", {7: {"plano"}}) == "plano #7"
    assert named_payment("plano no 7", {7: {"plano", "plano-no"}}) is None


def test_our_own_keys_are_read_back() -> None:
    for slug in ("essencial", "plano-2024", "a-1"):
        found = read_payment(payment_key(slug, 12))
        assert found is not None
        assert found.number == 12
        assert named_payment(payment_key(slug, 12), {12: {slug}}) == payment_key(slug, 12)
