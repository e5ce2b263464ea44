"""Describe claims of an issuer's webhooks. A claim is a reason to look, never a fact."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """A claim about one invoice, by the issuer's id. `is_end`: it claims a final state, which justifies a request."""

    remote_id: int
    is_end: bool
