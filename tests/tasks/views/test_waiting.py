"""Why something waits: for what, what to do about it, and who does it."""

from functools import partial

import pytest

from connectors.ledger import batch_observations, batches
from domain.competence import BRASILIA
from tasks.issuance.decide import decide_batch
from tasks.issuance.discard import discard_batch
from tasks.stations.release import release_batch
from tasks.stations.report import report_outcome
from tasks.stations.stage import stage_batch
from tasks.views.overview_page import overview_markdown
from tasks.views.status import overview
from tasks.views.trace import trace_row
from tasks.views.waiting import remaining_work
from tests.ageing import age
from tests.tasks.held_back import hold_back
from tests.tasks.rows import lines
from tests.tasks.store import Store
from tests.tasks.workshop import QUIET_S, Workshop, fault, remarks


def looked(shop: Workshop):
    with shop.context() as context:
        return remaining_work(context)


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
    shop.write(batch_observations.schedule_look, shop.planned(1), seconds=7_200)
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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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


def test_a_stopped_batch_holds_back_every_companys(each_shop: Workshop):
    """A provider that ignores `batch_id` would issue the first invoice of each company's batch."""
    shop = each_shop
    stopped, waiting = hold_back(shop)
    posted = shop.asked("notes.create")
    result = shop.run(stage_batch, waiting)
    assert (result.ending, remarks(result)) == ("waiting", ["batch.suspended"])
    assert (shop.batch(waiting).state, shop.asked("notes.create")) == ("planned", posted)
    seen, held = looked(shop), ("waiting.suspended", {"batch": stopped, "batches": str(waiting)})
    decided = ("waiting.decision", {"batches": str(stopped)})
    assert [(each.code, each.params) for each in seen.reasons] == [decided, held]
    assert not seen.is_worth_waiting(still_s=0)
    with shop.context() as context:
        assert [(each.code, each.params) for each in overview(context).notices] == [held]
    shop.decide(stopped, "discard")
    assert "waiting.suspended" not in codes(shop)
    shop.run(discard_batch, stopped)
    assert shop.run(stage_batch, waiting).ending == "done"


def test_a_held_back_batch_is_due_for_no_sweep(shop: Workshop):
    (sent,) = shop.assembled(*lines(1, first=9))[1]
    shop.run(stage_batch, sent)
    shop.approve()
    shop.run(release_batch, sent)
    hold_back(shop)
    shop.write(batch_observations.schedule_look, sent, seconds=7_200)
    seen = looked(shop)
    assert codes(shop) == ["waiting.decision", "waiting.suspended", "waiting.time"]
    assert seen.next_look_s is not None
    assert seen.next_look_s > 7_000


def test_a_stopped_batch_of_products_holds_back_no_other(store: Store):
    """Its issuer joins no invoice to a batch."""
    stopped = store.approved(2)
    store.write(batches.disturb, stopped, code="batch.answer_differs", params={"number": 1, "field": "HTTP status"})
    (services,) = store.assembled(*lines(1), file_id=Workshop.file(store, 9))[1]
    assert "waiting.suspended" not in codes(store)
    assert store.run(stage_batch, services).ending == "done"


def test_moves_are_noticed(shop: Workshop):
    batch = shop.planned(1)
    before = looked(shop).latest_event
    shop.run(stage_batch, batch)
    assert looked(shop).latest_event > before


@pytest.fixture
def outcome_text(shop: Workshop):
    """Return the outcome workbook's text about the rows of the only file."""

    return partial(text_of, shop, 1)


def text_of(shop: Workshop, file_id: int) -> str:
    """Return the text of a file's outcome workbook."""
    import openpyxl  # noqa: PLC0415 - of this function alone

    with shop.context() as context:
        book = openpyxl.load_workbook(report_outcome(context, file_id))
    return " ".join(str(cell.value) for sheet in book for row in sheet.rows for cell in row if cell.value)


def test_a_row_in_doubt_says_that_it_goes_on_by_itself(shop: Workshop, outcome_text):
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    shop.run(stage_batch, shop.planned(2))
    assert "the program looks for it" in outcome_text()


def test_a_row_of_a_held_back_batch_says_who_decides(shop: Workshop):
    stopped, _ = hold_back(shop)
    advice = f"then faturista decide {stopped}"
    assert advice in text_of(shop, 2)
    with shop.context() as context:
        (story,) = trace_row(context, file="mes-2.xlsx", sheet=None, row_number=5)
        assert advice in " ".join(story.waits)
        assert "go on by themselves" not in overview_markdown(context, ())


def test_doubts_are_counted_with_the_time_of_the_next_look(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    with shop.context() as context:
        (notice,) = overview(context).notices
        sentence = context.catalogue.say(notice)
    due_at = shop.batch(batch).due_at.astimezone(BRASILIA)
    assert (notice.code, notice.params) == ("waiting.doubts", {"count": 1, "at": f"{due_at:%d/%m %H:%M:%S}"})
    assert "1 invoice in doubt" in sentence
    assert "goes on by itself" in sentence
    assert "waiting.doubts" in codes(shop)
    shop.disturb(batch)
    with shop.context() as context:
        assert overview(context).notices == ()


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
