"""Store enrolments: a person's roles and limit. Every change is journaled and voids older proofs of identity."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock, is_sqlite
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Permission, Role, folded_name, roles_for

_t = tables.staff
_names = tables.staff_names
_secrets = tables.staff_secrets
_events = tables.staff_events

_SHOWN: Final = 10
_UNLIMITED: Final = "-"


@dataclass(frozen=True, slots=True)
class StaffRecord:
    """One enrolment. `limit_cents` None: any amount. `failures` counts failed attempts since the last success.

    `names` are the person's other names, normalized with `folded_name`. `revision` grows with every change.
    """

    id: int
    email: str
    name: str
    roles: frozenset[Role]
    limit_cents: int | None
    revision: int
    enrolled_at: datetime
    enrolled_by: str
    revoked_at: datetime | None
    revoked_by: str | None
    failures: int
    locked_until: datetime | None
    names: frozenset[str]
    temporary_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStaff:
    """A new enrolment. `temporary_s`: seconds until a temporary secret expires; None: the person chose the secret."""

    email: str
    name: str
    roles: frozenset[Role]
    limit_cents: int | None
    names: Collection[str]
    verifier: str
    temporary_s: float | None


def has_any(conn: sa.Connection) -> bool:
    """Return whether anybody was ever enrolled. Revoked people count, so that a revocation grants access to nobody."""
    return conn.execute(sa.select(_t.c.id).limit(1)).first() is not None


def staff_all(conn: sa.Connection) -> list[StaffRecord]:
    """Return all enrolments, revoked ones included, sorted by name."""
    return _select(conn)


def staff_of(conn: sa.Connection, staff_id: int) -> StaffRecord:
    """Return one enrolment. It must exist."""
    (found,) = _select(conn, _t.c.id == staff_id)
    return found


def staff_called(conn: sa.Connection, names: Iterable[str]) -> list[StaffRecord]:
    """Return the people, revoked ones included, who have one of these names or addresses.

    The names are those of machine users, owners of files, or folders of the inbox.
    """
    folded = {folded_name(each) for each in names}
    meant = sa.exists().where(_names.c.staff_id == _t.c.id, _names.c.name.in_(folded))
    return _select(conn, sa.or_(meant, _t.c.email.in_(folded)))


def enrol(conn: sa.Connection, new: NewStaff, *, by: Actor) -> int:
    """Enrol a person and return the id.

    Only an operator may enrol; the first enrolment needs none, but must be an operator's. Raises `FaturistaError` if
    that is not so, or if another person has the address or a name.
    """
    _lock(conn)
    if has_any(conn):
        check_enrolment(conn, by, Permission.OPERATE)
    elif Role.OPERATOR not in new.roles:
        raise FaturistaError(Problem("staff.first_operates"))
    if conn.execute(sa.select(_t.c.id).where(_t.c.email == new.email)).first() is not None:
        raise FaturistaError(Problem("staff.email_taken"))
    line = {
        "email": new.email,
        "name": new.name,
        "roles": _join_roles(new.roles),
        "limit_cents": new.limit_cents,
        "revision": 1,
        "enrolled_at": clock(conn),
        "enrolled_by": by.signature,
        "failures": 0,
    }
    made = int(conn.execute(sa.insert(_t).values(**line).returning(_t.c.id)).scalar_one())
    write_secret(conn, made, new.verifier, temporary_s=new.temporary_s)
    journal(conn, made, "enrolled", by=by.signature, becomes=f"{_join_roles(new.roles)} {_limit(new.limit_cents)}")
    _name(conn, made, new.names, by=by.signature)
    return made


def change(
    conn: sa.Connection,
    email: str,
    *,
    by: Actor,
    roles: frozenset[Role] | None = None,
    limit: tuple[int | None] | None = None,
    names: Collection[str] = (),
) -> None:
    """Change roles or limit (`(cents,)`, or `(None,)` for any amount), or add names. None changes nothing.

    Raises `FaturistaError` if `by` is no operator, the person is unknown, a name is taken, or no operator would remain.
    """
    was = _lock_enrolment(conn, email, by=by)
    if roles is not None and roles != was.roles:
        _rewrite(conn, was.id, roles=_join_roles(roles))
        journal(conn, was.id, "roles", by=by.signature, was=_join_roles(was.roles), becomes=_join_roles(roles))
        _refuse_no_operator(conn)
    if limit is not None and limit[0] != was.limit_cents:
        _rewrite(conn, was.id, limit_cents=limit[0])
        journal(conn, was.id, "limit", by=by.signature, was=_limit(was.limit_cents), becomes=_limit(limit[0]))
    _name(conn, was.id, names, by=by.signature)


def reset(conn: sa.Connection, email: str, verifier: str, *, by: Actor, temporary_s: float) -> None:
    """Replace a forgotten secret by a temporary one, and end a lock. Raises `FaturistaError` as `change` does."""
    was = _lock_enrolment(conn, email, by=by)
    write_secret(conn, was.id, verifier, temporary_s=temporary_s)
    _rewrite(conn, was.id, failures=0, locked_until=None)
    journal(conn, was.id, "reset", by=by.signature)


def revoke(conn: sa.Connection, email: str, *, by: Actor) -> None:
    """End an enrolment for ever and delete its secret. Raises `FaturistaError` as `change` does."""
    was = _lock_enrolment(conn, email, by=by)
    conn.execute(sa.delete(_secrets).where(_secrets.c.staff_id == was.id))
    _rewrite(conn, was.id, revoked_at=clock(conn), revoked_by=by.signature)
    journal(conn, was.id, "revoked", by=by.signature)
    _refuse_no_operator(conn)


def unlock(conn: sa.Connection, email: str, *, by: Actor) -> None:
    """End the lock of an enrolment after too many failures. Raises `FaturistaError` as `change` does."""
    was = _lock_enrolment(conn, email, by=by)
    conn.execute(sa.update(_t).where(_t.c.id == was.id).values(failures=0, locked_until=None))
    journal(conn, was.id, "unlocked", by=by.signature)


def check_enrolment(conn: sa.Connection, actor: Actor, act: Permission) -> StaffRecord | None:
    """Lock the acting person's enrolment until the transaction ends, and return it.

    Return None if nobody is enrolled, or if the actor is automatic.

    Raises:
        FaturistaError: The enrolment was changed or revoked since the person proved their identity, it does not allow
            `act`, or the person is not enrolled although somebody is.
    """
    if actor.staff_id is None:
        if not actor.is_automatic and has_any(conn):
            raise FaturistaError(Problem("staff.changed"))
        return None
    conn.execute(sa.select(_t.c.id).where(_t.c.id == actor.staff_id).with_for_update())
    found = staff_of(conn, actor.staff_id)
    if found.revoked_at is not None or found.revision != actor.revision:
        raise FaturistaError(Problem("staff.changed"))
    refuse_role(conn, found, act)
    return found


def refuse_role(conn: sa.Connection, found: StaffRecord, act: Permission) -> None:
    """Raise `FaturistaError` if no role of the person allows `act`. The error names people who may."""
    roles = roles_for(act)
    if not roles & found.roles:
        params = {"name": found.name, "able": names_of_able_people(conn, *roles)}
        raise FaturistaError(Problem(f"staff.may_not_{act}", params=params))


def refuse_amount(conn: sa.Connection, found: StaffRecord, cents: int) -> None:
    """Raise `FaturistaError` if an amount exceeds the person's limit. The error names people who may."""
    if found.limit_cents is not None and cents > found.limit_cents:
        params = {
            "name": found.name,
            "limit": format_brl(found.limit_cents),
            "total": format_brl(cents),
            "able": names_of_able_people(conn, Role.APPROVER, cents=cents),
        }
        raise FaturistaError(Problem("staff.above_limit", params=params))


def able_people(conn: sa.Connection, *roles: Role, cents: int = 0) -> list[StaffRecord]:
    """Return the people with one of these roles and a limit of at least `cents`, sorted by name."""
    return [
        each
        for each in _select(conn, _t.c.revoked_at.is_(None))
        if each.roles.intersection(roles) and (each.limit_cents is None or each.limit_cents >= cents)
    ]


def names_of_able_people(conn: sa.Connection, *roles: Role, cents: int = 0) -> str:
    """Return the names of 10 of `able_people`; "-" for nobody."""
    found = [each.name for each in able_people(conn, *roles, cents=cents)]
    return ", ".join([*found[:_SHOWN], *(["…"] if len(found) > _SHOWN else [])]) or "-"


def write_secret(conn: sa.Connection, staff_id: int, verifier: str, *, temporary_s: float | None) -> None:
    """Replace the stored verifier of a person's secret. For this package only."""
    until = None if temporary_s is None else clock(conn, plus_s=temporary_s)
    conn.execute(sa.delete(_secrets).where(_secrets.c.staff_id == staff_id))
    conn.execute(sa.insert(_secrets).values(staff_id=staff_id, verifier=verifier, temporary_until=until))


def journal(
    conn: sa.Connection,
    staff_id: int | None,
    what: str,
    *,
    by: str,
    was: str | None = None,
    becomes: str | None = None,
) -> None:
    """Add an entry to the journal of staff. `staff_id` None: an unknown address. For this package only."""
    line = {"staff_id": staff_id, "what": what, "was": was, "becomes": becomes, "done_by": by, "at": clock(conn)}
    conn.execute(sa.insert(_events).values(**line))


def _lock_enrolment(conn: sa.Connection, email: str, *, by: Actor) -> StaffRecord:
    """Check that `by` is an operator, lock all enrolments, and return the valid one with this address."""
    _lock(conn)
    check_enrolment(conn, by, Permission.OPERATE)
    found = _select(conn, _t.c.email == email, _t.c.revoked_at.is_(None))
    if not found:
        raise FaturistaError(Problem("staff.unknown"))
    return found[0]


def _rewrite(conn: sa.Connection, staff_id: int, **news: Any) -> None:
    conn.execute(sa.update(_t).where(_t.c.id == staff_id).values(revision=_t.c.revision + 1, **news))


def _refuse_no_operator(conn: sa.Connection) -> None:
    if names_of_able_people(conn, Role.OPERATOR) == "-":
        raise FaturistaError(Problem("staff.last_operator"))


def _name(conn: sa.Connection, staff_id: int, names: Collection[str], *, by: str) -> None:
    for folded in sorted({folded_name(each) for each in names} - {""}):
        conn.execute(insert_unless_known(conn, _names).values(name=folded, staff_id=staff_id))
        owner = conn.execute(sa.select(_names.c.staff_id).where(_names.c.name == folded)).scalar_one()
        if owner != staff_id:
            raise FaturistaError(Problem("staff.name_taken", params={"name": folded}))
        journal(conn, staff_id, "named", by=by, becomes=folded)


def _lock(conn: sa.Connection) -> None:
    # Two operators may revoke each other at once; two people may enrol first at once. SQLite has one writer.
    if not is_sqlite(conn):
        conn.execute(sa.text("LOCK TABLE staff IN SHARE ROW EXCLUSIVE MODE"))


def _join_roles(roles: Collection[Role]) -> str:
    return ",".join(sorted(map(str, roles)))


def _limit(cents: int | None) -> str:
    return _UNLIMITED if cents is None else str(cents)


def _select(conn: sa.Connection, *conditions: sa.ColumnElement[bool]) -> list[StaffRecord]:
    query = sa.select(_t, _secrets.c.temporary_until).outerjoin(_secrets, _secrets.c.staff_id == _t.c.id)
    rows = conn.execute(query.where(*conditions).order_by(_t.c.name, _t.c.id)).all()
    named: dict[int, set[str]] = {row.id: set() for row in rows}
    for each in conn.execute(sa.select(_names).where(_names.c.staff_id.in_(named))):
        named[each.staff_id].add(each.name)
    return [_record(row, named[row.id]) for row in rows]


def _record(row: sa.Row[Any], names: Collection[str]) -> StaffRecord:
    values = row._asdict() | {"names": frozenset(names)}
    return StaffRecord(**values | {"roles": frozenset(map(Role, row.roles.split(",")))})
