"""The command `inbox`: bill dropped files, once or until it is stopped."""

import time
from pathlib import Path

from configs.catalogue import Catalogue
from domain.problems import FaturistaError
from flows.arguments import Profile, console
from flows.orchestrator import run_flow, start_notice
from flows.progress import show_progress
from flows.reconcile_batches import reconcile_batches
from flows.sweep_inbox import sweep_inbox
from tasks.inbox.answer import stale_answers
from tasks.inbox.deep_folders import unreported_folders
from tasks.inbox.drops import count_drops, has_drops
from tasks.runtime import open_context
from tasks.views.dashboard import say_errors
from tasks.views.due_work import has_due


def inbox(*, watch: bool = False, profile: Profile = "local") -> None:
    """Bill the files in the inbox; each file's answer appears in the outbox."""
    with open_context(profile) as context:
        words, settings = context.catalogue, context.settings
        inbox, outbox = (Path(folder).resolve() for folder in (settings.paths.inbox, settings.paths.outbox))
        for folder in (inbox, outbox):
            folder.mkdir(parents=True, exist_ok=True)
        home = Path(settings.paths.home)
    console.print(start_notice(words))
    console.print(words.text("inbox.folders", inbox=inbox, outbox=outbox), soft_wrap=True)
    if not watch:
        _sweep(profile, words, home)
        return
    console.print(words.text("inbox.watching"))
    while True:
        try:
            _poll(profile, words, home)
            time.sleep(settings.inbox.watch_s)
        except KeyboardInterrupt:
            return


def _poll(profile: str, words: Catalogue, home: Path) -> None:
    """Start a flow only if there is work: an idle check costs one directory listing and a few queries."""
    try:
        with open_context(profile) as context:
            is_due = has_due(context)
            is_wanted = (
                is_due or bool(stale_answers(context)) or has_drops(context) or bool(unreported_folders(context))
            )
        if is_due:
            run_flow(reconcile_batches, home, profile=profile)
        if is_wanted:
            _sweep(profile, words, home)
    except* (FaturistaError, OSError) as errors:
        # The next check tries again: the watcher survives an outage and a full disk.
        for sentence in say_errors(words, errors.exceptions):
            console.print(sentence, style="yellow", markup=False)


def _sweep(profile: str, words: Catalogue, home: Path) -> None:
    with show_progress(console, profile, title=words.text("progress.reading")):
        taken = run_flow(sweep_inbox, home, profile=profile)
    console.print(words.text("inbox.taken", count=taken))
    with open_context(profile) as context:
        left = count_drops(context)
    if left:
        console.print(words.text("inbox.left", count=left))
