"""Run the missing migrations, all or up to one, on the given connection and in its transaction."""

from pathlib import Path
from typing import Final

import sqlalchemy as sa
from alembic import command, config, script

_FOLDER: Final = Path(__file__).parent


def revisions() -> list[str]:
    """Return every version that a ledger may have, oldest first."""
    steps = script.ScriptDirectory.from_config(_settings()).walk_revisions()
    return [step.revision for step in steps][::-1]


def upgrade(conn: sa.Connection, to: str = "head") -> None:
    """Upgrade an empty database, or an older ledger, to this version."""
    settings = _settings()
    settings.attributes["connection"] = conn
    command.upgrade(settings, to)


def _settings() -> config.Config:
    settings = config.Config()
    settings.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    return settings
