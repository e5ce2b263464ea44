"""Show progress, read from the ledger while a command or another process works."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from domain.problems import FaturistaError
from domain.states import InvoiceState
from tasks.runtime import open_context
from tasks.views.status import Overview, overview

_EVERY_S: Final = 0.5
_POSTED: Final = frozenset(InvoiceState) - {InvoiceState.DRAFTED, InvoiceState.RESERVED, InvoiceState.POSTING}
_ENDED: Final = frozenset(
    {
        InvoiceState.ACCEPTED,
        InvoiceState.REJECTED,
        InvoiceState.REFUSED,
        InvoiceState.DELETED,
        InvoiceState.RETIRED,
        InvoiceState.CANCELLED,
        InvoiceState.REPLACED,
    }
)


class _Counts(NamedTuple):
    """Number of staged notes, of ended notes, and of all."""

    posted: int
    ended: int
    total: int


_Look: TypeAlias = Callable[[], tuple[dict[str, str], _Counts]]


@contextmanager
def show_progress(console: Console, profile: str, *, title: str, reading: int | None = None) -> Iterator[None]:
    """Show bars of staged notes and, once there are any, of finished ones. Print lines if there is no terminal.

    `reading` counts only the notes of one file's reading. Without it notes that had ended before are not counted.
    """
    stop = threading.Event()
    before = 0 if reading is not None else _ended_before(profile)
    with _bars(console) as bars:
        watcher = threading.Thread(
            target=_watch, args=(bars, partial(_read_progress, profile, reading, before), title, stop), daemon=True
        )
        watcher.start()
        try:
            yield
        finally:
            stop.set()
            watcher.join()


def _bars(console: Console) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )


def _watch(bars: Progress, look: _Look, title: str, stop: threading.Event) -> None:
    staged, ended = bars.add_task(title, total=None), None
    printed = ""
    while not stop.is_set():
        stop.wait(_EVERY_S)
        try:
            words, found = look()
        except FaturistaError:
            # The worker reports the error; the display only tries again.
            continue
        if not found.total:
            continue
        bars.update(staged, total=found.total, completed=found.posted, description=words["staged"])
        if found.ended and ended is None:
            # Billing ends before anything is sent: show the bar of ended notes only once there are some.
            ended = bars.add_task(words["ended"], total=found.total)
        if ended is not None:
            bars.update(ended, total=found.total, completed=found.ended)
        printed = _print_new_counts(bars, found, words, printed)
    if not printed:
        bars.update(staged, visible=False)


def _read_progress(profile: str, reading: int | None, before: int) -> tuple[dict[str, str], _Counts]:
    """Return the texts of the bars and the counts, each less the number of notes that had ended `before`."""
    with open_context(profile) as context:
        seen = _counts(overview(context, reading))
        return context.catalogue.words("progress"), _Counts(*(count - before for count in seen))


def _ended_before(profile: str) -> int:
    """Return how many notes of the ledger have ended: they are no work of the command that begins."""
    try:
        with open_context(profile) as context:
            return _counts(overview(context)).ended
    except FaturistaError:
        return 0


def _counts(seen: Overview) -> _Counts:
    posted, ended = (
        sum(count for state, count in seen.notes.items() if state in states) for states in (_POSTED, _ENDED)
    )
    return _Counts(posted, ended, sum(seen.notes.values()))


def _print_new_counts(bars: Progress, found: _Counts, words: dict[str, str], printed: str) -> str:
    line = f"{words['staged']} {found.posted}/{found.total}"
    if found.ended:
        line += f" · {words['ended']} {found.ended}/{found.total}"
    if not bars.console.is_terminal and line != printed:
        bars.console.print(line)
    return line
