"""Running the migrations: all that are missing, or up to one, on the connection and in the transaction given."""

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
    """Bring an empty database, or an older ledger, up to this version."""
    settings = _settings()
    settings.attributes["connection"] = conn
    command.upgrade(settings, to)


def _settings() -> config.Config:
    settings = config.Config()
    settings.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    return settings
