"""XML and PDF of issued invoices: which are in the archive, under which digest, and which are still missing."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import has_come, is_in, now
from connectors.ledger.database.upserts import NOW, upsert
from domain.states import InvoiceState

_t = tables.documents
_invoices, _emitters, _batches = tables.invoices, tables.emitters, tables.batches
_ISSUED: Final = sorted(
    str(state)
    for state in (InvoiceState.ACCEPTED, InvoiceState.CANCELLING, InvoiceState.CANCELLED, InvoiceState.REPLACED)
)


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document of an issued invoice; `kind` is "xml" or "pdf". `sha256` None: it is missing in the archive.

    `tries` counts the fetches; `problem` is the code of the last failed one.
    """

    invoice_id: int
    emitter_id: int
    cnpj: str
    issuer: str
    competence: date
    serie: str
    number: int
    nfse_number: str | None
    remote_id: int
    batch_id: int
    kind: str
    sha256: str | None
    tries: int
    problem: str | None


def documents_of(
    conn: sa.Connection,
    kind: str,
    *,
    issuers: Collection[str],
    competence: date | None = None,
    cnpj: str | None = None,
    batches: Collection[int] | None = None,
    is_missing: bool = False,
    limit: int | None = None,
) -> list[DocumentRecord]:
    """Return the documents of one kind of these issuers' issued invoices, sorted by emitter, serie and number.

    None sets no condition. `is_missing`: only documents that are not in the archive.
    """
    query = _query(kind).where(_invoices.c.issuer.in_(sorted(issuers)))
    if competence is not None:
        query = query.where(_invoices.c.competence == competence)
    if cnpj is not None:
        query = query.where(_emitters.c.cnpj == cnpj)
    if batches is not None:
        query = query.where(is_in(conn, _invoices.c.batch_id, sorted(batches)))
    if is_missing:
        query = query.where(_t.c.sha256.is_(None))
    order = (_emitters.c.cnpj, _invoices.c.serie, _invoices.c.number)
    return [DocumentRecord(*row) for row in conn.execute(query.order_by(*order).limit(limit))]


def due_batches(
    conn: sa.Connection,
    *,
    issuers: Collection[str],
    kinds: Collection[str],
    within_s: float,
    again_s: float,
    tries: int,
) -> list[int]:
    """Return the batches that ended within `within_s` seconds and have a missing document to fetch now.

    A document is fetched again `again_s` seconds after a failure, at most `tries` times.
    """
    at = now(conn)
    found: set[int] = set()
    for kind in kinds:
        is_due = has_come(_t.c.tried_at, at - timedelta(seconds=again_s), at)
        is_wanted = sa.or_(_t.c.id.is_(None), sa.and_(_t.c.tries < tries, is_due))
        query = (
            _join_documents(sa.select(_invoices.c.batch_id).distinct(), kind)
            .join(_batches, _batches.c.id == _invoices.c.batch_id)
            .where(_batches.c.closed_at >= at - timedelta(seconds=within_s))
            .where(_invoices.c.state.in_(_ISSUED), _invoices.c.issuer.in_(sorted(issuers)))
            .where(_t.c.sha256.is_(None), is_wanted)
        )
        found.update(conn.execute(query).scalars())
    return sorted(found)


def keep(conn: sa.Connection, invoice_id: int, kind: str, *, sha256: str, size_bytes: int) -> bool:
    """Store that the document is in the archive. Return False if one was there before, with this or another digest."""
    return _write(conn, invoice_id, kind, sha256=sha256, size_bytes=size_bytes, fetched_at=NOW, problem=None)


def record_failure(conn: sa.Connection, invoice_id: int, kind: str, *, problem: str) -> bool:
    """Store why a fetch of the document failed. Return False if the document is in the archive."""
    return _write(conn, invoice_id, kind, problem=problem)


def _write(conn: sa.Connection, invoice_id: int, kind: str, **news: Any) -> bool:
    asked = sa.and_(_t.c.invoice_id == invoice_id, _t.c.kind == kind)
    known = conn.execute(sa.select(_t.c.sha256, _t.c.tries).where(asked).with_for_update()).one_or_none()
    if known is not None and known.sha256 is not None:
        return False
    row = {
        "invoice_id": invoice_id,
        "kind": kind,
        "tried_at": NOW,
        "tries": 1 if known is None else known.tries + 1,
    }
    upsert(conn, _t, ["invoice_id", "kind"], {**row, **news})
    return True


def _query(kind: str) -> sa.Select[Any]:
    wanted = sa.select(
        _invoices.c.id,
        _invoices.c.emitter_id,
        _emitters.c.cnpj,
        _invoices.c.issuer,
        _invoices.c.competence,
        _invoices.c.serie,
        _invoices.c.number,
        _invoices.c.nfse_number,
        _invoices.c.remote_id,
        _invoices.c.batch_id,
        sa.literal(kind),
        _t.c.sha256,
        sa.func.coalesce(_t.c.tries, 0),
        _t.c.problem,
    )
    joined = _join_documents(wanted, kind).join(_emitters, _emitters.c.id == _invoices.c.emitter_id)
    return joined.where(_invoices.c.state.in_(_ISSUED), _invoices.c.remote_id.is_not(None))


def _join_documents(query: sa.Select[Any], kind: str) -> sa.Select[Any]:
    return query.select_from(_invoices).join(
        _t, sa.and_(_t.c.invoice_id == _invoices.c.id, _t.c.kind == kind), isouter=True
    )
