"""A seeded part of the fault matrix; `make chaos` plays as many runs of it as one likes, with more notes each."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from tests.faults.matrix import cases, months
from tests.faults.matrix.case_runner import CaseRunner
from tests.faults.matrix.cases import Case
from tests.faults.matrix.worker_faults import LedgerFault
from tests.sandboxes import running_sandbox

NOTES = 6
SEED = 20261120
_SHARES = 4
_RUNS = 6


def _outside() -> dict[str, int]:
    """Return the requests of a run with one batch: enough to place another party's acts."""
    return {"notes.create": NOTES, "batches.read": 5, "batches.send": 1, "batches.notes": 1}


@pytest.fixture(scope="module")
def sqlite_runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CaseRunner]:
    with running_sandbox(in_thread=True) as sandbox:
        yield CaseRunner(tmp_path_factory.mktemp("runner"), sandbox, NOTES)


@pytest.fixture(scope="module")
def postgresql_runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CaseRunner]:
    with running_sandbox(in_thread=True) as sandbox:
        yield CaseRunner(tmp_path_factory.mktemp("runner"), sandbox, NOTES, postgresql_every=1)


def _calm_services() -> dict[str, int]:
    return {
        **dict.fromkeys(("account.read", "emitters.list", "service_values.list", "service_values.calculate"), 1),
        **dict.fromkeys(("takers.list", "takers.create"), 3),
        **dict.fromkeys(("emitters.serie", "batches.create", "batches.send", "batches.notes"), 2),
        "batches.read": 8,
        "notes.create": NOTES,
    }


def _calm_products() -> dict[str, int]:
    return {"nfe.create": 4, "nfce.create": 2, "nfe.read": 4, "nfce.read": 2, "nfe.list": 1, "nfce.list": 1}


def _seeded(share: int) -> list[Case]:
    """Return this share of the runs; no two shares overlap."""
    chance = random.Random(SEED)
    calm, products = _calm_services(), _calm_products()
    calms: dict[tuple[cases.Line, cases.Plot], dict[str, int]] = {
        ("services", "calm"): calm,
        ("services", "listed"): calm,
        ("services", "orphaned"): {**calm, "batches.list": 1},
        ("services", "taken back"): {**calm, "notes.delete": 2},
        ("products", "calm"): products,
        ("products", "blind"): {name: count for name, count in products.items() if name.endswith(".create")},
    }
    found = cases.sample(calms, {"services": _outside(), "products": products}, chance.randrange(1000))
    return list(islice(found, share * _RUNS, (share + 1) * _RUNS))


@pytest.mark.parametrize("share", range(_SHARES - 1))
def test_a_part_of_the_matrix_finds_no_fault(sqlite_runner: CaseRunner, share: int) -> None:
    _run_cases(sqlite_runner, _seeded(share))


def test_a_part_of_the_matrix_finds_no_fault_on_postgresql(postgresql_runner: CaseRunner) -> None:
    _run_cases(postgresql_runner, _seeded(_SHARES - 1))


def _later(line: cases.Line, plot: cases.Plot) -> tuple[Case, Case, Case, Case]:
    """Return two faults of a plot's own requests, a kill, and several workers and persons at once."""
    chance = random.Random(f"{SEED}{plot}")
    calm = _calm_services() if line == "services" else _calm_products()
    own = dict.fromkeys(cases.OWN[line, plot], 2)
    one, other = chance.sample(list(cases.every_fault(line, plot, own, chance)), 2)
    (kill,) = cases.random_kills(line, plot, {**calm, **own}, chance, 1)
    (crowd,) = cases.later_crowds(line, plot, {(line, plot): own}, chance, 1)
    return one, other, kill, crowd


@pytest.mark.parametrize(("line", "plot"), cases.LATER)
def test_later_acts_of_people_survive_faults(sqlite_runner: CaseRunner, line: cases.Line, plot: cases.Plot) -> None:
    one, _, kill, _ = _later(line, plot)
    _run_cases(sqlite_runner, [one, kill])


def test_later_acts_of_people_survive_faults_on_postgresql(postgresql_runner: CaseRunner) -> None:
    _run_cases(postgresql_runner, [_later(line, plot)[1] for line, plot in cases.LATER])


@pytest.mark.parametrize(("line", "plot"), cases.LATER)
def test_several_workers_and_persons_at_once(postgresql_runner: CaseRunner, line: cases.Line, plot: cases.Plot) -> None:
    _run_cases(postgresql_runner, [_later(line, plot)[3]])


def test_two_schedulers_of_a_month_and_kills_at_generated_moments(sqlite_runner: CaseRunner) -> None:
    chance = random.Random(SEED)
    calm = {**_calm_services(), "notes.create": NOTES + months.DUE, "invoices.paid": 1, "orders.of_plan": 2}
    kills = cases.random_kills("monthly", "calm", calm, chance, 2)
    _run_cases(sqlite_runner, [*kills, *cases.crowds("monthly", calm, chance, 1)])


def test_a_connection_lost_in_a_transaction_harms_nothing(postgresql_runner: CaseRunner) -> None:
    disturbances = (LedgerFault("lost_before", 24), LedgerFault("lost_after", 30))
    _run_cases(
        postgresql_runner,
        [Case(kind="ledger lost", story="before its 24th commit, and after its 30th", disturbances=disturbances)],
    )


def test_a_forgotten_note_is_seen(sqlite_runner: CaseRunner) -> None:
    """The provider forgets a note that it had answered: the checker must see that."""
    act = {"do": "edit", "service_values": {"service_amount": "1.00"}}
    rule = {"operation": "notes.create", "kind": "act", "act": act, "after": NOTES - 1}

    assert sqlite_runner.run_case(Case(kind="test", story="an edit that nobody admits to", rules=(rule,))).faults


def test_a_copy_of_a_note_that_somebody_adds_is_taken_back(sqlite_runner: CaseRunner) -> None:
    rule = {"operation": "notes.create", "kind": "act", "act": {"do": "add", "number": 1}, "count": 1}
    verdict = sqlite_runner.run_case(
        Case(kind="test", story="a copy of the first", rules=(rule,), outside="somebody copies")
    )

    assert (verdict.faults, verdict.found_out) == ([], "detected before send")


def _run_cases(runner: CaseRunner, chosen: list[Case]) -> None:
    wrong = {str(case): faults for case in chosen if (faults := runner.run_case(case).faults)}

    assert not wrong, "\n\n".join("\n".join([name, *faults]) for name, faults in wrong.items())
