"""The commands `up`, `bootstrap` and `monitor`: run the services, and register the flows at a Prefect server."""

import os
import sys

from flows.arguments import Profile


def up(*, profile: Profile = "local", port: int = 4200) -> None:
    """Run server, scheduled runs, inbox and nightly copy on this machine; for the local profile also the sandbox."""
    _run_instead("deployments.up", "--profile", profile, "--port", str(port))


def bootstrap(*, profile: Profile = "local") -> None:
    """Register the work pool, the scheduled runs and the automations at the Prefect server."""
    _run_instead("deployments.bootstrap", "--profile", profile)


def monitor(*, profile: Profile = "local", host: str = "127.0.0.1", port: int = 9464) -> None:
    """Send alerts to people, and answer /metrics, /healthz and /readyz."""
    _run_instead("deployments.monitor", "--profile", profile, "--host", host, "--port", str(port))


def _run_instead(module: str, *arguments: str) -> None:
    """Replace this process: Prefect reads its settings only once, on import."""
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])  # noqa: S606 - no shell, a module of ours
