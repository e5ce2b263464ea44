"""The next request shows what happened at the seller."""

import pytest


def test_a_sale_is_added_changed_and_dropped(sandbox):
    before = sandbox.record()["sales"]["paid_count"]
    fields = {"number": 900, "paid_at": "2026-11-19 10:00:00", "amount_with_adjustments": "1.00"}
    sandbox.control("act", {"do": "add_sale", "plan": "essencial", "like": 1, "fields": fields})
    assert sandbox.record()["sales"]["paid_count"] == before + 1
    month = sandbox.record()["sales"]["paid_cents"]["essencial"]["2026-11"]
    change = {"do": "change_sale", "plan": "essencial", "number": 900, "fields": {"amount_with_adjustments": "3.50"}}
    sandbox.control("act", change)
    assert sandbox.record()["sales"]["paid_cents"]["essencial"]["2026-11"] == month + 250
    sandbox.control("act", {"do": "drop_sale", "plan": "essencial", "number": 900})
    assert sandbox.record()["sales"]["paid_count"] == before


def test_an_order_changes(sandbox, get):
    number = get("orders/essencial/?limit=1")[1][0]["number"]
    sandbox.control("act", {"do": "change_order", "number": number, "fields": {"is_active": False}})
    assert get(f"orders/essencial/{number}/")[1]["is_active"] is False


@pytest.mark.parametrize(
    "act",
    [
        {"do": "add_sale", "plan": "essencial", "like": 999, "fields": {}},
        {"do": "change_sale", "plan": "essencial", "number": 999, "fields": {}},
        {"do": "change_order", "number": 999, "fields": {}},
        {"do": "drop_sale"},
    ],
)
def test_an_impossible_value_is_refused_in_words(sandbox, act):
    status, body, _ = sandbox.call("POST", "/_sandbox/act", act)
    assert (status, list(body)) == (400, ["detail"])


def test_an_act_may_fall_between_two_pages(sandbox, get):
    act = {"do": "drop_sale", "plan": "empresarial", "number": 1}
    sandbox.faults({"operation": "invoices.paid", "kind": "act", "act": act})
    assert get("empresarial/invoices/paid/?since=2025-10-01&limit=1")[1][0]["number"] == 1
    assert get("empresarial/invoices/paid/?since=2025-10-01&limit=1")[1][0]["number"] != 1
