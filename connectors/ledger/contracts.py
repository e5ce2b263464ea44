"""Store versions of contracts with their authors, monthly changes of price indexes, and the sheets of a month."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, cast

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock, is_in
from connectors.ledger.replacements import successors
from domain.contracts.billed_periods import Version
from domain.contracts.contract import Contract, Index
from domain.contracts.histories import ContractHistory
from domain.states import InvoiceState
from domain.texts import folded_charge

_t = tables.contracts
_indexes = tables.index_changes
_sheets = tables.contract_sheets
_invoices = tables.invoices

Source = Literal["contracts", "payments"]
"""What a sheet that we wrote bills: charges of contracts, or paid invoices of orders."""


@dataclass(frozen=True, slots=True)
class ContractRecord:
    """One version of a contract. `ordinal` counts from 1; `changed_at` is the ledger's clock."""

    contract: Contract
    ordinal: int
    changed_at: datetime
    changed_by: str
    because: str


@dataclass(frozen=True, slots=True)
class CancelledCharge:
    """What a cancelled invoice billed. `content` is empty if the invoice's month is detached."""

    emitter_cnpj: str
    template_name: str | None
    cents: int
    content: Mapping[str, Any]


def folded_key(key: str) -> str:
    """Return a contract's key in normalized form: letter case, accents and punctuation do not matter."""
    return folded_charge(key)


def contracts_all(conn: sa.Connection) -> list[ContractRecord]:
    """Return the newest version of every contract, sorted by key."""
    newest = sa.select(_t.c.folded_key, sa.func.max(_t.c.ordinal).label("ordinal")).group_by(_t.c.folded_key).subquery()
    is_newest = sa.and_(_t.c.folded_key == newest.c.folded_key, _t.c.ordinal == newest.c.ordinal)
    query = sa.select(_t).join(newest, is_newest).order_by(_t.c.folded_key)
    return [_record(row) for row in conn.execute(query)]


def contracts_until(conn: sa.Connection, last_id: int) -> list[ContractRecord]:
    """Return the newest version of every contract, sorted by key. Versions with an id above `last_id` do not count."""
    query = sa.select(_t).where(_t.c.id <= last_id).order_by(_t.c.folded_key, _t.c.ordinal)
    return list({row.folded_key: _record(row) for row in conn.execute(query)}.values())


def versions_of(conn: sa.Connection, key: str) -> list[ContractRecord]:
    """Return every version of a contract, oldest first; none for an unknown key."""
    query = sa.select(_t).where(_t.c.folded_key == folded_key(key)).order_by(_t.c.ordinal)
    return [_record(row) for row in conn.execute(query)]


def contract_histories(conn: sa.Connection, *, last_id: int | None = None) -> dict[str, ContractHistory]:
    """Return the past of each contract, until the version `last_id` or now, by folded key."""
    terms = _t.c.terms["emitter_cnpj"].as_string(), _t.c.terms["cadence_months"].as_integer()
    query = sa.select(_t.c.folded_key, *terms, _t.c.document, _t.c.changed_at).order_by(_t.c.ordinal)
    found: dict[str, ContractHistory] = {}
    versions = conn.execute(query if last_id is None else query.where(_t.c.id <= last_id))
    for key, cnpj, cadence, document, changed_at in versions:
        past = found.get(key, ContractHistory(changed_at, frozenset(), frozenset(), 1))
        found[key] = ContractHistory(
            past.entered_at,
            past.emitters | {cnpj},
            past.customers | {document},
            max(past.longest_cadence, cadence),
        )
    return found


def versions_by_key(conn: sa.Connection, folded_keys: Collection[str]) -> dict[str, list[Version]]:
    """Return every version of these contracts with its id, oldest first, by folded key; leave out unknown keys."""
    query = sa.select(_t.c.folded_key, _t.c.id, _t.c.terms).where(is_in(conn, _t.c.folded_key, folded_keys))
    found: dict[str, list[Version]] = {}
    for key, version_id, terms in conn.execute(query.order_by(_t.c.folded_key, _t.c.ordinal)):
        found.setdefault(key, []).append(Version(version_id, Contract.from_json(terms)))
    return found


def last_version(conn: sa.Connection) -> int:
    """Return the highest id of all versions of all contracts; 0 without any."""
    return int(conn.execute(sa.select(sa.func.coalesce(sa.func.max(_t.c.id), 0))).scalar_one())


def write_version(conn: sa.Connection, contract: Contract, *, after: int, by: str, because: str) -> bool:
    """Add a version to a contract. Return False if the ordinal of its newest version is not `after` (0: no version)."""
    key = folded_key(contract.key)
    query = sa.select(sa.func.max(_t.c.ordinal)).where(_t.c.folded_key == key)
    if (conn.execute(query).scalar_one() or 0) != after:
        return False
    line = {
        "folded_key": key,
        "ordinal": after + 1,
        "document": contract.customer.number,
        "terms": contract.to_json(),
        "changed_at": clock(conn),
        "changed_by": by,
        "because": because,
    }
    made = conn.execute(insert_unless_known(conn, _t).values(**line).returning(_t.c.id))
    return made.first() is not None


def write_versions(
    conn: sa.Connection, contracts: Mapping[str, tuple[Contract, int]], *, by: str, because: str
) -> set[str]:
    """Add a version to each contract. Return the keys of those that somebody else changed meanwhile.

    `contracts` has, by key, the new version and the ordinal of the newest version that the caller knows.
    """
    return {
        key
        for key, (contract, after) in contracts.items()
        if not write_version(conn, contract, after=after, by=by, because=because)
    }


def index_changes(conn: sa.Connection) -> dict[tuple[Index, date], Decimal]:
    """Return the monthly changes in percent, by price index and first day of the month. The newest entry counts."""
    query = sa.select(_indexes.c.index_name, _indexes.c.month, _indexes.c.change).order_by(_indexes.c.id)
    return {(Index(row.index_name), row.month): Decimal(row.change) for row in conn.execute(query)}


def store_indexes(conn: sa.Connection, changes: Mapping[tuple[Index, date], Decimal], *, by: str) -> None:
    """Store monthly changes in percent. Earlier entries of the same month stay stored; the newest counts."""
    at = clock(conn)
    lines = [
        {"index_name": str(index), "month": month, "change": str(change), "entered_by": by}
        for (index, month), change in sorted(changes.items())
    ]
    if lines:
        conn.execute(sa.insert(_indexes).values(entered_at=at), lines)


def store_charge_sheet(
    conn: sa.Connection, file_id: int, *, source: Source, competence: date, count: int, last_contract: int
) -> None:
    """Record that this file has charges of a month, computed from versions of contracts up to `last_contract`.

    Safe to repeat. A file that newer versions give again is theirs.
    """
    line = {
        "file_id": file_id,
        "source": source,
        "competence": competence,
        "count": count,
        "last_contract": last_contract,
        "written_at": clock(conn),
    }
    conn.execute(insert_unless_known(conn, _sheets).values(**line))
    is_older = sa.and_(_sheets.c.file_id == file_id, _sheets.c.last_contract < last_contract)
    conn.execute(sa.update(_sheets).where(is_older).values(last_contract=last_contract))


def last_version_of_sheet(conn: sa.Connection, file_id: int) -> int | None:
    """Return the `last_contract` of a sheet of contracts; None for any other file."""
    is_ours = sa.and_(_sheets.c.file_id == file_id, _sheets.c.source == "contracts")
    return conn.execute(sa.select(_sheets.c.last_contract).where(is_ours)).scalar_one_or_none()


def source_of_sheet(conn: sa.Connection, file_id: int) -> Source | None:
    """Return what we wrote this sheet from; None for a file that a person dropped."""
    found = conn.execute(sa.select(_sheets.c.source).where(_sheets.c.file_id == file_id)).scalar_one_or_none()
    return cast("Source | None", found)


def sheets_of(conn: sa.Connection, competence: date, source: Source = "contracts") -> list[int]:
    """Return the ids of the sheets that we wrote with charges of this month, oldest first."""
    mine = sa.and_(_sheets.c.competence == competence, _sheets.c.source == source)
    query = sa.select(_sheets.c.file_id).where(mine).order_by(_sheets.c.id)
    return list(conn.execute(query).scalars())


def living_keys(
    conn: sa.Connection, business_keys: Collection[str], *, competence: date | None = None
) -> dict[str, int]:
    """Return the amount in cents of the living invoice of each business key that has one, in this month or in any.

    For a replaced invoice, it is the amount of the last invoice in the chain of replacements.
    """
    query = sa.select(_invoices.c.business_key, _invoices.c.service_cents, _invoices.c.id, _invoices.c.state).where(
        is_in(conn, _invoices.c.business_key, business_keys), _invoices.c.is_living
    )
    if competence is not None:
        query = query.where(_invoices.c.competence == competence)
    found = conn.execute(query).all()
    cents = {row.business_key: row.service_cents for row in found}
    replaced = {row.id: row.business_key for row in found if row.state == str(InvoiceState.REPLACED)}
    while replaced:
        bearers = {replaced[old]: new for old, new in successors(conn, list(replaced)).items()}
        cents |= {key: new.service_cents for key, new in bearers.items()}
        replaced = {new.id: key for key, new in bearers.items() if new.state is InvoiceState.REPLACED}
    return cents


def cancelled_charges(conn: sa.Connection, business_keys: Collection[str]) -> dict[str, CancelledCharge]:
    """Return what the newest cancelled invoice of each business key billed, for the keys that have one.

    The caller passes only keys without a living invoice.
    """
    emitters, templates = tables.emitters, tables.templates
    query = (
        sa.select(
            _invoices.c.business_key, emitters.c.cnpj, templates.c.name, _invoices.c.service_cents, _invoices.c.content
        )
        .join(emitters, emitters.c.id == _invoices.c.emitter_id)
        .join(templates, templates.c.id == _invoices.c.template_id, isouter=True)
        .where(is_in(conn, _invoices.c.business_key, business_keys), _invoices.c.state == str(InvoiceState.CANCELLED))
        .order_by(_invoices.c.id)
    )
    return {
        row.business_key: CancelledCharge(row.cnpj, row.name, row.service_cents, json.loads(row.content))
        for row in conn.execute(query)
    }


def _record(row: Any) -> ContractRecord:
    contract = Contract.from_json(row.terms)
    return ContractRecord(contract, row.ordinal, row.changed_at, row.changed_by, row.because)
