"""Test that an acknowledgement has a person and a reason, and is never rewritten."""

import pytest
import sqlalchemy as sa

from connectors.ledger import acknowledgements, approvals
from connectors.ledger.acknowledgements import NewAcknowledgement
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.test_approvals import SEEN


def test_the_first_acknowledgement_stays(ledger):
    scene, _ = ledger.write(scenes.staged)
    reading = ledger.read(lambda conn: conn.execute(sa.text("SELECT reading_id FROM batches")).scalars().first())
    found = NewAcknowledgement(
        finding="f" * 64,
        change="missing",
        emitter_id=scene.emitter_id,
        competence=scenes.MONTH,
        taker_id=None,
        template=None,
        cents_before=5,
        cents=None,
    )
    enter = acknowledgements.acknowledge
    assert ledger.write(enter, reading, [found], person="ana", because="left us") == 1
    assert ledger.write(enter, reading, [found], person="bea", because="again") == 0
    (held,) = ledger.read(acknowledgements.acknowledgements_of, reading).values()
    assert (held.person, held.because) == ("ana", "left us")

    ledger.write(approvals.approve, scene.batch_id, approver="ana", acknowledgements=[held.id], **SEEN)
    for change in (
        "UPDATE acknowledgements SET because = 'x'",
        "DELETE FROM acknowledgements",
        "UPDATE approvals SET acknowledgements = '[]'",
    ):
        with pytest.raises(sa.exc.DBAPIError):
            ledger.write(lambda conn, statement=change: conn.execute(sa.text(statement)))
