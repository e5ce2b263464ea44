"""Product invoices, which posting issues at once: answers are lost, workers are killed, and each order has one."""

import random
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tasks.decide import decide_batch, decide_note
from tasks.intake import take_file
from tasks.runtime import PRODUCTS
from tests.faults.evidence import Record, read_ledger
from tests.faults.sales import Sale, month_of_sales, sale_faults, unfinished_sales, write_sales
from tests.faults.theatre import Theatre, rule
from tests.sandboxes import running_sandbox

_CREATES = ("nfe.create", "nfce.create")
_KILLED_AFTER = (3, 9, 17, 25)
_LONGEST_PAUSE_S = 0.03
_PATIENCE_S = 60.0
Ledger = dict[str, list[Record]]
Plant = Callable[[Ledger, Record], object]


class Counter(Theatre):
    """A theatre whose workers sell."""

    @property
    def environment(self) -> dict[str, str]:
        sells = {"FATURISTA_PRODUCTS__BASE_URL": self.sandbox.base_url}
        return super().environment | sells


@pytest.fixture
def counter(tmp_path: Path, ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter]:
    """On each database in turn; a fifth of the invoices is rejected by the tax authority."""
    switches: dict[str, Any] = {
        "product_advance": "at_once",
        "product_rejection_share": 0.2,
        "product_rejection_seed": 5,
    }
    with running_sandbox(in_thread=True, **switches) as sandbox:
        opened = Counter(tmp_path, ledger_url, sandbox)
        for name, value in opened.environment.items():
            monkeypatch.setenv(name, value)
        try:
            yield opened
        finally:
            opened.close()


def test_a_third_of_the_answers_lost_and_the_worker_killed_again_and_again(counter: Counter) -> None:
    sales = month_of_sales(30)
    sheet = _dropped(counter, sales)
    counter.sandbox.faults(*(rule(each, "lose_answer", share=0.34, seed=n) for n, each in enumerate(_CREATES)))
    chance = random.Random(20261120)

    for count in _KILLED_AFTER:
        _kill_after(counter, sheet, count, pause_s=chance.random() * _LONGEST_PAUSE_S)
        _refuse(counter, sale_faults(sales, *_evidence(counter)))
    counter.run(sheet)
    while _decide_what_only_a_person_can(counter):
        counter.run(sheet)

    ledger, record = _evidence(counter)
    _refuse(counter, [*sale_faults(sales, ledger, record), *unfinished_sales(sales, ledger, record)])
    outcomes = {attempt["outcome"] for attempt in ledger["attempts"]}
    assert outcomes >= {"done", "doubtful"}
    assert {each["status"] for each in record["product_invoices"]} == {"succeeded", "rejected"}
    for name, plant in _PLANTS.items():
        spoilt = deepcopy((ledger, record))
        plant(*spoilt)
        assert [*sale_faults(sales, *spoilt), *unfinished_sales(sales, *spoilt)], f"the checker does not see: {name}"


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


def _dropped(counter: Counter, sales: list[Sale]) -> Path:
    """The workbook, entered in the ledger as what it is."""
    path = write_sales(counter.home / "sales.xlsx", sales)
    with counter.desk() as desk:
        take_file(desk, path, kind=PRODUCTS)
    return path


def _evidence(counter: Counter) -> tuple[Ledger, Record]:
    return read_ledger(counter.ledger_url), counter.sandbox.record()


def _refuse(counter: Counter, faults: list[str]) -> None:
    assert not faults, "\n".join([*faults, counter.said()])


def _kill_after(counter: Counter, sheet: Path, count: int, *, pause_s: float) -> None:
    """SIGKILL a moment after the provider was asked so many times to issue; a worker that ended before begins again."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        process = counter.start(sheet)
        has_come = counter.until(lambda: counter.seen(*_CREATES) >= count, process)
        time.sleep(pause_s)
        process.kill()
        if counter.finish(process) < 0 and has_come:
            return
        _decide_what_only_a_person_can(counter)
        assert time.monotonic() < end, f"{count} never comes\n{counter.said()}"


def _decide_what_only_a_person_can(counter: Counter) -> bool:
    """What two kills met while it was being posted is not looked for a third time: somebody looks, and decides."""
    with counter.desk() as desk:
        ledger, record = _evidence(counter)
        issued = {
            (each["organization_cnpj"], each["kind"], each["number"]): each for each in record["product_invoices"]
        }
        cnpjs = {each["id"]: each["cnpj"] for each in ledger["emitters"]}
        unresolved = [each for each in ledger["invoices"] if each["state"] == "unresolved"]
        for invoice in unresolved:
            there = issued.get((cnpjs[invoice["emitter_id"]], invoice["kind"], invoice["number"]))
            assert there is None, "what is there was not found"
            decide_note(desk, invoice["id"], "retired", person="Ana", because="not in the provider's page")
        disturbed = [batch["id"] for batch in ledger["batches"] if batch["state"] == "disturbed"]
        for batch_id in disturbed:
            decide_batch(desk, batch_id, "sent", person="Ana", because="what was lost is retired")
    return bool(unresolved or disturbed)
