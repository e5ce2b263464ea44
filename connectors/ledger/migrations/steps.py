"""Run the missing migrations, all or up to one version, on a given connection and in its transaction."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.config import Config

_FOLDER: Final = Path(__file__).parent


def revisions() -> list[str]:
    """Return every version that a ledger may have, oldest first."""
    from alembic import script  # noqa: PLC0415 - Alembic is slow to load, and few commands migrate

    steps = script.ScriptDirectory.from_config(_alembic_config()).walk_revisions()
    return [step.revision for step in steps][::-1]


def upgrade(conn: sa.Connection, to: str = "head") -> None:
    """Upgrade an empty database, or an older ledger, to the version `to`."""
    from alembic import command  # noqa: PLC0415 - as above

    settings = _alembic_config()
    settings.attributes["connection"] = conn
    command.upgrade(settings, to)


def _alembic_config() -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - as above

    settings = Config()
    settings.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    return settings
