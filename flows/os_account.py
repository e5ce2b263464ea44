"""The user account of this machine under which a person or a worker acts, and who may read its files."""

import os
from typing import Final

from connectors.users import user_name

PRIVATE_UMASK: Final = 0o077
"""Umask under which only the own account can read the files of a command or a flow."""


def account_name() -> str:
    """Return the name of the process's real user id.

    Do not use `LOGNAME` and `USER`: anybody can set them, and four eyes compare accounts.
    """
    return user_name(os.getuid())
