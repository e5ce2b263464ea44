"""A person's decisions, and those that even a person cannot take."""

import pytest

from connectors.ledger import incidents, numbers, parties
from connectors.ledger.observations.patience import MOST_DOUBTS
from domain.problems import FaturistaError, Problem
from domain.states import Entity, InvoiceState
from tasks.issuance.decide import decide_batch, decide_note, start_serie
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.rows import RIO, SAO_PAULO, lines
from tests.tasks.workshop import QUIET_S, Workshop, fault


def refused(shop: Workshop, decision, *args, **kwargs) -> str:
    """Return the code with which a decision is refused."""
    return problem_of(shop, decision, *args, **kwargs).code


def problem_of(shop: Workshop, decision, *args, **kwargs) -> Problem:
    with shop.context() as context, pytest.raises(FaturistaError) as raised:
        decision(context, *args, **kwargs)
    return raised.value.problem


def doubted_twice(shop: Workshop) -> tuple[int, int]:
    """Return a disturbed batch and its note that nobody can find."""
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=MOST_DOUBTS))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    for _ in range(MOST_DOUBTS):
        shop.write(age, 20 * QUIET_S)
        shop.run(stage_batch, batch)
    return batch, next(note.id for note in shop.notes(batch) if note.state is InvoiceState.UNRESOLVED)


def test_only_a_disturbed_batch_waits_for_a_decision(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(1)
    values = {"person": "Ana", "because": "x"}
    assert refused(shop, decide_batch, batch, "open", **values) == "batch.not_disturbed"
    assert refused(shop, decide_batch, 999, "open", **values) == "batch.not_found"
    assert shop.batch(batch).state == "planned"


@pytest.mark.parametrize("state", ["sending", "scheduled", "processing", "processed"])
def test_a_sent_batch_cannot_be_taken_back(shop: Workshop, state: str):
    batch = shop.staged(1)
    shop.tamper(f"UPDATE batches SET state = '{state}'")
    found = problem_of(shop, decide_batch, batch, "discard", person="Ana", because="x")
    assert (found.code, found.params["state"]) == ("batch.sent_before", state)
    assert refused(shop, decide_batch, batch, "open", person="Ana", because="x") == "batch.not_disturbed"


def test_the_journal_has_the_person_and_the_reason(each_shop: Workshop):
    shop = each_shop
    batch = shop.staged(1)
    shop.disturb(batch)
    with shop.context() as context:
        decide_batch(context, batch, "open", person="Ana", because="the note was mine")
    assert "Ana: the note was mine" in shop.reasons(Entity.BATCH, batch)
    assert (shop.batch(batch).state, shop.incidents()) == ("open", [])


@pytest.mark.parametrize(("decision", "state"), [("open", "open"), ("discard", "discarding"), ("sent", "scheduled")])
def test_each_decision_moves_the_batch_to_its_state(shop: Workshop, decision, state):
    batch = shop.staged(1)
    shop.disturb(batch)
    shop.decide(batch, decision)
    assert shop.batch(batch).state == state


def test_a_batch_that_was_never_opened_can_only_be_given_up(shop: Workshop):
    batch = shop.planned(1)
    shop.disturb(batch)
    for decision in ("open", "sent"):
        assert refused(shop, decide_batch, batch, decision, person="Ana", because="x") == "batch.never_opened"
    shop.decide(batch, "discard")
    assert shop.batch(batch).state == "discarding"


@pytest.mark.parametrize(
    ("decision", "remote_id"), [("accepted", 900), ("rejected", 900), ("rejected", None), ("retired", None)]
)
def test_a_note_that_nobody_can_find_is_what_a_person_says(shop: Workshop, decision, remote_id):
    batch, note = doubted_twice(shop)
    with shop.context() as context:
        decide_note(context, note, decision, person="Ana", because="seen in the page", remote_id=remote_id)
    decided = next(each for each in shop.notes(batch) if each.id == note)
    assert (decided.state.value, decided.remote_id) == (decision, remote_id)
    assert "Ana: seen in the page" in shop.reasons(Entity.INVOICE, note)


def test_an_accepted_note_has_an_id_and_no_other_notes(each_shop: Workshop):
    shop = each_shop
    batch, note = doubted_twice(shop)
    taken = next(each.remote_id for each in shop.notes(batch) if each.remote_id)
    values = {"person": "Ana", "because": "x"}
    assert refused(shop, decide_note, note, "accepted", **values) == "batch.note_needs_id"
    assert refused(shop, decide_note, note, "accepted", **values, remote_id=taken) == "batch.note_id_taken"
    assert InvoiceState.UNRESOLVED in shop.states(batch)


def test_a_note_that_is_not_in_question_is_not_decided(shop: Workshop):
    batch = shop.staged(1)
    note = shop.notes(batch)[0].id
    values = {"person": "Ana", "because": "x"}
    assert refused(shop, decide_note, note, "accepted", **values) == "batch.note_not_unresolved"
    assert shop.states(batch) == [InvoiceState.CREATED]


def test_a_batch_goes_on_once_its_note_was_decided(shop: Workshop):
    batch, note = doubted_twice(shop)
    with shop.context() as context:
        decide_note(context, note, "retired", person="Ana", because="it is not there")
    shop.decide(batch, "open")
    assert shop.run(stage_batch, batch).ending == "done"
    assert (shop.batch(batch).count, shop.asked("notes.create")) == (1, 6)


def test_a_continuing_batchs_incidents_can_be_marked_seen(shop: Workshop):
    batch = shop.processed(1)
    person = {"person": "Ana", "because": "Rui cancelled it"}
    assert refused(shop, decide_batch, batch, "seen", **person) == "batch.nothing_to_see"
    incident = {"code": "batch.counters_differ", "params": {"expected": 1, "found": 2}, "batch_id": batch}
    note = shop.notes(batch)[0].id
    shop.write(incidents.open_incident, **incident)
    shop.write(incidents.open_incident, **incident | {"code": "batch.unresolved", "params": {}, "invoice_id": note})
    with shop.context() as context:
        decide_batch(context, batch, "seen", **person)
    assert shop.incidents() == ["batch.unresolved"]
    _, (stopped,) = shop.assembled(*lines(1, first=11))
    shop.disturb(stopped)
    assert refused(shop, decide_batch, stopped, "seen", **person) == "batch.stopped"


def test_a_serie_begins_where_a_person_says(each_shop: Workshop):
    shop = each_shop
    shop.planned(1)
    with shop.context() as context:
        start_serie(context, emitter_cnpj=RIO, serie="F", start=100, person="Ana")
        emitter = context.ledger.read(parties.emitter_by_cnpj, RIO, "nfse")
        assert emitter is not None
        begun = context.ledger.read(numbers.serie_of, emitter.id, "F")
        assert begun is not None
        assert (begun.next_number, begun.started_by) == (100, "Ana")
        # Never back: those numbers may have been used.
        start_serie(context, emitter_cnpj=RIO, serie="F", start=5, person="Ana")
        again = context.ledger.read(numbers.serie_of, emitter.id, "F")
        assert again == begun


def test_a_bad_serie_is_not_started(shop: Workshop):
    shop.planned(1)
    begin = {"emitter_cnpj": RIO, "serie": "F", "start": 1, "person": "Ana"}
    assert refused(shop, start_serie, **(begin | {"serie": "TOOLONG"})) == "serie.invalid"
    assert refused(shop, start_serie, **(begin | {"serie": ""})) == "serie.invalid"
    assert refused(shop, start_serie, **(begin | {"emitter_cnpj": SAO_PAULO})) == "emitter.unknown"
    assert refused(shop, start_serie, **(begin | {"start": 0})) == "serie.no_number"
    assert refused(shop, start_serie, **(begin | {"start": 10**10})) == "serie.no_number"
