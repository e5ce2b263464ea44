"""Paid orders billed by workers that are killed again and again, or two at once: one invoice for each payment."""

from collections import Counter
from typing import Final

from connectors.nfse.emulator.seed import default_company
from tests.faults.test_contracts_killed import kill_at, living, run_two
from tests.faults.theatre import ON_POSTGRESQL, ON_SQLITE, Theatre, notes_of
from tests.tasks.payments.paid_orders import NEW, pay, rule_file

COUNT = 12
CUSTOMERS: Final = default_company()["takers"]
MOMENTS = (
    ("invoices.paid", 1),
    ("orders.of_plan", 1),
    ("batches.create", 1),
    ("notes.create", 2),
    ("notes.create", 7),
    ("batches.send", 1),
)


def sell(theatre: Theatre) -> None:
    """Add a payment for each known customer, and a rule file for their plan."""
    theatre.more["ORDERS__RULES"] = str(rule_file(theatre.home))
    for name in ("ORDERS", "IDENTITY"):
        theatre.more[f"{name}__BASE_URL"] = theatre.sandbox.base_url
    for number in range(COUNT):
        taker = CUSTOMERS[number]
        payer = {"client_name": taker["social_reason"], "document_number": taker.get("cnpj") or taker["cpf"]}
        pay(theatre.sandbox, NEW + number, user_data=payer)


def assert_once(theatre: Theatre) -> None:
    """Check that each payment has one note: each customer made one payment."""
    evidence = theatre.evidence()
    documents = Counter(note["taker_document"] for note in notes_of(evidence))
    assert (len(documents), set(documents.values())) == (COUNT, {1}), theatre.logs()
    assert set(living(evidence).values()) == {1}
    assert theatre.sandbox.record()["violations"] == []


@ON_POSTGRESQL
def test_two_schedulers_at_once_bill_each_payment_once(theatre: Theatre) -> None:
    sell(theatre)
    run_two(theatre)
    assert_once(theatre)


@ON_SQLITE
def test_killed_at_six_moments_each_payment_is_billed_once(theatre: Theatre) -> None:
    sell(theatre)
    kill_at(theatre, MOMENTS)
    assert_once(theatre)
