"""Make a worker fail in the middle of its work: kill it at a chosen step, or let its ledger fail.

A step is a call to the provider or a transaction of the ledger, counted in the worker's order. The session and the
ledger here are the real ones, with points of failure added; nothing of them is replaced.
"""

import asyncio
import functools
import os
import signal
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, Final, Literal, ParamSpec, Self, TypeVar

import sqlalchemy as sa

from connectors.http.calls import DISTURBING_KEYS, NOTHING, OK, Response
from connectors.http.session import HttpSession
from connectors.ledger.engine import Ledger, LedgerUnavailable
from domain.problems import Problem

P = ParamSpec("P")
T = TypeVar("T")

Moment = Literal["before", "during", "answered", "written"]
MOMENTS: Final[tuple[Moment, ...]] = ("before", "during", "answered", "written")
"""Moments of a request: before it; while it is in flight; its answer is here, but not in the ledger; it is stored."""

LedgerFailure = Literal["locked", "lost_before", "lost_after"]
LEDGER_FAILURES: Final[tuple[LedgerFailure, ...]] = ("locked", "lost_before", "lost_after")
"""Moments of a transaction: it cannot begin; its connection is lost before the commit; or after it, unnoticed."""

ANY: Final = "*"
_ON_THE_WIRE_S: Final = 0.05
_ROOT: Final = Path(__file__).parents[3] / "connectors"


@dataclass(frozen=True, slots=True)
class Kill:
    """SIGKILL at the `nth` call of an operation (`*`: of any), at this moment of it.

    `is_frozen`: stop the worker until a signal continues it; only at a moment without an open transaction.
    """

    operation: str
    nth: int
    moment: Moment
    is_frozen: bool = False


@dataclass(frozen=True, slots=True)
class LedgerFault:
    """The ledger fails in the worker's `nth` transaction."""

    kind: LedgerFailure
    nth: int


@dataclass(slots=True)
class WorkerFaults:
    """The planned failure of one worker, and its progress."""

    kill: Kill | None = None
    ledger_fault: LedgerFault | None = None
    calls: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    is_answered: bool = False

    def calling(self, operation: str) -> bool:
        """Record the beginning of a call. Return whether it is the fatal one."""
        self.calls[operation] += 1
        self.calls[ANY] += 1
        kill = self.kill
        return kill is not None and kill.operation in (operation, ANY) and self.calls[kill.operation] == kill.nth

    def writing(self) -> LedgerFailure | None:
        """Record the beginning of a transaction. Return how the ledger fails in it, if it does."""
        self.writes += 1
        if self.is_answered and self.kill is not None and self.kill.moment == "answered":
            self.die()
        return (
            self.ledger_fault.kind if self.ledger_fault is not None and self.ledger_fault.nth == self.writes else None
        )

    def written(self) -> None:
        """Record the commit of a transaction."""
        if self.is_answered and self.kill is not None and self.kill.moment == "written":
            self.die()

    def die(self) -> None:
        """Kill this process as a power cut would, or freeze it."""
        kill, self.kill = self.kill, None
        if kill is not None and kill.is_frozen:
            # Send it to this thread, which then stops at once; another thread would let it begin a transaction first.
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
        elif kill is not None:
            os.kill(os.getpid(), signal.SIGKILL)


class FailingSession(HttpSession):
    """The real session, in which a worker may die at any moment of a call."""

    worker_faults: WorkerFaults
    name: Callable[[str, str], str]

    async def read(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int] | None = None,
        *,
        body: bytes | None = None,
        expect: frozenset[int] = OK,
        has_bare_404: bool = False,
    ) -> Response:
        call = super().read(method, path, query, body=body, expect=expect, has_bare_404=has_bare_404)
        return await self._may_die(method, path, call)

    async def write(
        self,
        method: str,
        path: str,
        body: bytes | None,
        *,
        expect: frozenset[int],
        foreseen: frozenset[int] = NOTHING,
        is_about_row: bool = True,
        alarms: frozenset[str] = DISTURBING_KEYS,
        issues: bool = False,
        not_after: float | None = None,
    ) -> Response:
        call = super().write(
            method,
            path,
            body,
            expect=expect,
            foreseen=foreseen,
            is_about_row=is_about_row,
            alarms=alarms,
            issues=issues,
            not_after=not_after,
        )
        return await self._may_die(method, path, call)

    async def _may_die(self, method: str, path: str, call: Coroutine[Any, Any, Response]) -> Response:
        worker_faults = self.worker_faults
        is_fatal = worker_faults.calling(self.name(method, path))
        if is_fatal and worker_faults.kill is not None and worker_faults.kill.moment == "before":
            worker_faults.die()
        if is_fatal and worker_faults.kill is not None and worker_faults.kill.moment == "during":
            asyncio.get_running_loop().call_later(_ON_THE_WIRE_S, worker_faults.die)
        try:
            return await call
        finally:
            if is_fatal:
                if worker_faults.kill is not None and worker_faults.kill.moment == "during":
                    worker_faults.die()
                worker_faults.is_answered = True


class FailingLedger(Ledger):
    """The real ledger, which may fail in any transaction of a worker."""

    worker_faults: WorkerFaults | None = None

    @classmethod
    def open_with(cls, worker_faults: WorkerFaults, url: str) -> Self:
        """Open and migrate without faults; apply these faults from then on."""
        ledger = cls.open(url)
        ledger.worker_faults = worker_faults
        return ledger

    def write(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        match self.worker_faults and self.worker_faults.writing():
            case "locked":
                raise _gone("locked")
            case "lost_before":
                return super().write(_cut(fn), *args, **kwargs)
            case "lost_after":
                super().write(fn, *args, **kwargs)
                raise _gone("lost")
        done = super().write(fn, *args, **kwargs)
        if self.worker_faults is not None:
            self.worker_faults.written()
        return done


def _cut(fn: Callable[Concatenate[sa.Connection, P], T]) -> Callable[Concatenate[sa.Connection, P], T]:
    """Return the same work on a connection that dies before the commit."""

    def cut(conn: sa.Connection, /, *args: P.args, **kwargs: P.kwargs) -> T:
        done = fn(conn, *args, **kwargs)
        if conn.dialect.name != "sqlite":
            conn.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
            return done
        raise _gone("lost")

    return cut


def _gone(reason: str) -> LedgerUnavailable:
    return LedgerUnavailable(Problem("ledger.unavailable", params={"reason": reason}))


def namer(system: str) -> Callable[[str, str], str]:
    """Return the name in a system's table of operations (`nfse`, `nfe`) of a method and a path."""
    known = _operations(system)

    def name(method: str, path: str) -> str:
        parts = path.partition("?")[0].rstrip("/").split("/")
        for (verb, pattern), operation in known.items():
            if verb == method and len(pattern) == len(parts) and all(map(_fits, pattern, parts)):
                return operation
        return "unknown"

    return name


@functools.cache
def _operations(system: str) -> dict[tuple[str, tuple[str, ...]], str]:
    table = tomllib.loads((_ROOT / system / "fields.toml").read_text())["operations"]
    return {(str(row["method"]), tuple(row["path"].split("/"))): str(name) for name, row in table.items()}


def _fits(mark: str, part: str) -> bool:
    if mark in ("{id}", "{key}"):
        return part.isdigit()
    return mark.startswith("{") or mark == part
