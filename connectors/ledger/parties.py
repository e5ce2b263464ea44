"""Store the provider's account of this ledger, and emitters, templates and takers as last seen at their issuer."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import Statement, clock, is_in, param
from connectors.ledger.database.upserts import NOW, upsert
from domain.issuing import EmitterRef
from domain.problems import FaturistaError, Problem
from domain.texts import folded, folded_charge


@dataclass(frozen=True, slots=True)
class EmitterRecord:
    """An emitter as its issuer last showed it, at `looked_at`. `cnpj` is without punctuation.

    A company has one emitter for each of its issuers. `is_staged`: a posted invoice waits at the issuer until a send.
    """

    id: int
    remote_id: int
    cnpj: str
    name: str
    city_code: str
    is_active: bool
    looked_at: datetime
    kind: tables.Kind
    issuer: str
    is_staged: bool

    @property
    def ref(self) -> EmitterRef:
        """What names the emitter in calls to its issuer: the issuer's id and the CNPJ."""
        return EmitterRef(self.remote_id, self.cnpj)


@dataclass(frozen=True, slots=True)
class TemplateRecord:
    """A template as the issuer last showed it under this name and id, at `looked_at`.

    `body` is its `ServiceTemplate.to_json`.
    """

    id: int
    emitter_id: int
    name: str
    remote_id: int
    body: dict[str, Any]
    looked_at: datetime


@dataclass(frozen=True, slots=True)
class TemplateFamily:
    """All records of one template of an emitter: each shares its name or its id at the issuer with another one.

    People rename a template, or delete it and create it again under its name. `id` is the family's first record.
    """

    id: int
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class TakerRecord:
    """A customer in the register of `issuer`, as last seen at `looked_at`.

    `document` is a CPF or CNPJ without punctuation; `body` is the customer's `TakerData.to_json`. `is_complete`: the
    register has all that an invoice needs.
    """

    id: int
    document: str
    remote_id: int
    name: str
    body: dict[str, Any]
    is_complete: bool
    looked_at: datetime
    issuer: str


def bind_account(conn: sa.Connection, *, uuid: str, name: str) -> bool:
    """Bind this ledger to the provider's account at the first call. Return whether this was the first call.

    Raises `FaturistaError` (`ledger.other_account`) if the ledger is bound to another account.
    """
    line = {"id": 1, "uuid": uuid, "name": name, "bound_at": clock(conn)}
    made = insert_unless_known(conn, tables.account).values(**line).returning(tables.account.c.id)
    is_first = conn.execute(made).first() is not None
    bound = account_of(conn)
    if bound is None or bound[0] != uuid:
        # Two accounts of one company, such as one for tests, have the same name.
        ours = "" if bound is None else f"{bound[1]} ({bound[0]})"
        raise FaturistaError(Problem("ledger.other_account", params={"ours": ours, "theirs": f"{name} ({uuid})"}))
    return is_first


def account_of(conn: sa.Connection) -> tuple[str, str] | None:
    """Return (uuid, name) of the account to which this ledger is bound, or None."""
    found = conn.execute(sa.select(tables.account.c.uuid, tables.account.c.name)).one_or_none()
    return None if found is None else (found.uuid, found.name)


def upsert_emitter(
    conn: sa.Connection,
    *,
    remote_id: int,
    cnpj: str,
    name: str,
    city_code: str,
    is_active: bool,
    kind: tables.Kind,
    issuer: str,
    is_staged: bool,
) -> int:
    """Store the emitter of this issuer as just seen. Return its ledger id."""
    line = {"remote_id": remote_id, "cnpj": cnpj, "name": name, "city_code": city_code, "is_active": is_active}
    line |= {"kind": kind, "issuer": issuer, "is_staged": is_staged}
    return upsert(conn, tables.emitters, ["issuer", "cnpj"], line | {"looked_at": NOW})


def upsert_template(conn: sa.Connection, *, emitter_id: int, name: str, remote_id: int, body: Mapping[str, Any]) -> int:
    """Store the template as just seen. Return its ledger id."""
    line = {"emitter_id": emitter_id, "name": name, "remote_id": remote_id, "body": dict(body)}
    return upsert(conn, tables.templates, ["emitter_id", "name", "remote_id"], line | {"looked_at": NOW})


def upsert_templates(
    conn: sa.Connection, *, emitter_id: int, templates: Mapping[str, tuple[int, Mapping[str, Any]]]
) -> None:
    """Store an emitter's templates as just seen. `templates`: by name, the id at the provider and the body."""
    # Two processes may store them at once: one order prevents a deadlock.
    for name, (remote_id, body) in sorted(templates.items()):
        upsert_template(conn, emitter_id=emitter_id, name=name, remote_id=remote_id, body=body)


def upsert_taker(
    conn: sa.Connection,
    *,
    issuer: str,
    document: str,
    remote_id: int,
    name: str,
    body: Mapping[str, Any],
    is_complete: bool,
) -> int:
    """Store the taker of this issuer's register as just seen. Return its ledger id."""
    line = {"document": document, "remote_id": remote_id, "name": name, "body": dict(body), "is_complete": is_complete}
    return upsert(conn, tables.takers, ["issuer", "document"], line | {"issuer": issuer, "looked_at": NOW})


def emitter_by_cnpj(conn: sa.Connection, cnpj: str, issuer: str) -> EmitterRecord | None:
    table = tables.emitters
    found = conn.execute(sa.select(table).where(table.c.cnpj == cnpj, table.c.issuer == issuer)).one_or_none()
    return None if found is None else EmitterRecord(*found)


def contradicting_emitter(conn: sa.Connection, *, issuer: str, cnpj: str, remote_id: int) -> EmitterRecord | None:
    """Return an emitter that has this id and another CNPJ, or this CNPJ and numbers under another id; else None."""
    table, numbers = tables.emitters, tables.numbers
    has_numbers = sa.exists().where(numbers.c.emitter_id == table.c.id)
    is_other = sa.or_(
        sa.and_(table.c.remote_id == remote_id, table.c.cnpj != cnpj),
        sa.and_(table.c.remote_id != remote_id, table.c.cnpj == cnpj, has_numbers),
    )
    found = conn.execute(sa.select(table).where(table.c.issuer == issuer, is_other).limit(1)).one_or_none()
    return None if found is None else EmitterRecord(*found)


def emitter_of(conn: sa.Connection, emitter_id: int) -> EmitterRecord:
    """Return an emitter. Raises `LookupError`."""
    found = _emitter(conn, emitter=emitter_id).one_or_none()
    if found is None:
        raise LookupError(emitter_id)
    return EmitterRecord(*found)


@Statement
def _emitter(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(tables.emitters).where(tables.emitters.c.id == param("emitter"))


def issued_by(conn: sa.Connection, emitter_id: int) -> dict[str, Any]:
    """Return the values of the columns `tables.ISSUED_BY` of an emitter: document kind, issuer, and `is_staged`."""
    found = _emitter(conn, emitter=emitter_id).mappings().one()
    return {name: found[name] for name in tables.ISSUED_BY}


def emitters_all(conn: sa.Connection) -> list[EmitterRecord]:
    return [EmitterRecord(*row) for row in conn.execute(sa.select(tables.emitters).order_by(tables.emitters.c.id))]


def taker_ids(conn: sa.Connection, documents: Collection[str], issuer: str, *, since: datetime) -> dict[str, int]:
    """Return the ids, by document, of the issuer's complete takers read at or after `since`.

    An incomplete taker is left out: it is completed in the register before it is billed, so it must be read again.
    """
    table = tables.takers
    query = sa.select(table.c.document, table.c.id).where(
        is_in(conn, table.c.document, documents),
        table.c.issuer == issuer,
        table.c.looked_at >= since,
        table.c.is_complete,
    )
    return {row.document: row.id for row in conn.execute(query)}


def takers_by_documents(conn: sa.Connection, documents: Collection[str], issuer: str) -> dict[str, TakerRecord]:
    """Return the issuer's takers in the ledger by document, however long ago they were read."""
    table = tables.takers
    query = sa.select(table).where(is_in(conn, table.c.document, documents), table.c.issuer == issuer)
    return {row.document: TakerRecord(*row) for row in conn.execute(query)}


def mark_takers_unread(conn: sa.Connection, batch_id: int) -> None:
    """Mark the takers of a batch as never read. They are read again before they are billed again."""
    _forget_look(conn, tables.invoices.c.batch_id == batch_id)


def mark_invoice_takers_unread(conn: sa.Connection, invoice_ids: Collection[int]) -> None:
    """Mark the takers of these invoices as never read. They are read again before they are billed again."""
    _forget_look(conn, is_in(conn, tables.invoices.c.id, invoice_ids))


def _forget_look(conn: sa.Connection, which: sa.ColumnElement[bool]) -> None:
    invoices, table = tables.invoices, tables.takers
    billed = sa.select(invoices.c.taker_id).where(which, invoices.c.taker_id.is_not(None))
    conn.execute(sa.update(table).where(table.c.id.in_(billed)).values(looked_at=NEVER))


NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The `looked_at` of a taker whose stored data is no statement of the register's."""


def takers_by_ids(conn: sa.Connection, ids: Collection[int]) -> dict[int, TakerRecord]:
    query = sa.select(tables.takers).where(is_in(conn, tables.takers.c.id, ids))
    return {row.id: TakerRecord(*row) for row in conn.execute(query)}


def templates_of(conn: sa.Connection, emitter_id: int) -> list[TemplateRecord]:
    """Return all templates of an emitter in the ledger, by name, without former names and ids.

    The provider may have deleted some.
    """
    query = sa.select(tables.templates).where(tables.templates.c.emitter_id == emitter_id)
    return sorted(_present_templates(conn, query), key=lambda record: record.name)


def _present_templates(conn: sa.Connection, query: sa.Select[Any]) -> Iterator[TemplateRecord]:
    """Yield the records of templates without those that a later look at the same name or id has replaced."""
    seen: set[tuple[int, str | int]] = set()
    newest_first = query.order_by(tables.templates.c.looked_at.desc(), tables.templates.c.id.desc())
    for record in (TemplateRecord(*row) for row in conn.execute(newest_first)):
        signs: set[tuple[int, str | int]] = {(record.emitter_id, record.name), (record.emitter_id, record.remote_id)}
        if not signs & seen:
            yield record
        seen |= signs


def template_families(conn: sa.Connection) -> dict[int, TemplateFamily]:
    """Return the family of each template record, by the record's id."""
    table = tables.templates
    query = sa.select(table.c.id, table.c.emitter_id, table.c.name, table.c.remote_id).order_by(table.c.id)
    names: dict[int, str] = {}
    signs: dict[int, tuple[tuple[int, str | int], ...]] = {}
    members: dict[tuple[int, str | int], frozenset[int]] = {}
    for template_id, emitter_id, name, remote_id in conn.execute(query):
        names[template_id] = name
        signs[template_id] = ((emitter_id, folded_charge(name)), (emitter_id, remote_id))
        joined = frozenset({template_id}).union(*(members.get(sign, ()) for sign in signs[template_id]))
        members |= {sign: joined for each in joined for sign in signs[each]}
    families = {each: TemplateFamily(min(each), frozenset(names[one] for one in each)) for each in members.values()}
    return {template_id: families[members[signs[template_id][0]]] for template_id in names}


def families_by_name(conn: sa.Connection) -> dict[tuple[str, str], int]:
    """Return the family of each template name of a company, by CNPJ and folded name.

    Families of a company's emitters that share a name are one.
    """
    cnpjs = {each.id: each.cnpj for each in emitters_all(conn)}
    emitters = dict(conn.execute(sa.select(tables.templates.c.id, tables.templates.c.emitter_id)).tuples().all())
    found: dict[tuple[str, str], int] = {}
    for family in sorted(set(template_families(conn).values()), key=lambda each: each.id):
        names = {(cnpjs[emitters[family.id]], folded_charge(name)) for name in family.names}
        known = {found[name] for name in names & found.keys()}
        joined = min(known, default=family.id)
        found |= {name: joined for name, each in found.items() if each in known} | dict.fromkeys(names, joined)
    return found


def former_template_ids(conn: sa.Connection, emitter_id: int, name: str) -> set[int]:
    """Return the ids at the issuer that a template of this name was ever seen with, in any spelling of the name."""
    table = tables.templates
    query = sa.select(table.c.name, table.c.remote_id).where(table.c.emitter_id == emitter_id)
    return {row.remote_id for row in conn.execute(query) if folded(row.name) == folded(name)}


def forget_template_ids(conn: sa.Connection, emitter_id: int) -> None:
    """Negate the stored provider ids of an emitter's templates, so that none equals an id at another provider."""
    table = tables.templates
    change = sa.update(table).where(table.c.emitter_id == emitter_id, table.c.remote_id > 0)
    conn.execute(change.values(remote_id=-table.c.remote_id))


def template_names(conn: sa.Connection, cnpjs: Collection[str] | None) -> list[str]:
    """Return the present template names in the ledger of these emitters, or of all (None); each once, sorted."""
    query = sa.select(tables.templates)
    if cnpjs is not None:
        query = query.join(tables.emitters, tables.emitters.c.id == tables.templates.c.emitter_id)
        query = query.where(is_in(conn, tables.emitters.c.cnpj, cnpjs))
    return sorted({record.name for record in _present_templates(conn, query)})


def templates_by_ids(conn: sa.Connection, ids: Collection[int]) -> dict[int, TemplateRecord]:
    query = sa.select(tables.templates).where(is_in(conn, tables.templates.c.id, ids))
    return {row.id: TemplateRecord(*row) for row in conn.execute(query)}
