"""Bill a month that is over, for tests of closings."""

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock
from domain.competence import add_months
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.rows import line, lines, this_month
from tests.tasks.workshop import Workshop

LAST_MONTH = add_months(this_month(), -1)


def mark_closed(conn: sa.Connection) -> None:
    """Close last month, although work of it is open."""
    line = {"competence": LAST_MONTH, "last_event": 0, "last_contract": 0, "last_payment": 0, "closed_by": "Ana"}
    conn.execute(sa.insert(tables.closings).values(**line, closed_at=clock(conn)))


def staged_last_month(shop: Workshop, count: int = 3) -> int:
    """Stage a batch of last month that waits for approval."""
    asked = [
        *lines(count - 1, competence=LAST_MONTH),
        line(count, competence=LAST_MONTH, service_cents=500_000, template_name="Consultoria"),
    ]
    (batch,) = shop.assembled(*asked)[1]
    shop.run(stage_batch, batch)
    return batch


def billed_last_month(shop: Workshop, count: int = 3) -> int:
    """Issue all invoices of a batch of last month."""
    batch = staged_last_month(shop, count)
    shop.approve()
    shop.run(release_batch, batch)
    shop.follow(batch)
    return batch
