"""Notes to stage: real requests of two hundred known takers, planned in a ledger, and as bare bytes."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final

import sqlalchemy as sa

from connectors.ledger import batches, files, invoices, numbers, parties, rows
from connectors.ledger.invoices import NewInvoice
from connectors.ledger.rows import NewRow, PackedRow, Parties, pack_new_row
from connectors.ledger.sheets.row_import import add_packed
from connectors.nfse.issuing.invoices import note_body
from connectors.nfse.notes import NoteCalls
from domain.cities import CITY_RULES, RIO_DE_JANEIRO
from domain.documents import Document
from domain.issuing import ServiceInvoice
from domain.keys import canonical_json, content_digest
from domain.parties import TakerData
from domain.services.invoices import compose_invoice
from domain.services.lines import ServiceLine
from domain.templates import ServiceTemplate, TaxProfile
from tests.load.responder import FIRST_TAKER, taker_cnpj

MONTH: Final = date(2026, 11, 1)
SERIE: Final = "F"
_TAKERS: Final = 200
_EMITTER_CNPJ: Final = "99000001000101"
_TEMPLATE: Final = ServiceTemplate(
    name="Consultoria",
    profile=TaxProfile(
        iss_bp=500, pis_bp=65, cofins_bp=300, ir_bp=150, csll_bp=100, ir_limit_cents=66_667, pcc_limit_cents=21_505
    ),
    service_item_code="0105",
    city_tax_code="010501",
    cnae_code="6201-5/00",
    description="Consultoria em tecnologia da informação conforme contrato de prestação de serviços",
)


def plan(conn: sa.Connection, *, name: str, count: int, batch_size: int) -> list[int]:
    """Plan `count` rows of known parties into batches. Return the batches' ids. `name` distinguishes the readings."""
    emitter, template, takers = _parties(conn)
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    file = files.receive(conn, sha256=sha256, name=f"{name}.xlsx", size_bytes=9, kind="services")
    reading = files.begin_reading(conn, file.id, operator="bench", options={})
    add_packed(conn, reading, rows.PackedRows(_row(n + 2) for n in range(count)))
    files.end_reading(conn, reading, {})
    row_ids = [row.id for row in rows.rows_of(conn, reading, limit=count)]
    known = {row: Parties(emitter, takers[n % _TAKERS], template) for n, row in enumerate(row_ids)}
    rows.resolve_rows(conn, known)
    news = [_draft(row, known[row], _compose(n), key=f"{name} {row}") for n, row in enumerate(row_ids)]
    ids = list(invoices.draft_invoices(conn, news).ids.values())
    return _batches(conn, reading, emitter, ids, batch_size)


def bodies(count: int) -> list[bytes]:
    """Return the bodies of the same notes on the wire."""
    at = datetime(2026, 11, 20, 12, tzinfo=UTC)
    return [
        NoteCalls.body(
            note_body(_compose(n).content, emitter_id=3), batch_id=1, serie=SERIE, number=n + 1, emission_at=at
        )
        for n in range(count)
    ]


def _parties(conn: sa.Connection) -> tuple[int, int, list[int]]:
    emitter = parties.upsert_emitter(
        conn,
        remote_id=3,
        cnpj=_EMITTER_CNPJ,
        name="Marés",
        city_code=RIO_DE_JANEIRO,
        is_active=True,
        kind="service",
        issuer="nfse",
        is_staged=True,
    )
    template = parties.upsert_template(
        conn, emitter_id=emitter, name="Consultoria", remote_id=7, body=_TEMPLATE.to_json()
    )
    takers = [
        parties.upsert_taker(
            conn,
            issuer="nfse",
            document=document(n).number,
            remote_id=FIRST_TAKER + n,
            name=f"T{n}",
            body={},
            is_complete=True,
        )
        for n in range(_TAKERS)
    ]
    if numbers.serie_of(conn, emitter, SERIE) is None:
        numbers.start_serie(conn, emitter, SERIE, start=1, by="first use")
    return emitter, template, takers


def document(n: int) -> Document:
    return Document("cnpj", taker_cnpj(n))


def _compose(n: int) -> ServiceInvoice:
    taker = TakerData(document=document(n % _TAKERS), name=f"T{n % _TAKERS}")
    line = ServiceLine(
        service_cents=10_000 + 137 * n, taker=taker, competence=MONTH, description=f"Consultoria, contrato {n:05d}"
    )
    composed = compose_invoice(
        line,
        emitter_cnpj=_EMITTER_CNPJ,
        city=CITY_RULES[RIO_DE_JANEIRO],
        taker_remote_id=FIRST_TAKER + n % _TAKERS,
        template=_TEMPLATE,
    )
    assert isinstance(composed, ServiceInvoice), composed
    return composed


def _draft(row_id: int, known: Parties, invoice: ServiceInvoice, *, key: str) -> NewInvoice:
    content = canonical_json(invoice.content)
    return NewInvoice(
        row_id=row_id,
        emitter_id=known.emitter_id,
        taker_id=known.taker_id,
        template_id=known.template_id,
        business_key=key,
        competence=MONTH,
        emission_at=None,
        content=content,
        digest=content_digest(content),
        service_cents=invoice.amounts.service_cents,
        liquid_cents=invoice.amounts.liquid_cents,
        amounts=invoice.amounts.to_json(),
    )


def _batches(conn: sa.Connection, reading: int, emitter: int, ids: Sequence[int], batch_size: int) -> list[int]:
    planned = [
        batches.plan_batch(
            conn,
            reading_id=reading,
            emitter_id=emitter,
            competence=MONTH,
            ordinal=ordinal,
            invoice_ids=ids[start : start + batch_size],
            serie=SERIE,
        )
        for ordinal, start in enumerate(range(0, len(ids), batch_size), 1)
    ]
    return [batch_id for batch_id in planned if batch_id is not None]


def _row(number: int) -> PackedRow:
    return pack_new_row(NewRow(sheet="S", row_number=number, cells={}, line={}))
