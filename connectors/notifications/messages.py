"""Send one message to one address, as Apprise writes addresses (`mailto://…`, `json://…`)."""

import logging

from apprise import Apprise, NotifyFormat

# It logs addresses, which hold passwords.
logging.getLogger("apprise").setLevel(logging.CRITICAL)


def is_address(address: str) -> bool:
    """Say whether Apprise can send to this address."""
    return bool(Apprise().add(address))


def send_message(address: str, *, title: str, body: str) -> bool:
    """Send plain text. Return whether it was accepted; False for an address that Apprise does not know."""
    sender = Apprise()
    if not sender.add(address):
        return False
    return bool(sender.notify(title=title, body=body, body_format=NotifyFormat.TEXT))
