"""Query the template that last billed each customer, for sheets without a column for the template."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in


def last_templates(conn: sa.Connection, taker_ids: Collection[int]) -> dict[tuple[int, int], str]:
    """Return the template's name by (emitter id, taker id), from the newest month with a living invoice of both.

    A customer with several templates in that month is left out: a person must choose.
    """
    notes, templates = tables.invoices, tables.templates
    query = (
        sa.select(notes.c.emitter_id, notes.c.taker_id, notes.c.competence, templates.c.name)
        .join(templates, templates.c.id == notes.c.template_id)
        .where(is_in(conn, notes.c.taker_id, taker_ids), notes.c.is_living)
        .distinct()
    )
    found: defaultdict[tuple[int, int], list[tuple[date, str]]] = defaultdict(list)
    for emitter_id, taker_id, competence, name in conn.execute(query):
        found[emitter_id, taker_id].append((competence, name))
    newest = {pair: [name for month, name in had if month == max(had)[0]] for pair, had in found.items()}
    return {pair: names[0] for pair, names in newest.items() if len(names) == 1}
