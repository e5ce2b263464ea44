"""The users of this machine, by the ids of files and processes."""

import pwd


def user_name(user_id: int) -> str:
    """Return the name of a user id, or its number: in a container the id may have no name."""
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"uid {user_id}"
