"""On PostgreSQL two sweeps never wait for each other: each skips the batches of the other."""

from connectors.ledger import leases
from connectors.ledger.engine import Ledger
from connectors.ledger.issuance import batch_lease
from domain.states import BatchState
from tests import ledgers
from tests.connectors.ledger import scene as scenes

PLANNED = {BatchState.PLANNED}


def test_another_sweeps_batches_are_skipped_without_waiting():
    with ledgers.postgresql_url() as url, Ledger.open(url) as one, Ledger.open(url) as other:
        first, second = (one.write(scenes.furnish, sha256=sign * 64).batch_id for sign in "ab")

        def claim_and_look_over(conn):
            """Claim a batch and keep the transaction open while the other sweep works: waiting for it would not end."""
            assert leases.claim(conn, first, owner="one", seconds=60, states=PLANNED) is not None
            due = other.read(leases.due_batches, PLANNED)
            taken = [other.write(batch_lease.take, each, owner="other", seconds=60, states=PLANNED) for each in due]
            return due, [each is not None for each in taken]

        assert one.write(claim_and_look_over) == ([first, second], [False, True])
        assert other.read(leases.due_batches, PLANNED) == []
