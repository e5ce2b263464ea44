"""The commands `up`, `bootstrap` and `monitor`: what runs all day, and what a Prefect server has to know."""

import os
import sys

from flows.arguments import Profile


def up(*, profile: Profile = "local", port: int = 4200) -> None:
    """Run server, scheduled runs, inbox and nightly copy on this machine; the local profile's sandbox too."""
    _become("deployments.up", "--profile", profile, "--port", str(port))


def bootstrap(*, profile: Profile = "local") -> None:
    """Register the work pool, the scheduled runs and the automations at the Prefect server."""
    _become("deployments.bootstrap", "--profile", profile)


def monitor(*, profile: Profile = "local", host: str = "127.0.0.1", port: int = 9464) -> None:
    """Tell people of alerts, and answer /metrics, /healthz and /readyz."""
    _become("deployments.monitor", "--profile", profile, "--host", host, "--port", str(port))


def _become(module: str, *arguments: str) -> None:
    """Replace this process: Prefect reads its settings once, when it is imported."""
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])  # noqa: S606 - no shell, a module of ours
