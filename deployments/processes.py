"""Keep a few processes running: start them in order, write one log, restart dead ones, stop all together."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Final

_LONGEST_PAUSE_S: Final = 60.0
_STEADY_S: Final = 60.0
"""Seconds. A process that ran for longer restarts at once after its death."""
_GRACE_S: Final = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One process. `is_ready` is called after its start until it returns True; `patience_s` limits the wait."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    is_ready: Callable[[], bool] = lambda: True
    patience_s: float = 120.0


@dataclass(slots=True)
class _Running:
    program: Program
    process: subprocess.Popen[bytes]
    started_at: float
    failures: int = 0
    again_at: float | None = None


class NotReady(Exception):
    """At its first start a program ended, was not ready in time, or was stopped."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Supervisor:
    """Run programs until `stop`.

    `log` gets each line that they print, after the program's name. `report` gets an event and the program's name:
    `started`, `died`, `restarted`.
    """

    def __init__(self, log: IO[bytes], report: Callable[[str, str], None]) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._report = report
        self._running: list[_Running] = []
        self._is_stopping = threading.Event()

    def start(self, program: Program) -> None:
        """Start a program and wait until it is ready. Raises `NotReady`."""
        running = _Running(program, self._launch(program), time.monotonic())
        self._running.append(running)
        end = time.monotonic() + program.patience_s
        while not program.is_ready():
            if self._is_stopping.wait(0.2) or running.process.poll() is not None or time.monotonic() > end:
                raise NotReady(program.name)
        self._report("started", program.name)

    def watch(self, *, every_s: float = 0.5) -> None:
        """Restart dead programs until `stop` is called."""
        while not self._is_stopping.wait(every_s):
            for running in self._running:
                self._revive(running)

    def stop(self) -> None:
        """Ask `watch` to end. Safe in a signal handler."""
        self._is_stopping.set()

    def close(self) -> None:
        """End all programs, the last started first; kill those that do not end in time."""
        self.stop()
        for running in reversed(self._running):
            _signal(running.process, signal.SIGTERM)
        end = time.monotonic() + _GRACE_S
        for running in reversed(self._running):
            try:
                running.process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                _signal(running.process, signal.SIGKILL)
                running.process.wait()

    def _revive(self, running: _Running) -> None:
        now = time.monotonic()
        if running.process.poll() is None:
            return
        if running.again_at is None:
            running.failures = 1 if now - running.started_at > _STEADY_S else running.failures + 1
            running.again_at = now + min(2.0 ** (running.failures - 1) - 1, _LONGEST_PAUSE_S)
            self._report("died", running.program.name)
        if now >= running.again_at:
            running.process, running.started_at, running.again_at = self._launch(running.program), now, None
            self._report("restarted", running.program.name)

    def _launch(self, program: Program) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - commands of ours, no shell
            list(program.command),
            env={**os.environ, **program.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None
        threading.Thread(target=self._copy, args=(program.name, process.stdout), daemon=True).start()
        return process

    def _copy(self, name: str, source: IO[bytes]) -> None:
        label = f"{name:<8} ".encode()
        with source:
            for line in source:
                with self._lock:
                    self._log.write(label + line)
                    self._log.flush()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal the whole process group: a worker's runs are its child processes."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
