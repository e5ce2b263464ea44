"""Query the template that last billed each customer, and whether a name last billed another template."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from domain.texts import folded


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


def other_templates(conn: sa.Connection, template_ids: Collection[int]) -> dict[int, int]:
    """Return the id at the issuer of the template that the newest invoice under each template's name has.

    Leave out the templates that have it themselves, and names without an invoice.
    """
    notes, templates = tables.invoices, tables.templates
    wanted = sa.select(templates.c.emitter_id).where(is_in(conn, templates.c.id, template_ids))
    records = conn.execute(
        sa.select(templates).where(templates.c.emitter_id.in_(wanted)).order_by(templates.c.id)
    ).all()
    named: defaultdict[tuple[int, str], dict[int, int]] = defaultdict(dict)
    for each in records:
        named[each.emitter_id, folded(each.name)][each.id] = each.remote_id
    found: dict[int, int] = {}
    for ours in (each for each in records if each.id in template_ids):
        ids = named[ours.emitter_id, folded(ours.name)]
        if len(ids) == 1:
            continue
        newest = sa.select(sa.func.max(notes.c.id)).where(is_in(conn, notes.c.template_id, ids)).scalar_subquery()
        last = conn.execute(sa.select(notes.c.template_id).where(notes.c.id == newest)).scalar_one_or_none()
        if last is not None and ids[last] != ours.remote_id:
            found[ours.id] = ids[last]
    return found
