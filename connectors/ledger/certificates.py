"""Store when each company's certificate expires, as read from its file when it was uploaded."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock, now

_t = tables.certificates
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class CertificateEnd:
    """The expiry of a company's newest certificate at one provider.

    `left_s` is the number of seconds until the expiry; negative after it.
    """

    system: str
    cnpj: str
    ends_at: datetime
    left_s: float

    @property
    def days_left(self) -> int:
        """Return the whole days until the expiry; negative after it."""
        return int(self.left_s // _DAY_S)


def enter(conn: sa.Connection, system: str, cnpj: str, *, ends_at: datetime, by: str) -> None:
    """Store the expiry of an uploaded certificate. Earlier ones stay stored; the newest counts."""
    line = {"system": system, "cnpj": cnpj, "ends_at": ends_at, "entered_at": clock(conn), "entered_by": by}
    conn.execute(sa.insert(_t).values(**line))


def ends_all(conn: sa.Connection) -> list[CertificateEnd]:
    """Return the expiry of each company's newest certificate, the earliest first."""
    newest = sa.select(sa.func.max(_t.c.id)).group_by(_t.c.system, _t.c.cnpj)
    at = now(conn)
    query = sa.select(_t).where(_t.c.id.in_(newest)).order_by(_t.c.ends_at, _t.c.id)
    return [
        CertificateEnd(row.system, row.cnpj, row.ends_at, (row.ends_at - at).total_seconds())
        for row in conn.execute(query)
    ]
