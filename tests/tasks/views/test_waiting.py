"""Why something waits: for what, what to do about it, and who does it."""

import pytest

from connectors.ledger import batches
from tasks.issuance.decide import decide_batch
from tasks.stations.release import release_batch
from tasks.stations.report import report_outcome
from tasks.stations.stage import stage_batch
from tasks.views.status import overview
from tasks.views.waiting import outlook
from tests.ageing import age
from tests.tasks.rows import lines
from tests.tasks.store import Store
from tests.tasks.workshop import QUIET_S, Workshop, fault


def looked(shop: Workshop):
    with shop.context() as context:
        return outlook(context)


def codes(shop: Workshop) -> list[str]:
    return [problem.code for problem in looked(shop).reasons]


def test_nothing_left_is_worth_no_sweep(shop: Workshop):
    shop.processed(1)
    seen = looked(shop)
    assert (seen.next_look_s, seen.reasons, seen.is_worth_waiting(still_s=0)) == (None, (), False)


def test_a_batch_that_is_due_is_worth_a_sweep(shop: Workshop):
    shop.planned(1)
    seen = looked(shop)
    assert (seen.next_look_s, codes(shop)) == (0, ["waiting.time"])
    assert seen.is_worth_waiting(still_s=0)
    assert not seen.is_worth_waiting(still_s=10_000)


def test_a_batch_that_waits_for_hours_is_left_to_a_later_run(shop: Workshop):
    shop.write(batches.schedule_look, shop.planned(1), seconds=7_200)
    seen = looked(shop)
    assert seen.next_look_s is not None
    assert 7_000 < seen.next_look_s <= 7_200
    assert not seen.is_worth_waiting(still_s=0)


def test_work_for_a_person_is_named(shop: Workshop):
    shop.set(APPROVAL__AUTOMATIC="false")
    staged = shop.staged(1)
    seen = looked(shop)
    assert [(each.code, each.params) for each in seen.reasons] == [("waiting.approval", {"batches": str(staged)})]
    assert not seen.is_worth_waiting(still_s=0)


def test_a_sent_batch_whose_last_invoice_only_a_person_can_decide_is_worth_no_sweep(each_store: Store):
    store = each_store
    batch = store.approved(2)
    store.sandbox.faults(fault("nfe.create", "reset_before", after=1, count=2))
    store.run(release_batch, batch)
    store.run_quiet(release_batch, batch)
    store.write(age, 2 * QUIET_S)
    store.run(release_batch, batch)
    assert codes(store) == ["waiting.time"], "the other invoice is still under way"
    store.look(batch)
    accepted, unresolved = store.notes(batch)
    assert (accepted.state, unresolved.state) == ("accepted", "unresolved")
    seen = looked(store)
    assert [(each.code, each.params) for each in seen.reasons] == [("waiting.decision", {"batches": str(batch)})]
    assert not seen.is_worth_waiting(still_s=0)
    store.decide_note(unresolved.id, "retired")
    assert codes(store) == ["waiting.time"]
    store.follow(batch)
    assert codes(store) == []


def test_a_batch_whose_issuer_shows_no_invoice_is_worth_no_sweep(each_store: Store):
    store = each_store
    store.without_extensions()
    batch = store.sent(2)
    seen = looked(store)
    assert [(each.code, each.params) for each in seen.reasons] == [("waiting.unread", {"batches": str(batch)})]
    assert not seen.is_worth_waiting(still_s=0)
    with store.context() as context:
        decide_batch(context, batch, "accepted", person="Ana", because="seen in the page")
    assert codes(store) == ["waiting.time"]
    store.look(batch)
    assert codes(store) == []


def test_moves_are_noticed(shop: Workshop):
    batch = shop.planned(1)
    before = looked(shop).latest_event
    shop.run(stage_batch, batch)
    assert looked(shop).latest_event > before


@pytest.fixture
def outcome_text(shop: Workshop):
    """Return the outcome workbook's text about the rows of the only file."""

    def read() -> str:
        with shop.context() as context:
            path = report_outcome(context, 1)
        import openpyxl  # noqa: PLC0415 - of this fixture alone

        book = openpyxl.load_workbook(path)
        return " ".join(str(cell.value) for sheet in book for row in sheet.rows for cell in row if cell.value)

    return read


def test_a_row_in_doubt_says_that_it_goes_on_by_itself(shop: Workshop, outcome_text):
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    shop.run(stage_batch, shop.planned(2))
    assert "the program looks for it" in outcome_text()


def test_a_row_of_a_stopped_batch_says_who_decides(shop: Workshop, outcome_text):
    batch = shop.planned(2)
    shop.post_as_somebody_else(number=9)
    shop.run(stage_batch, batch)
    assert f"faturista decide {batch}" in outcome_text()


def test_a_row_without_a_number_says_who_acts(shop: Workshop, outcome_text):
    shop.post_as_somebody_else(number=41)
    with pytest.raises(Exception, match="serie"):
        shop.assembled(*lines(2))
    assert "faturista start-serie" in outcome_text()
    with shop.context() as context:
        assert [(each.code, each.params["count"]) for each in overview(context).notices] == [("waiting.unnumbered", 2)]
