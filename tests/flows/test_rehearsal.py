"""Test that a rehearsed month shows its result and changes neither the ledger nor the provider."""

import asyncio
import gzip
import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from connectors.ledger.backup.copies import write_copy
from domain.competence import add_months
from domain.problems import FaturistaError
from flows.monthly_billing import monthly_billing
from flows.rehearsal import rehearse_month
from flows.runner import DirectRunner
from tasks.contracts.plans import apply_contracts, plan_contracts
from tasks.rehearsals.fault_injection import Trouble, sandbox_faults
from tasks.runtime import Context
from tasks.views.status import overview
from tests.flows.terminal import Terminal
from tests.tasks.contracts.sheets import contract, write_contracts
from tests.tasks.rows import this_month
from tests.tasks.workshop import PROFILE, Workshop


def enter(shop: Workshop, *rows: Sequence[str]) -> None:
    path = write_contracts(shop.home / "contratos.csv", rows)
    with shop.context() as context:
        apply_contracts(context, plan_contracts(context, path), person="Ana", because="x")


def bill_last_month(shop: Workshop) -> None:
    """Bill two contracts in the month before, so that the ledger knows emitter, template and customers."""
    # Consultoria is a template that lists retentions
    enter(shop, contract(1), contract(2, Modelo="Consultoria"))
    before = add_months(this_month(), -1)
    asyncio.run(monthly_billing(DirectRunner(), profile=PROFILE, competence=before))


def content(shop: Workshop) -> str:
    """The digest of every row that the ledger holds."""
    path = shop.home / "seen.gz"
    shop.read(write_copy, path)
    with gzip.open(path) as file:
        # the first line has the time of the copy, the last one repeats its digest
        return hashlib.sha256(b"".join(file.readlines()[1:-1])).hexdigest()


def rehearse(shop: Workshop, *troubles: Trouble) -> dict[str, int]:
    """Return the number of invoices by state."""
    states: dict[str, int] = {}

    def show(context: Context, readings: Sequence[int]) -> None:
        assert str(shop.home) not in context.ledger.address
        for reading in readings:
            for state, count in overview(context, reading).notes.items():
                states[str(state)] = states.get(str(state), 0) + count

    rehearse_month(PROFILE, this_month(), troubles, show, outbox=shop.home / "kept")
    return states


def test_a_rehearsed_month_leaves_ledger_and_provider_alone(each_shop: Workshop) -> None:
    shop = each_shop
    shop.set(APPROVAL__AUTOMATIC="false")
    bill_last_month(shop)
    before, asked = content(shop), shop.record()["requests_by_operation"]
    states = rehearse(shop)
    assert states == {"accepted": 2}
    assert content(shop) == before
    assert shop.record()["requests_by_operation"] == asked
    # and the month itself is still to come
    assert len(asyncio.run(monthly_billing(DirectRunner(), profile=PROFILE))) == 1


@pytest.mark.parametrize("troubles", [("lost-answers", "rejections"), ("busy", "outage")])
def test_troubles_end_in_the_same_month(shop: Workshop, troubles: Sequence[Trouble]) -> None:
    bill_last_month(shop)
    states = rehearse(shop, *troubles)
    assert sum(states.values()) == 2
    assert states.keys() <= {"accepted", "rejected"}


def test_every_trouble_sets_the_sandbox() -> None:
    plain = sandbox_faults([])
    troubles: tuple[Trouble, ...] = ("busy", "lost-answers", "outage", "rejections", "slow")
    for trouble in troubles:
        assert sandbox_faults([trouble]) != plain


def test_a_month_that_has_not_begun_is_refused(shop: Workshop) -> None:
    with pytest.raises(FaturistaError) as refused:
        rehearse_month(PROFILE, add_months(this_month(), 1), (), lambda *_: None, outbox=shop.home)
    assert refused.value.problem.code == "competence.future"


def test_the_command_says_what_would_happen(shop: Workshop, terminal: Terminal) -> None:
    bill_last_month(shop)
    ended = terminal("rehearse", f"{this_month():%Y-%m}")
    assert ended.code == 0, ended.output
    assert "2 rows in the file" in ended.output
    assert "nothing was sent to anybody" in ended.output
    written = sorted(path.suffix for path in Path(shop.home, "rehearsals").rglob("*.xlsx"))
    assert written


def test_every_workbook_that_a_rehearsal_names_is_there(shop: Workshop, terminal: Terminal) -> None:
    bill_last_month(shop)
    enter(shop, contract(3, Modelo="Unknown"))
    ended = terminal("rehearse", f"{this_month():%Y-%m}")
    named = [Path(word) for word in ended.output.split() if word.endswith(".xlsx")]
    # the answer and the month's checklist both name the workbook of the refused row
    assert len(named) == len(set(named)) + 1, ended.output
    assert all(path.is_file() for path in named), named
