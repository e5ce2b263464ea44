"""Approving: a yes to exactly what was shown, by a person or by a profile that allows it."""

import pytest

from connectors.ledger import approvals, files
from connectors.ledger.approvals import NotApprovable
from domain.problems import FaturistaError
from domain.staff import Actor
from tasks.stations.approve import approve_automatically, waiting_batches
from tasks.stations.stage import stage_batch
from tests.tasks.approving import approve_batch
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop


def test_a_yes_is_bound_to_what_was_shown(each_shop: Workshop):
    shop = each_shop
    batch = shop.staged(3)
    with shop.context() as context:
        (shown,) = waiting_batches(context)
        approval = approve_batch(context, shown, actor=Actor("Ana"))
        assert (approval.revision, approval.digest) == (shown.revision, shown.digest)
        assert (approval.count, approval.total_cents, approval.approver) == (3, 30_006, "Ana")
        assert waiting_batches(context) == []
    assert shop.batch(batch).state == "approved"
    assert shop.read(approvals.valid_approval, batch) == approval


def test_a_second_yes_is_refused(shop: Workshop):
    shop.staged(1)
    with shop.context() as context:
        (shown,) = waiting_batches(context)
        approve_batch(context, shown, actor=Actor("Ana"))
        with pytest.raises(NotApprovable) as raised:
            approve_batch(context, shown, actor=Actor("Bia"))
        assert (raised.value.problem.code, raised.value.problem.params["person"]) == ("batch.approved_before", "Ana")


def test_an_unstaged_batch_cannot_be_approved(shop: Workshop):
    batch = shop.planned(1)
    with shop.context() as context, pytest.raises(FaturistaError) as raised:
        approve_batch(context, shop.batch(batch), actor=Actor("Ana"))
    assert raised.value.problem.code == "batch.not_staged"


def test_four_eyes_exclude_the_person_who_dropped_the_sheet(shop: Workshop):
    batch = shop.staged(1)
    operator = shop.read(files.reading_of, shop.batch(batch).reading_id).operator
    shop.set(APPROVAL__FOUR_EYES="true")
    with shop.context() as context:
        (shown,) = waiting_batches(context)
        with pytest.raises(FaturistaError) as raised:
            approve_batch(context, shown, actor=Actor(operator.upper()))
        assert raised.value.problem.code == "batch.approver_is_dropper"
        with pytest.raises(FaturistaError) as raised:
            approve_batch(context, shown, actor=Actor("somebody else", operator))
        assert raised.value.problem.params["person"] == operator
        approval = approve_batch(context, shown, actor=Actor("somebody else", "context"))
        assert approval.approver == "somebody else (context)"


def test_four_eyes_exclude_the_files_owner_and_folder(shop: Workshop):
    dropped = {"dropper": "maria", "sender": "Equipe Sul"}
    reading, (batch,) = shop.assembled(*lines(1), **dropped)
    shop.run(stage_batch, batch)
    shop.set(APPROVAL__FOUR_EYES="true")
    with shop.context() as context:
        (shown,) = waiting_batches(context, reading)
        own, shared = "batch.approver_is_dropper", "batch.approver_shares_account"
        for approver, account, code in (("Maria", "x", own), ("Ana", "maria", shared), ("equipe sul", "x", own)):
            with pytest.raises(FaturistaError) as raised:
                approve_batch(context, shown, actor=Actor(approver, account))
            assert raised.value.problem.code == code
            assert raised.value.problem.params["person"] in {"Equipe Sul (maria)", account}
        assert approve_batch(context, shown, actor=Actor("Ana", "context")).approver == "Ana (context)"


def test_a_sender_that_a_command_named_may_approve(shop: Workshop):
    _, (batch,) = shop.assembled(*lines(1), sender="Ana")
    shop.run(stage_batch, batch)
    shop.set(APPROVAL__FOUR_EYES="true")
    with shop.context() as context:
        (shown,) = waiting_batches(context)
        assert approve_batch(context, shown, actor=Actor("Ana")).approver == "Ana"


def test_the_profile_approves_only_where_it_says_so(shop: Workshop):
    batch = shop.staged(1)
    shop.set(APPROVAL__AUTOMATIC="false")
    with shop.context() as context:
        assert approve_automatically(context) == []
    assert shop.batch(batch).state == "staged"
    shop.set(APPROVAL__AUTOMATIC="true", APPROVAL__APPROVER="the robot")
    with shop.context() as context:
        (approval,) = approve_automatically(context)
    assert approval.approver == "the robot"


def test_only_the_reading_that_was_named_is_approved(shop: Workshop):
    first = shop.staged(1)
    reading, (second,) = shop.assembled(*lines(1, first=7))
    shop.run(stage_batch, second)
    with shop.context() as context:
        assert [batch.id for batch in waiting_batches(context)] == [first, second]
        assert [approval.batch_id for approval in approve_automatically(context, reading)] == [second]
    assert shop.batch(first).state == "staged"
