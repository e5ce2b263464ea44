"""The seller's fourteen months: the same every time, believable, and with the difficult cases of reports."""

from collections import Counter

from connectors.emulation.documents import is_cnpj, is_cpf
from connectors.orders.emulator.seed import MONTHS, default_sales

PAID = [row for row in default_sales()["invoices"] if row["paid_at"]]


def test_the_seed_has_the_documented_counts():
    assert len(default_sales()["orders"]) == 60
    assert 380 <= len(PAID) <= 440
    assert len({row["paid_at"][:7] for row in PAID}) == MONTHS
    assert set(Counter(row["plan_data"]["slug"] for row in PAID)) == {"essencial", "profissional", "empresarial"}
    assert any(row["paid_at"] is None for row in default_sales()["invoices"])


def test_numbers_are_unique_within_a_plan_and_follow_time():
    for slug in ("essencial", "profissional", "empresarial"):
        rows = [row for row in default_sales()["invoices"] if row["plan_data"]["slug"] == slug]
        assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
        assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)


def test_documents_are_valid_fictional_and_some_have_letters():
    documents = {order["document_number"] for order in default_sales()["orders"]}
    assert all(text.startswith("99") and (is_cpf(text) or is_cnpj(text)) for text in documents)
    assert len(documents) == 60
    assert any(not text.isdigit() for text in documents)
    assert {len(text) for text in documents} == {11, 14}


def test_the_seed_has_the_difficult_cases_of_reports():
    names = {order["client_name"] for order in default_sales()["orders"]}
    assert {name[0] for name in names} >= {"=", "+", "@"}
    evenings = [row for row in PAID if row["paid_at"][8:10] in {"28", "30", "31"} and row["paid_at"][11:13] >= "21"]
    assert evenings
    assert any(len(row["redeemed_adjustments"]) == 2 for row in PAID)
    assert any(row["redeemed_adjustments"] and row["redeemed_adjustments"][0]["amount"][0] == "-" for row in PAID)


def test_amounts_add_up():
    def cents(text):
        return int(text.replace(".", ""))

    for row in default_sales()["invoices"]:
        adjusted = cents(row["amount"]) + sum(cents(part["amount"]) for part in row["redeemed_adjustments"])
        assert cents(row["amount_with_adjustments"]) == adjusted
