"""The account of this machine under which a person or a worker acts, and who may read what it writes."""

import os
import pwd
from typing import Final

PRIVATE_UMASK: Final = 0o077
"""Files that a command or a flow writes are for its own account alone."""


def account_name() -> str:
    """Return the name of the process's real user id.

    `LOGNAME` and `USER` are not asked: anybody can set them, and four eyes are counted by account.
    """
    user_id = os.getuid()
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        # A container may run under a number that has no name.
        return f"uid {user_id}"
