"""Living invoices of contracts' charges: what each one bills, and the days that it covers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.contracts import contract_histories, versions_by_key
from connectors.ledger.database.sql import is_in
from connectors.ledger.parties import families_by_name
from connectors.ledger.replacements import successors
from domain.contracts.billed_periods import BilledPeriod
from domain.contracts.charges import keys_of_charge
from domain.contracts.histories import Pasts
from domain.contracts.services import Families, Service, named_service
from domain.states import InvoiceState

_invoices = tables.invoices


@dataclass(frozen=True, slots=True, kw_only=True)
class BilledCharge:
    """What an invoice bills, and to whom. `document` and `customer_name` are None without a customer."""

    emitter_cnpj: str
    template_name: str | None
    document: str | None
    customer_name: str | None
    cents: int


def billed_charges(conn: sa.Connection, business_keys: Collection[str]) -> dict[str, BilledCharge]:
    """Return what the living invoice of each business key bills, for the keys that have one.

    A replaced invoice bills what the last invoice that replaces it bills.
    """
    is_living = sa.and_(is_in(conn, _invoices.c.business_key, business_keys), _invoices.c.is_living)
    found = conn.execute(sa.select(_invoices.c.business_key, _invoices.c.id, _invoices.c.state).where(is_living)).all()
    keys = {row.id: row.business_key for row in found}
    replaced = {row.id for row in found if row.state == str(InvoiceState.REPLACED)}
    while replaced:
        bearers = successors(conn, sorted(replaced))
        for old, new in bearers.items():
            keys[new.id] = keys.pop(old)
        replaced = {new.id for new in bearers.values() if new.state is InvoiceState.REPLACED}
    emitters, templates, takers = tables.emitters, tables.templates, tables.takers
    query = (
        sa.select(_invoices.c.id, emitters.c.cnpj, templates.c.name, takers.c.document, takers.c.name.label("customer"))
        .add_columns(_invoices.c.service_cents)
        .join(emitters, emitters.c.id == _invoices.c.emitter_id)
        .join(templates, templates.c.id == _invoices.c.template_id, isouter=True)
        .join(takers, takers.c.id == _invoices.c.taker_id, isouter=True)
        .where(is_in(conn, _invoices.c.id, keys))
    )
    return {
        keys[row.id]: BilledCharge(
            emitter_cnpj=row.cnpj,
            template_name=row.name,
            document=row.document,
            customer_name=row.customer,
            cents=row.service_cents,
        )
        for row in conn.execute(query)
    }


def billed_periods(conn: sa.Connection, months: Mapping[str, Collection[date]]) -> dict[str, list[BilledPeriod]]:
    """Return the billed periods of contracts, by folded key: of living invoices of these months alone, oldest first."""
    versions = versions_by_key(conn, months)
    charges = {
        business_key: (key, month)
        for key, known in versions.items()
        for month in months[key]
        for business_key in keys_of_charge(known[-1].contract, month, {each.contract.emitter_cnpj for each in known})
    }
    rows, sheets = tables.rows, tables.contract_sheets
    is_of_contracts = sa.and_(sheets.c.file_id == rows.c.file_id, sheets.c.source == "contracts")
    query = (
        sa.select(_invoices.c.business_key, sheets.c.last_contract)
        .join(rows, rows.c.id == _invoices.c.row_id)
        .join(sheets, is_of_contracts, isouter=True)
        .where(is_in(conn, _invoices.c.business_key, charges), _invoices.c.is_living)
    )
    living = conn.execute(query).all()
    bearers = billed_charges(conn, [row.business_key for row in living]) if living else {}
    families = families_by_name(conn) if living else {}
    found: dict[str, list[BilledPeriod]] = {}
    for business_key, last_contract in living:
        key, month = charges[business_key]
        service = _service(bearers[business_key], families)
        found.setdefault(key, []).append(BilledPeriod.of(versions[key], month, last_contract, service))
    return {key: sorted(periods) for key, periods in found.items()}


def billed_services(conn: sa.Connection, competence: date) -> frozenset[Service]:
    """Return what the living invoices of a month bill, of contracts or of any other sheet."""
    emitters, templates, takers = tables.emitters, tables.templates, tables.takers
    query = (
        sa.select(emitters.c.cnpj, takers.c.document, templates.c.name)
        .select_from(_invoices)
        .join(emitters, emitters.c.id == _invoices.c.emitter_id)
        .join(templates, templates.c.id == _invoices.c.template_id)
        .join(takers, takers.c.id == _invoices.c.taker_id)
        .where(_invoices.c.competence == competence, _invoices.c.is_living)
        .distinct()
    )
    families = families_by_name(conn)
    return frozenset(named_service(row.cnpj, row.document, row.name, families) for row in conn.execute(query))


def contract_pasts(conn: sa.Connection) -> Pasts:
    return Pasts.of(contract_histories(conn), families_by_name(conn))


def _service(billed: BilledCharge, families: Families) -> Service:
    return named_service(billed.emitter_cnpj, billed.document, billed.template_name or "", families)
