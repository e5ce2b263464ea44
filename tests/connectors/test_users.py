"""Users of this machine by their ids."""

import os
import pwd

from connectors.users import user_name


def test_an_id_has_its_name_or_is_a_number():
    assert user_name(os.getuid()) == pwd.getpwuid(os.getuid()).pw_name
    assert user_name(4_294_000_001) == "uid 4294000001"
