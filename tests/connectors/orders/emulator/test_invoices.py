"""The list of paid invoices: `since`, its silent default, and its order."""

import pytest


def numbers(get, query):
    return [row["number"] for row in get(f"essencial/invoices/paid/?limit=100&{query}")[1]]


def test_since_is_inclusive_and_a_time_in_sao_paulo(get, sandbox):
    fields = {"number": 900, "paid_at": "2026-11-19 10:00:00"}
    sandbox.control("act", {"do": "add_sale", "plan": "essencial", "like": 1, "fields": fields})
    assert numbers(get, "since=2026-11-19") == [900]
    assert numbers(get, "since=2026-11-19T10:00:00") == [900]
    assert numbers(get, "since=2026-11-19+10:00:01") == []


def test_left_out_since_means_one_month_ago(get, sandbox):
    """Nine years later nothing was paid within a month, although the list is long."""
    sandbox.control("clock", {"ahead_s": 283_824_000})
    assert numbers(get, "") == []
    assert len(numbers(get, "since=2025-10-01")) == 100


def test_an_invalid_since_is_refused(get):
    assert get("essencial/invoices/paid/?since=ontem")[1] == {"field_errors": {"since": ["Informe uma data válida."]}}


def test_paid_invoices_are_listed_oldest_payment_first(get):
    paid = [row["paid_at"] for row in get("essencial/invoices/paid/?since=2025-10-01&limit=100")[1]]
    assert paid == sorted(paid)


@pytest.mark.parametrize("table", ["invoice"])
def test_a_record_has_the_documents_fields_and_own_addresses(get, sandbox, table):
    row = get("essencial/invoices/paid/?since=2025-10-01&limit=1")[1][0]
    assert row["url"] == f"{row['order_url']}invoices/{row['number']}/"
    path = row["url"].removeprefix(f"{sandbox.base_url}/api/")
    assert get(path)[1] == row
    assert "order" not in row
