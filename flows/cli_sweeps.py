"""The commands `release` and `reconcile`: send approved batches, follow sent ones."""

from pathlib import Path

from configs.catalogue import Catalogue
from configs.load import load_settings
from flows.arguments import Profile, console
from flows.cli_status import status
from flows.orchestrator import run_flow, start_notice
from flows.progress import show_progress
from flows.reconcile_batches import reconcile_batches
from flows.release_batches import release_batches


def release(*, profile: Profile = "local") -> None:
    """Send every approved batch, once."""
    _, home = _start(profile)
    run_flow(release_batches, home, profile=profile)
    status(profile=profile)


def reconcile(*, profile: Profile = "local", until_done: bool = False) -> None:
    """Continue whatever stopped, and follow sent batches to their end."""
    words, home = _start(profile)
    with show_progress(console, profile, title=words.text("progress.sweeping")):
        run_flow(reconcile_batches, home, profile=profile, until_done=until_done)
    status(profile=profile)


def _start(profile: str) -> tuple[Catalogue, Path]:
    settings = load_settings(profile)
    words = Catalogue.load(settings.language)
    console.print(start_notice(words))
    return words, Path(settings.paths.home)
