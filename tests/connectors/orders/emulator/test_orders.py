"""Orders and adjustments as plain HTTP requests and answers."""

import pytest

from tests.connectors.orders.samples import ACCOUNT, IDENTITY

ASKED = {"global_account": ACCOUNT, "client_email": "pagador@cliente.example", "identity": IDENTITY}


def test_a_new_order_has_no_code_and_a_checkout_below_its_plan(post):
    status, made, headers = post("essencial/", ASKED)
    assert (status, made["user_code"]) == (201, "")
    assert made["checkout_url"] == headers["location"]
    assert made["checkout_url"].endswith(f"/essencial/{made['number']}/checkout/")


@pytest.mark.parametrize(("more", "named"), [({}, []), ({"client_email": "ninguem"}, ["client_email"])])
def test_an_order_of_nobody_is_refused_as_a_whole(post, more, named):
    body = {**ASKED, **more}
    del body["global_account"]
    status, answer, _ = post("essencial/", body)
    assert (status, len(answer["errors"]), [*answer.get("field_errors", ())]) == (400, 1, named)


def test_empty_texts_count_as_absent_and_an_account_is_one_in_capitals_too(post):
    """Clients send every field of their form."""
    optional = ("client_name", "client_cpf", "active_until", "discount_amount", "discount_description")
    assert post("essencial/", {**ASKED, **dict.fromkeys(optional, "")})[0] == 201
    assert post("essencial/", {**ASKED, "active_until": "2027-01-31"})[0] == 201
    assert post("essencial/", {**ASKED, "global_account": ACCOUNT.upper()})[0] == 409


def test_an_adjustment_on_no_invoice_has_redeemed_a_plain_zero(post):
    number = post("essencial/", ASKED)[1]["number"]
    status, made, _ = post(f"essencial/{number}/adjustments/", {"amount": -5.5, "description": "Indicação"})
    assert (status, made["amount"], made["redeemed_amount"]) == (201, "-5.50", 0)
