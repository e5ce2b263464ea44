"""Product invoices, which a post issues at once: answers are lost, workers are killed, and each order has one."""

import random
import time
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Final

from tests.faults.evidence import Record
from tests.faults.sales import batch_of_sales, month_of_sales, sale_faults, unfinished_sales
from tests.faults.sales_theatre import CREATES, Ledger, SalesTheatre
from tests.faults.theatre import LATE_S, ON_POSTGRESQL, ON_SQLITE, in_turn, rule

_KILLED_AFTER: Final = (3, 9, 17, 25)
_LONGEST_PAUSE_S: Final = 0.03
_PATIENCE_S: Final = 900.0
_A_MOMENT_S: Final = 0.3
_PAUSE_S: Final = 0.2
"""Between two looks for what a person has to decide: each reads the whole ledger."""
"""A moment after the worker gave up on an answer, and still within the quiet time."""
Plant = Callable[[Ledger, Record], object]


def test_lost_answers_and_repeated_kills_issue_each_order_once(sales_theatre: SalesTheatre) -> None:
    sales = month_of_sales(30)
    sheet = sales_theatre.offer(sales)
    sales_theatre.sandbox.faults(*(rule(each, "lose_answer", share=0.34, seed=n) for n, each in enumerate(CREATES)))
    chance = random.Random(20261120)

    for count in _KILLED_AFTER:
        _kill_after(sales_theatre, sheet, count, pause_s=chance.random() * _LONGEST_PAUSE_S)
        sales_theatre.check_sound(sales)
    sales_theatre.run(sheet)
    while sales_theatre.decide_what_only_a_person_can():
        sales_theatre.run(sheet)

    ledger, record = sales_theatre.check_done(sales)
    outcomes = {attempt["outcome"] for attempt in ledger["attempts"]}
    assert outcomes >= {"done", "in_doubt"}
    assert {each["status"] for each in record["product_invoices"]} == {"succeeded", "rejected"}
    for name, plant in _PLANTS.items():
        spoilt = deepcopy((ledger, record))
        plant(*spoilt)
        found = [*sale_faults(sales, *spoilt, quiet_s=sales_theatre.quiet_s), *unfinished_sales(sales, *spoilt)]
        assert found, f"the checker does not see: {name}"


def test_a_run_ends_where_only_a_person_can_decide(sales_theatre: SalesTheatre) -> None:
    sales = month_of_sales(30)
    sheet = sales_theatre.offer(sales)
    sales_theatre.sandbox.faults(*(rule(each, "reset_before", after=4, count=9) for each in CREATES))
    sales_theatre.run(sheet)
    assert sales_theatre.decide_what_only_a_person_can(), "no post was lost twice"
    sales_theatre.run(sheet)
    sales_theatre.check_done(sales)


_TROUBLES: dict[str, list[Record]] = {
    "issued, and no usable answer": [
        rule("nfe.create", "lose_answer", count=1),
        rule("nfe.create", "status_500", when="after", share=0.1, seed=1),
        rule("nfe.create", "status_503", when="after", share=0.1, seed=2),
        rule("nfe.create", "truncated", share=0.1, seed=3),
        rule("nfe.create", "truncated_head", share=0.1, seed=4),
        rule("nfe.create", "malformed", after=9, count=1),
    ],
    "not issued, and no usable answer": [
        rule("nfe.create", "status_503", after=2, count=2),
        rule("nfe.create", "reset_before", after=6, count=2),
        rule("nfe.create", "reset_after", after=10, count=2),
        rule("nfe.create", "close_after", after=14, count=2),
    ],
    "told to come back later": [rule("nfe.create", "status_429", seconds=0.05, after=1, count=4)],
    "work that comes late": [rule("nfe.create", "held", seconds=_A_MOMENT_S, share=0.3, seed=2)],
    "looks that stumble": [
        rule("nfe.create", "lose_answer", share=0.2, seed=1),
        rule("nfe.list", "status_500", after=1, count=3),
        rule("nfe.read", "close_after", count=2),
    ],
}


@in_turn("troubles", _TROUBLES)
def test_each_kind_of_trouble_issues_exactly_once(sales_theatre: SalesTheatre, troubles: list[Record]) -> None:
    assert sales_theatre.quiet_s > _A_MOMENT_S
    sales = batch_of_sales(20)
    sales_theatre.sandbox.faults(*troubles)

    # An invoice with two doubts waits for a person, and the worker for it.
    process = sales_theatre.start_alone(sales_theatre.offer(sales))
    while process.exitcode is None:
        sales_theatre.decide_what_only_a_person_can()
        process.join(_PAUSE_S)
    assert process.exitcode == 0, sales_theatre.logs()
    while sales_theatre.decide_what_only_a_person_can():
        sales_theatre.run()

    sales_theatre.check_done(sales)
    unused = [each["kind"] for each in sales_theatre.sandbox.control("faults") if not each["applied"]]
    assert unused == []


@ON_SQLITE
def test_an_invoice_doubted_twice_waits_for_a_person(sales_theatre: SalesTheatre) -> None:
    sales = batch_of_sales(1)
    sales_theatre.sandbox.faults(rule("nfe.create", "close_after", count=2))
    sheet = sales_theatre.offer(sales)
    process = sales_theatre.start_alone(sheet)
    assert sales_theatre.until(lambda: len(sales_theatre.state()[0]["incidents"]) == 1, process)
    assert sales_theatre.seen(*CREATES) == 2

    assert sales_theatre.decide_what_only_a_person_can()
    assert sales_theatre.finish(process) == 0, sales_theatre.logs()
    assert sales_theatre.seen(*CREATES) == 2
    sales_theatre.run(sheet)

    ledger, _ = sales_theatre.check_done(sales)
    assert [(each["number"], each["state"]) for each in ledger["invoices"]] == [(1, "retired"), (2, "accepted")]


def _has_posted(sales_theatre: SalesTheatre, least: int) -> bool:
    return sales_theatre.seen(*CREATES) >= least


def test_after_two_kills_in_one_group_unsent_notes_continue(sales_theatre: SalesTheatre) -> None:
    """A second doubt sends a note to a person: at most the one that was in flight at the second kill."""
    sales = batch_of_sales(12)
    sheet = sales_theatre.offer(sales)
    for _ in range(2):
        # Late answers, but the first: each worker is killed with posts in flight.
        sales_theatre.sandbox.faults(
            *(rule(each, "late", after=1, seconds=LATE_S, count=len(sales)) for each in CREATES)
        )
        before = sales_theatre.seen(*CREATES)
        process = sales_theatre.start_alone(sheet)
        assert sales_theatre.until(partial(_has_posted, sales_theatre, before + 2), process)
        process.kill()
        assert sales_theatre.finish(process) < 0
    assert sales_theatre.seen(*CREATES) < len(sales), "it was killed too late"
    sales_theatre.sandbox.faults()

    asked = set()
    process = sales_theatre.start_alone(sheet)
    while process.exitcode is None:
        asked |= {each["id"] for each in sales_theatre.state()[0]["invoices"] if each["state"] == "unresolved"}
        sales_theatre.decide_what_only_a_person_can()
        process.join(_PAUSE_S)
    assert process.exitcode == 0, sales_theatre.logs()
    while sales_theatre.decide_what_only_a_person_can():
        sales_theatre.run(sheet)

    sales_theatre.check_done(sales)
    assert len(asked) <= 1


@ON_POSTGRESQL
def test_a_request_after_quiet_time_issues_no_second_invoice(sales_theatre: SalesTheatre) -> None:
    """Nothing shows that it is still under way. Under the same number the tax authority takes only one."""
    sales = batch_of_sales(12)
    sales_theatre.sandbox.faults(rule("nfe.create", "held", count=1), rule("nfe.create", "release", after=2, count=1))

    process = sales_theatre.start_alone(sales_theatre.offer(sales))
    sales_theatre.until(
        lambda: len({each["number"] for each in sales_theatre.state()[1]["product_invoices"]}) == 12, process
    )
    assert sales_theatre.seen(*CREATES) == len(sales) + 1
    process.kill()

    _, record = sales_theatre.state()
    first = [each["status"] for each in record["product_invoices"] if each["number"] == 1]
    assert first.count("succeeded") == 1


def _issued(record: Record) -> Record:
    return next(each for each in record["product_invoices"] if each["status"] == "succeeded")


def _accepted(ledger: Ledger) -> Record:
    return next(each for each in ledger["invoices"] if each["state"] == "accepted")


_PLANTS: dict[str, Plant] = {
    "an order invoiced twice": lambda _, record: record["product_invoices"].append(
        _issued(record) | {"id": 9_999, "number": 9_999}
    ),
    "a number used twice": lambda _, record: record["product_invoices"].append(_issued(record) | {"id": 9_999}),
    "an invoice that is not there": lambda _, record: record["product_invoices"].remove(_issued(record)),
    "one cent": lambda ledger, _: _accepted(ledger).update(liquid_cents=_accepted(ledger)["liquid_cents"] + 1),
    "a rejection taken for a yes": lambda _, record: _issued(record).update(status="rejected", errors=["Rejeicao 778"]),
    "an invoice left behind": lambda ledger, _: _accepted(ledger).update(state="in_doubt"),
    "a post that nobody wrote down": lambda ledger, _: ledger["attempts"].clear(),
    "a post before the yes": lambda ledger, _: ledger["approvals"].clear(),
    "a violation": lambda _, record: record["violations"].append({"kind": "product_issued_twice"}),
}


def _kill_after(sales_theatre: SalesTheatre, sheet: Path, count: int, *, pause_s: float) -> None:
    """SIGKILL a moment after this many posts reached the provider; restart a worker that ended before."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        process = sales_theatre.start_alone(sheet)
        has_come = sales_theatre.until(lambda: sales_theatre.seen(*CREATES) >= count, process)
        time.sleep(pause_s)
        process.kill()
        if sales_theatre.finish(process) < 0 and has_come:
            return
        sales_theatre.decide_what_only_a_person_can()
        assert time.monotonic() < end, f"{count} never comes\n{sales_theatre.logs()}"
