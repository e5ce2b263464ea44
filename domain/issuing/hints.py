"""What an issuer's unasked message may claim. It is a reason to look, never a fact."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """A claim about one invoice, by the issuer's id. `is_end`: it has ended, so that a look is worth a request."""

    remote_id: int
    is_end: bool
