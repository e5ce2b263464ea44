"""Draft invoices from rows, at most one living invoice per business key, and find them by key, batch or number."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, Final, NamedTuple, TypeAlias

import sqlalchemy as sa

from connectors.ledger import parties, tables, transitions
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import Statement, is_in, lock_until_end, param, values
from domain.invoice_numbers import nfse_spellings
from domain.problems import FaturistaError, Problem
from domain.states import InvoiceState, RowState

_DRAFTING: Final = 0xFA7054
"""The lock of transactions that add drafts."""
_ACCESS_KEY_LENGTH: Final = 44
"""Characters of an access key; no number of an invoice has as many."""
_t = tables.invoices
_rows = tables.rows

Kind: TypeAlias = tables.Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class NewInvoice:
    """The data of an invoice to be drafted from one row or several.

    Attributes:
        row_id: The row that owns the invoice.
        taker_id: The customer; None for a product invoice, whose content names its customer, if any.
        content: The canonical invoice as JSON text.
        digest: The SHA-256 of `content`.
        service_cents: The amount of the service. For a product invoice it is what the customer pays, like
            `liquid_cents`.
        amounts: Every amount by name, in cents.
        follows_id: The dead invoice that this invoice repeats.
        replaces_id: The issued invoice that this invoice replaces.
        other_row_ids: The other rows of the same reading that share the invoice.
    """

    row_id: int
    emitter_id: int
    taker_id: int | None
    template_id: int | None
    business_key: str
    competence: date
    emission_at: datetime | None
    content: str
    digest: str
    service_cents: int
    liquid_cents: int
    amounts: Mapping[str, int]
    follows_id: int | None = None
    replaces_id: int | None = None
    other_row_ids: Sequence[int] = ()

    @property
    def row_ids(self) -> list[int]:
        """Return all its rows, the owning row first."""
        return [self.row_id, *self.other_row_ids]


@dataclass(frozen=True, slots=True)
class InvoiceRecord:
    """An invoice in the ledger. `emission_at` is None if the batch's emission instant applies.

    For a product invoice, `nfse_number` is its number as text and `nfse_key` its access key. `errors` are our problems
    (with `params`), or messages of the provider or the city (`code`, `description`, `tip`).
    """

    id: int
    row_id: int
    batch_id: int | None
    emitter_id: int
    taker_id: int | None
    template_id: int | None
    follows_id: int | None
    replaces_id: int | None
    kind: str
    issuer: str
    state: InvoiceState
    business_key: str
    competence: date
    emission_at: datetime | None
    serie: str | None
    number: int | None
    content: str
    digest: str
    service_cents: int
    liquid_cents: int
    amounts: dict[str, int]
    remote_id: int | None
    nfse_number: str | None
    nfse_key: str | None
    errors: list[dict[str, Any]]
    answer_digest: str | None
    doubts: int
    last_byte_at: datetime | None
    absent_at: datetime | None
    taker_document: str | None


class Draft(NamedTuple):
    """What the planning of batches needs of a draft. `repeats_canary`: it repeats a dead invoice of a canary batch."""

    id: int
    emitter_id: int
    competence: date
    template_id: int | None
    repeats_canary: bool = False


@dataclass(frozen=True, slots=True)
class Drafted:
    """The result of `draft_invoices`.

    Attributes:
        ids: The ids of the new drafts, by the row that owns the invoice.
        refused: The owning rows of invoices that were not drafted: the charge has a living invoice already, or another
            worker took one of the rows. These rows are unchanged.
        refused_rows: The rows in `refused`, and all rows that would have shared their invoices.
    """

    ids: dict[int, int]
    refused: list[int]
    refused_rows: list[int]


def lock_drafting(conn: sa.Connection) -> None:
    """Let other drafts wait until this transaction ends, so that the order of ids is the order of commits."""
    lock_until_end(conn, _DRAFTING)


def draft_invoices(conn: sa.Connection, news: Sequence[NewInvoice]) -> Drafted:
    """Draft each invoice and move its rows resolved → assembled.

    Refuse an invoice whose business key or charge has a living invoice; the others are drafted all the same. An invoice
    of several rows is drafted with all of them or not at all.
    """
    if not news:
        return Drafted({}, [], [])
    drafted = str(InvoiceState.DRAFTED)
    whole = _complete_invoices(conn, news)
    origins = _origins(conn, [new.row_id for new in whole])
    issued_by = {each: parties.issued_by(conn, each) for each in {new.emitter_id for new in whole}}
    lines = [
        {name: getattr(new, name) for name in _ASKED}
        | issued_by[new.emitter_id]
        | {"amounts": dict(new.amounts), "errors": [], "state": drafted, "origin_id": origins[new.row_id]}
        for new in whole
    ]
    # A new draft has neither number nor remote id: it can only conflict with the unique indexes of living invoices, on
    # business key and origin.
    made = conn.execute(insert_unless_known(conn, _t).returning(_t.c.row_id, _t.c.id), lines) if lines else ()
    ids = {row.row_id: row.id for row in made}
    transitions.record_first_states(conn, sorted(ids.values()), state=InvoiceState.DRAFTED, because="assembled")
    taken = sorted(row_id for new in news if new.row_id in ids for row_id in new.row_ids)
    transitions.move(conn, taken, was=RowState.RESOLVED, becomes=RowState.ASSEMBLED, because="invoice drafted")
    _link_leaders(conn, [(other, new.row_id) for new in news if new.row_id in ids for other in new.other_row_ids])
    refused = [new for new in news if new.row_id not in ids]
    return Drafted(ids, [new.row_id for new in refused], [row_id for new in refused for row_id in new.row_ids])


def redraft(conn: sa.Connection, invoice_ids: Collection[int], *, because: str) -> list[int]:
    """Draft each of these dead invoices again, with the same row and content and no number. Return the new ids.

    Skip an invoice whose charge has a living invoice by now, and one that was drafted again before.
    """
    lock_drafting(conn)
    source = _t.alias("source")
    is_same = sa.or_(_t.c.business_key == source.c.business_key, _t.c.origin_id == source.c.origin_id)
    is_billed = sa.or_(_t.c.is_living, _t.c.follows_id == source.c.id)
    is_done = sa.select(_t.c.id).where(is_same, is_billed).exists()
    dead = (
        sa.select(
            source.c.id,
            sa.literal(str(InvoiceState.DRAFTED), sa.Text),
            sa.literal([], sa.JSON),
            *(source.c[name] for name in _COPIED),
        )
        .where(is_in(conn, source.c.id, invoice_ids), ~source.c.is_living, ~is_done)
        .order_by(source.c.number)
    )
    names = ["follows_id", "state", "errors", *_COPIED]
    made = conn.execute(sa.insert(_t).from_select(names, dead, include_defaults=False).returning(_t.c.id))
    ids = sorted(made.scalars())
    transitions.record_first_states(conn, ids, state=InvoiceState.DRAFTED, because=because)
    return ids


def settle(
    conn: sa.Connection,
    invoice_id: int,
    *,
    becomes: InvoiceState,
    because: str,
    was: InvoiceState = InvoiceState.UNRESOLVED,
    remote_id: int | None = None,
) -> bool:
    """Store a person's decision on an invoice whose state we cannot learn. Return False when its state is not `was`.

    `remote_id` is its id at the provider, if it exists there. Raises `FaturistaError` when the note is to be accepted
    without an id (`batch.note_needs_id`), or when another note of the issuer has the id (`batch.note_id_taken`).
    """
    if remote_id is not None:
        params = {"note": invoice_id, "remote": remote_id}
        same_issuer = sa.select(_t.c.issuer).where(_t.c.id == invoice_id).scalar_subquery()
        if _select(conn, _t.c.remote_id == remote_id, _t.c.issuer == same_issuer, _t.c.id != invoice_id):
            raise FaturistaError(Problem("batch.note_id_taken", params=params))
        unknown = sa.and_(_t.c.state == str(was), _t.c.remote_id.is_(None))
        conn.execute(sa.update(_t).where(_t.c.id == invoice_id, unknown).values(remote_id=remote_id))
    found = _select(conn, _t.c.id == invoice_id, _t.c.state == str(was))
    if found and becomes is InvoiceState.ACCEPTED and found[0].remote_id is None:
        raise FaturistaError(Problem("batch.note_needs_id", params={"note": invoice_id}))
    return bool(transitions.move(conn, [invoice_id], was=was, becomes=becomes, because=because))


def accepted_cents(conn: sa.Connection, reading_id: int | None = None) -> int:
    """Return the sum of accepted service amounts in cents, of one reading or of all."""
    query = sa.select(sa.func.coalesce(sa.func.sum(_t.c.service_cents), 0)).where(
        _t.c.state == str(InvoiceState.ACCEPTED)
    )
    if reading_id is not None:
        batches = sa.select(tables.batches.c.id).where(tables.batches.c.reading_id == reading_id)
        query = query.where(_t.c.batch_id.in_(batches))
    return int(conn.execute(query).scalar_one())


def living_by_keys(conn: sa.Connection, keys: Collection[str]) -> dict[str, InvoiceRecord]:
    """Return the living invoice of each business key that has one."""
    found = _select(conn, is_in(conn, _t.c.business_key, keys), _t.c.is_living)
    return {each.business_key: each for each in found}


def last_by_keys(conn: sa.Connection, keys: Collection[str]) -> dict[str, InvoiceRecord]:
    """Return the newest invoice of each business key, living or dead."""
    return {each.business_key: each for each in _select(conn, is_in(conn, _t.c.business_key, keys))}


def invoices_of(
    conn: sa.Connection, batch_id: int, states: Collection[InvoiceState] | None = None
) -> list[InvoiceRecord]:
    """Return the invoices of a batch, by number: those in `states`, or all (None)."""
    asked = [str(state) for state in (InvoiceState if states is None else states)]
    return [invoice_record(row) for row in _find_in_batch(conn, batch=batch_id, states=asked)]


@Statement
def _find_in_batch(conn: sa.Connection) -> sa.Select[Any]:
    is_asked = is_in(conn, _t.c.state, param("states"))
    return _records().where(_t.c.batch_id == param("batch"), is_asked).order_by(_t.c.number, _t.c.id)


def drafts_of(conn: sa.Connection, reading_id: int) -> list[Draft]:
    """Return the drafted invoices of a reading without a batch, in the order of their rows."""
    dead, batches = _t.alias("dead"), tables.batches
    repeats_canary = sa.exists().where(
        dead.c.id == _t.c.follows_id, batches.c.id == dead.c.batch_id, batches.c.is_canary
    )
    is_free = sa.and_(_t.c.state == str(InvoiceState.DRAFTED), _t.c.batch_id.is_(None))
    query = (
        sa.select(_t.c.id, _t.c.emitter_id, _t.c.competence, _t.c.template_id, repeats_canary)
        .join(_rows, _rows.c.id == _t.c.row_id)
        .where(is_free, _rows.c.reading_id == reading_id)
    )
    return [Draft(*row) for row in conn.execute(query.order_by(_t.c.row_id, _t.c.id))]


def count_unnumbered(conn: sa.Connection) -> int:
    """Count the drafted invoices without a batch. Their serie is in dispute, or their import stopped."""
    is_free = sa.and_(_t.c.state == str(InvoiceState.DRAFTED), _t.c.batch_id.is_(None))
    return int(conn.execute(sa.select(sa.func.count()).where(is_free)).scalar_one())


def invoices_by_ids(conn: sa.Connection, ids: Collection[int]) -> list[InvoiceRecord]:
    """Return these invoices, by id."""
    return _select(conn, is_in(conn, _t.c.id, ids))


def find_invoices(
    conn: sa.Connection,
    *,
    row_id: int | None = None,
    emitter_id: int | None = None,
    serie: str | None = None,
    number: int | None = None,
    remote_id: int | None = None,
    nfse_number: str | None = None,
) -> list[InvoiceRecord]:
    """Return the invoices that match all given values, oldest first.

    A row that shares an invoice finds the invoice of the owning row. `nfse_number` may be an access key as well. An
    NFSe number finds its other spellings, too; but if all matches are of one emitter and one has exactly this spelling,
    only that one is returned. Raises `ValueError` without a row, number, remote id or NFSe number.
    """
    if row_id is None and number is None and remote_id is None and nfse_number is None:
        raise ValueError("nothing to find an invoice by")
    given = {
        "emitter_id": emitter_id,
        "serie": serie,
        "number": number,
        "remote_id": remote_id,
    }
    conditions = [_t.c[name] == value for name, value in given.items() if value is not None]
    if row_id is not None:
        conditions.append(_t.c.row_id.in_(sa.select(LEADER).where(_rows.c.id == row_id)))
    if nfse_number is None:
        return _select(conn, *conditions)
    if len(key := "".join(nfse_number.split())) == _ACCESS_KEY_LENGTH:
        return _select(conn, *conditions, _t.c.nfse_key == key)
    found = _select(conn, *conditions, _t.c.nfse_number.in_(nfse_spellings(nfse_number)))
    exact = [each for each in found if each.nfse_number == nfse_number.strip()]
    return exact if exact and len({each.emitter_id for each in found}) == 1 else found


def count_by_state(conn: sa.Connection, batch_id: int) -> dict[InvoiceState, int]:
    return {state: count for state, (count, _) in sums_by_state(conn, batch_id).items()}


def sums_by_state(conn: sa.Connection, batch_id: int) -> dict[InvoiceState, tuple[int, int]]:
    """Return count and total in cents of the batch's invoices in each state."""
    return {InvoiceState(state): (count, int(cents)) for state, count, cents in _select_sums(conn, batch=batch_id)}


@Statement
def _select_sums(_conn: sa.Connection) -> sa.Select[Any]:
    sums = sa.select(_t.c.state, sa.func.count(), sa.func.sum(_t.c.service_cents))
    return sums.where(_t.c.batch_id == param("batch")).group_by(_t.c.state)


def invoice_record(row: Iterable[Any]) -> InvoiceRecord:
    """Return an `InvoiceRecord` from a result row of a query for the columns `RECORD`."""
    values = list(row)
    values[_STATE] = InvoiceState(values[_STATE])
    return InvoiceRecord(*values)


def _complete_invoices(conn: sa.Connection, news: Sequence[NewInvoice]) -> list[NewInvoice]:
    """Return `news` without the invoices of several rows that lack one of their rows.

    A row is lacking if it is not `resolved`, or if it is in an earlier invoice of `news`. Lock the rows of invoices of
    several rows until the transaction ends.
    """
    several = [row_id for new in news if new.other_row_ids for row_id in new.row_ids]
    if not several:
        return list(news)
    query = sa.select(_rows.c.id).where(is_in(conn, _rows.c.id, several), _rows.c.state == str(RowState.RESOLVED))
    free = set(conn.execute(query.order_by(_rows.c.id).with_for_update()).scalars())
    whole = []
    for new in news:
        if not new.other_row_ids or free.issuperset(new.row_ids):
            whole.append(new)
            free.difference_update(new.row_ids)
    return whole


def _origins(conn: sa.Connection, row_ids: Sequence[int]) -> dict[int, int]:
    """Return, by row id, the id of the first row of the same charge."""
    query = sa.select(_rows.c.id, sa.func.coalesce(_rows.c.origin_id, _rows.c.id)).where(
        is_in(conn, _rows.c.id, row_ids)
    )
    return {row[0]: row[1] for row in conn.execute(query)}


def _link_leaders(conn: sa.Connection, pairs: Sequence[tuple[int, int]]) -> None:
    """Link each row to the row that owns its invoice."""
    if not pairs:
        return
    given = values(conn, "given", {"id": sa.BigInteger(), "leader_id": sa.BigInteger()}, pairs)
    conn.execute(sa.update(_rows).where(_rows.c.id == given.c.id).values(leader_id=given.c.leader_id))


def _select(conn: sa.Connection, *conditions: sa.ColumnElement[bool]) -> list[InvoiceRecord]:
    return [invoice_record(row) for row in conn.execute(_records().where(*conditions).order_by(_t.c.id))]


def _records() -> sa.Select[Any]:
    takers = tables.takers
    return sa.select(*RECORD).select_from(_t.outerjoin(takers, takers.c.id == _t.c.taker_id))


_STATE: Final = [field.name for field in fields(InvoiceRecord)].index("state")
LEADER: Final = sa.func.coalesce(_rows.c.leader_id, _rows.c.id)
"""The id of the row that owns a row's invoice: its leader, or the row itself."""

_ASKED: Final = [field.name for field in fields(NewInvoice) if field.name not in {"amounts", "other_row_ids"}]
RECORD: Final = [
    tables.takers.c.document if field.name == "taker_document" else _t.c[field.name] for field in fields(InvoiceRecord)
]
"""The columns that a query selects from invoices and takers for `invoice_record`."""

_COPIED: Final = [*(name for name in _ASKED if name != "follows_id"), *tables.ISSUED_BY, "amounts", "origin_id"]
"""The columns that a new draft copies from the invoice that it repeats."""
