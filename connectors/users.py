"""The users of this machine, by the ids that its files and processes bear."""

import pwd


def user_name(user_id: int) -> str:
    """Return the name of a user id, or its number: a container may run under one that has no name."""
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"uid {user_id}"
