"""The account of this machine under which a person or a worker acts, and who may read what it writes."""

import os
from typing import Final

from connectors.users import user_name

PRIVATE_UMASK: Final = 0o077
"""Files that a command or a flow writes are for its own account alone."""


def account_name() -> str:
    """Return the name of the process's real user id.

    `LOGNAME` and `USER` are not asked: anybody can set them, and four eyes are counted by account.
    """
    return user_name(os.getuid())
