"""Check the consumer's user name and password in HTTP Basic (document 002, Authentication)."""

from connectors.emulation.dispatcher import basic_pair
from connectors.emulation.messages import Refusal
from connectors.orders.emulator.state import CONSUMER


def admit(header: str) -> None:
    """Refuse a request without credentials with a 401, another consumer or a wrong password with a 403 [A 3.3]."""
    pair = basic_pair(header)
    if pair is None:
        challenge = {"WWW-Authenticate": 'Basic realm="api"'}
        raise Refusal(401, {"detail": "Authentication credentials were not provided."}, headers=challenge)
    if pair != CONSUMER:
        raise Refusal(403, {"detail": "You do not have permission to perform this action."})
