"""A month of contracts whose workers are killed repeatedly: each contract has exactly one invoice in it."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from connectors.ledger import contracts as ledger_contracts
from domain.states import LIVING
from tasks.contracts.month import charges_of_month
from tasks.contracts.plans import apply_contracts, plan_contracts
from tests.faults.evidence import Evidence, Record
from tests.faults.provider import cents_of
from tests.faults.theatre import Theatre, notes_of
from tests.tasks.contracts.sheets import contract, customer, write_contracts
from tests.tasks.rows import SAO_PAULO

COUNT = 20
MOMENTS = (
    ("service_values.calculate", 1),
    ("batches.create", 1),
    ("notes.create", 2),
    ("notes.create", 9),
    ("batches.send", 1),
    ("batches.notes", 1),
)


def enter_contracts(theatre: Theatre, path: Path) -> None:
    """Enter contracts, alternating between both companies."""
    rows = [contract(number, **({"CNPJ Emitente": SAO_PAULO} if number % 2 else {})) for number in range(1, COUNT + 1)]
    with theatre.context() as context:
        plans = plan_contracts(context, write_contracts(path, rows))
        assert {plan.status for plan in apply_contracts(context, plans, person="Ana", because="x")} == {"new"}


def living(evidence: Evidence) -> Counter[str]:
    """Return the number of living invoices for each business key."""
    return Counter(each["business_key"] for each in evidence.ledger["invoices"] if each["state"] in LIVING)


def assert_once(notes: Sequence[Record]) -> None:
    """Check that each customer, who has one contract, has one note."""
    assert len({note["taker_document"] for note in notes}) == len(notes) == COUNT


def test_two_schedulers_at_once_bill_each_contract_once(theatre: Theatre) -> None:
    enter_contracts(theatre, theatre.home / "contratos.csv")
    run_two(theatre)
    evidence = theatre.evidence()
    assert_once(notes_of(evidence))
    assert set(living(evidence).values()) == {1}


def has_seen(theatre: Theatre, operation: str, least: int) -> bool:
    return theatre.seen(operation) >= least


def kill_at(theatre: Theatre, moments: Sequence[tuple[str, int]]) -> None:
    """Kill a worker that gathers at each of these requests, and let the last one come to its end."""
    for operation, least in moments:
        process = theatre.start_alone(gathers=True)
        theatre.until(partial(has_seen, theatre, operation, least), process)
        process.kill()
        theatre.finish(process)
        assert set(living(theatre.evidence()).values()) <= {1}
    theatre.run(gathers=True)


def run_two(theatre: Theatre) -> None:
    """Run two schedulers at once."""
    workers = [theatre.start(gathers=True) for _ in range(2)]
    assert [theatre.finish(each) for each in workers] == [0, 0], theatre.logs()


def change_amounts(theatre: Theatre, path: Path, cents: int) -> set[str]:
    """Give every contract another amount. Return the customers whose charge has an invoice already."""
    rows = [
        contract(number, Valor=f"{cents // 100},00", **({"CNPJ Emitente": SAO_PAULO} if number % 2 else {}))
        for number in range(1, COUNT + 1)
    ]
    with theatre.context() as context:
        plans = plan_contracts(context, write_contracts(path, rows))
        assert {plan.status for plan in apply_contracts(context, plans, person="Ana", because="x")} == {"changed"}
        month = context.today.replace(day=1)
        return {each.contract.customer.number for each in charges_of_month(context, month) if each.status == "billed"}


def test_contracts_changed_between_kills_are_billed_once(theatre: Theatre) -> None:
    enter_contracts(theatre, theatre.home / "contratos.csv")
    terms = {customer(number): 10_000 + number for number in range(1, COUNT + 1)}
    # Before the send: what the city rejects is billed again with the contract's new terms.
    for place, (operation, least) in enumerate(MOMENTS[:4]):
        process = theatre.start_alone(gathers=True)
        theatre.until(partial(has_seen, theatre, operation, least), process)
        process.kill()
        theatre.finish(process)
        cents = 20_000 + 100 * place
        billed = change_amounts(theatre, theatre.home / "contratos.csv", cents)
        # Whoever has an invoice keeps its terms.
        terms |= dict.fromkeys(terms.keys() - billed, cents)
    theatre.run(gathers=True)
    evidence = theatre.evidence()
    assert_once(notes_of(evidence))
    assert set(living(evidence).values()) <= {1}
    amounts = {
        note["taker_document"]: cents_of(note["service_values"]["service_amount"]) for note in notes_of(evidence)
    }
    assert amounts == terms


def test_killed_at_six_moments_each_contract_is_billed_once(theatre: Theatre) -> None:
    enter_contracts(theatre, theatre.home / "contratos.csv")
    kill_at(theatre, MOMENTS)

    evidence = theatre.evidence()
    notes = notes_of(evidence)
    assert_once(notes)
    assert {note["status"] for note in notes} == {"accepted", "rejected"}
    accepted = sum(note["status"] == "accepted" for note in notes)
    assert sum(living(evidence).values()) == accepted

    with theatre.context() as context:
        month = context.today.replace(day=1)
        statuses = Counter(each.status for each in charges_of_month(context, month))
        assert statuses == {"billed": accepted, "due": COUNT - accepted}
        sheets = context.ledger.read(ledger_contracts.sheets_of, month)
    # A charge that the city rejected is asked about again and refused unchanged: nothing more is issued in any run.
    for _ in range(2):
        theatre.run(gathers=True)
    assert notes_of(theatre.evidence()) == notes
    with theatre.context() as context:
        assert len(context.ledger.read(ledger_contracts.sheets_of, month)) <= len(sheets) + 1
