"""The command `inbox`: take what people dropped, once or for as long as it runs."""

import asyncio
import time
from pathlib import Path

from rich.console import Console

from configs.catalogue import Catalogue
from domain.problems import FaturistaError
from flows import orchestrator
from flows.progress import shown
from tasks.inbox.answer import stale_answers
from tasks.inbox.take import has_drops
from tasks.runtime import open_desk
from tasks.sweep import has_due


def take_inbox(console: Console, profile: str, *, watch: bool) -> None:
    """One sweep, or sweeps until somebody stops it; then what was sent is followed, too."""
    with open_desk(profile) as desk:
        words, settings = desk.catalogue, desk.settings
        inbox, outbox = (Path(folder).resolve() for folder in (settings.paths.inbox, settings.paths.outbox))
        for folder in (inbox, outbox):
            folder.mkdir(parents=True, exist_ok=True)
        orchestrator.prepare(Path(settings.paths.home))
    console.print(words.text("inbox.folders", inbox=inbox, outbox=outbox))
    if not watch:
        _sweep(console, profile, words)
        return
    console.print(words.text("inbox.watching"))
    while True:
        try:
            _look(console, profile, words)
            time.sleep(settings.inbox.watch_s)
        except KeyboardInterrupt:
            return


def _look(console: Console, profile: str, words: Catalogue) -> None:
    """Start a flow only where there is something to do: an idle look costs a listing and two queries."""
    with open_desk(profile) as desk:
        is_due, is_stale = has_due(desk), bool(stale_answers(desk))
    try:
        if is_due:
            _follow(profile)
        if is_due or is_stale or has_drops(profile):
            _sweep(console, profile, words)
    except FaturistaError as error:
        # Said, and tried again at the next look: a watcher outlives an outage.
        for sentence in words.explain(error):
            console.print(sentence, style="yellow")


def _sweep(console: Console, profile: str, words: Catalogue) -> None:
    from flows.sweep_inbox import sweep_inbox  # noqa: PLC0415 - Prefect takes seconds to import

    with shown(console, profile, title=words.text("progress.reading")):
        taken = asyncio.run(sweep_inbox(profile=profile))
    console.print(words.text("inbox.taken", count=taken))


def _follow(profile: str) -> None:
    from flows.reconcile_batches import reconcile_batches  # noqa: PLC0415

    asyncio.run(reconcile_batches(profile=profile))
