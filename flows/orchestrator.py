"""Prefect, prepared for a person at a terminal: its files in the project's data folder, quiet, nothing sent home.

Must run before anything of Prefect is imported. Whoever has set a server or a setting of their own keeps it.
"""

import os
from pathlib import Path


def prepare(home: Path) -> None:
    """Defaults for an embedded server that lives as long as this process; its database under `home`."""
    defaults = {
        "PREFECT_HOME": str((home / "prefect").resolve()),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "90",
        "PREFECT_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
        # Larger batches cost the server a quarter of the time for each task run.
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "200",
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
