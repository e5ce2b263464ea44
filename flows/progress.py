"""Show progress, read from the ledger while a command or another process works."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
    }
)


@contextmanager
def shown(console: Console, profile: str, *, title: str, reading: int | None = None) -> Iterator[None]:
    """Show two bars, staged and finished notes, while the block runs. Print lines if there is no terminal.

    With `reading`, count only the notes of that reading, not those of the whole ledger.
    """
    stop = threading.Event()
    with _bars(console) as bars:
        watcher = threading.Thread(target=_watch, args=(bars, profile, title, reading, stop), daemon=True)
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


def _watch(bars: Progress, profile: str, title: str, reading: int | None, stop: threading.Event) -> None:
    staged, ended = bars.add_task(title, total=None), None
    said = ""
    while not stop.is_set():
        stop.wait(_EVERY_S)
        try:
            with open_context(profile) as context:
                words, seen = context.catalogue.words("progress"), overview(context, reading)
        except FaturistaError:
            # The worker reports the error; the display only tries again.
            continue
        total = sum(seen.notes.values())
        if not total:
            continue
        ended = bars.add_task(words["ended"], total=total) if ended is None else ended
        bars.update(staged, total=total, completed=_count(seen, _POSTED), description=words["staged"])
        bars.update(ended, total=total, completed=_count(seen, _ENDED), description=words["ended"])
        said = _say_where_no_terminal(bars, seen, words, said)


def _count(seen: Overview, states: frozenset[InvoiceState]) -> int:
    return sum(count for state, count in seen.notes.items() if state in states)


def _say_where_no_terminal(bars: Progress, seen: Overview, words: dict[str, str], said: str) -> str:
    total = sum(seen.notes.values())
    line = f"{words['staged']} {_count(seen, _POSTED)}/{total} · {words['ended']} {_count(seen, _ENDED)}/{total}"
    if not bars.console.is_terminal and line != said:
        bars.console.print(line)
    return line
