"""The commands for this machine: `doctor`, `sandbox` and `demo`."""

import asyncio
import sqlite3
import sys
from pathlib import Path

from rich.text import Text

from configs.catalogue import Catalogue
from configs.load import load_settings
from domain.problems import FaturistaError, Problem
from flows.arguments import Profile, console
from flows.orchestrator import check_server
from flows.safe_console import ALARM
from flows.server_checks import check_work
from tasks.monitoring.checks import Finding
from tasks.monitoring.health import check_health


def doctor(*, profile: Profile = "local") -> None:
    """Check everything that a new installation may get wrong; change nothing."""
    findings = asyncio.run(_findings(profile))
    words = Catalogue.load(load_settings(profile).language)
    for finding in findings:
        what = words.text(f"doctor.{finding.what}")
        mark = Text("ok", "green") if finding.is_good else Text("!!", ALARM)
        console.print(mark, f"{what}: {finding.detail}", soft_wrap=True)
    sys.exit(0 if all(finding.is_good for finding in findings) else 1)


async def _findings(profile: str) -> list[Finding]:
    return [*await check_health(profile), await check_server(profile), *await check_work(profile)]


def sandbox(*, port: int = 8787, state: Path | None = None, profile: Profile = "local") -> None:
    """Serve the embedded provider on this machine, for rehearsals."""
    from connectors.sandbox import serve  # noqa: PLC0415 - a server that other commands do not need

    settings = load_settings(profile)
    words = Catalogue.load(settings.language)
    state = state or Path(settings.paths.home) / "sandbox.db"
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        serve(
            port=port,
            state=state,
            language=settings.language,
            on_ready=lambda bound: console.print(words.text("cli.sandbox_ready", port=bound)),
        )
    except (sqlite3.Error, PermissionError, FileNotFoundError, FileExistsError, NotADirectoryError) as error:
        raise FaturistaError(Problem("sandbox.state_taken", params={"path": str(state)})) from error
    except (OSError, OverflowError) as error:
        raise FaturistaError(Problem("sandbox.port_taken", params={"port": port})) from error


def demo() -> None:
    """Bill a whole month against the embedded provider, from the workbook to the outcome."""
    from flows.demo import run_demo  # noqa: PLC0415

    run_demo(console)
