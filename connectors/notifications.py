"""Send one message to one address in Apprise's notation (`mailto://…`, `json://…`)."""

import logging

# It logs addresses, and they contain passwords.
logging.getLogger("apprise").setLevel(logging.CRITICAL)


def is_address(address: str) -> bool:
    """Return whether Apprise can send to this address."""
    from apprise import Apprise  # noqa: PLC0415 - slow to load, and needed only to send a message

    return bool(Apprise().add(address))


def send_message(address: str, *, title: str, body: str) -> bool:
    """Send plain text. Return whether it was accepted; False for an address that Apprise does not know."""
    from apprise import Apprise, NotifyFormat  # noqa: PLC0415 - as above

    sender = Apprise()
    if not sender.add(address):
        return False
    return bool(sender.notify(title=title, body=body, body_format=NotifyFormat.TEXT))
