"""The database's password ends in the middle of a month: the run ends in words, and the next one continues."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import conninfo, sql

from tests.faults.theatre import ON_POSTGRESQL, Theatre
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.faults.worker import FAILED

_RULES = "local all {} scram-sha-256\n"


class Clerk:
    """A user of the database whose password the server asks for; other users of the tests need none."""

    def __init__(self, url: str) -> None:
        self._url, self._name = url, f"clerk{uuid.uuid4().hex[:8]}"
        parts = conninfo.conninfo_to_dict(url)
        self.url = f"postgresql://{self._name}:secret@/{parts['dbname']}?host={parts['host']}"
        self._do("CREATE ROLE {} LOGIN SUPERUSER PASSWORD 'secret'")
        self._rules(lambda text: _RULES.format(self._name) + text)

    def expire(self) -> None:
        """Let the password end, and end what is connected."""
        self._do("ALTER ROLE {} VALID UNTIL '2020-01-01'")
        with psycopg.connect(self._url, autocommit=True) as conn:
            conn.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [self._name])

    def renew(self) -> None:
        self._do("ALTER ROLE {} VALID UNTIL 'infinity'")

    def remove(self) -> None:
        self._rules(lambda text: text.replace(_RULES.format(self._name), ""))
        self._do("DROP ROLE {}")

    def _do(self, statement: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as conn:
            conn.execute(sql.SQL(statement).format(sql.Identifier(self._name)))

    def _rules(self, change: Callable[[str], str]) -> None:
        with psycopg.connect(self._url, autocommit=True) as conn:
            ((where,),) = conn.execute("SHOW hba_file").fetchall()
            path = Path(where)
            path.write_text(change(path.read_text()))
            conn.execute("SELECT pg_reload_conf()")


@pytest.fixture
def clerk(ledger_url: str) -> Iterator[Clerk]:
    """Yield the database user of this story's workers; remove it after they end."""
    made = Clerk(ledger_url)
    try:
        yield made
    finally:
        made.remove()


@ON_POSTGRESQL
def test_a_password_that_ends_while_posting_loses_nothing(
    clerk: Clerk, theatre: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    theatre.ledger_url = clerk.url
    monkeypatch.setenv("FATURISTA_LEDGER__URL", clerk.url)
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(30, emitters=[RIO])))
    theatre.sandbox.switch(fixed_latency_ms=30)
    process = theatre.start(month)
    assert theatre.until(lambda: theatre.seen("notes.create") >= 5, process)

    clerk.expire()
    assert theatre.finish(process) == FAILED, theatre.logs()
    posted = theatre.seen("notes.create")
    assert "não aceita este usuário e senha" in theatre.logs()
    assert "Traceback" not in theatre.logs()
    assert "secret" not in theatre.logs()
    assert posted < 30

    clerk.renew()
    theatre.check_integrity()
    theatre.run(month)
    theatre.check()
