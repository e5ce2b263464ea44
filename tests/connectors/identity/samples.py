"""The accounts, owners and members of the sandbox."""

import uuid

APPLICATION = ("sandbox-application", "sandbox-secret")
ANOTHER = ("sandbox-agenda", "sandbox-secret")
ORDER_SERVICE = ("sandbox-orders", "sandbox-secret")
USER = ("sandbox-user-token", "x")
NOBODY = "5f0c7a52-99a1-4b0e-8c3e-00000000dead"


def account(number):
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"faturista sandbox account {number}"))


def user(number):
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"faturista sandbox user {number}"))


FIRST, EXPIRED, ELSEWHERE, IN_BOTH = account(1), account(3), account(7), account(11)
OWNER, STRANGER = user(1), user(119)
