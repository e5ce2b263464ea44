"""The capabilities of an issuer. The stations ask for capabilities, never for the issuer's name."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from domain.invoice_numbers import NumberRules

SERVICE: Final = "service"
"""The document kind of service invoices. A service invoice bills one row; a product invoice bills an order of rows."""


class Lookup(StrEnum):
    """How the pipeline finds out the outcome of a post whose answer was lost."""

    BATCH = "batch"
    """List the batch of the post and compare serie and number."""
    KEY = "key"
    """Search for the key that we put into the post."""
    NOTHING = "nothing"
    """The issuer cannot be asked: a person decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an issuer can do. Constant while a process runs.

    Attributes:
        is_staged: A posted invoice waits in a batch until one send. False: the post itself issues it.
        lookup: How a lost answer is looked up.
        can_read: The issuer answers `read`. False: only a person sees what became of an invoice.
        can_list: The issuer lists invoices outside of batches (`newest`, `issued_between`).
        has_serie_record: The issuer keeps a record of each serie. False: `serie` infers it from the newest invoices.
        repeats_content: Answers repeat customer and amounts, and the pipeline compares them. False: they need not.
        numbers: The shape of a serie and the largest number.
        largest_batch: The most invoices in one batch; None without a limit.
        can_cancel: The issuer cancels an issued invoice when it is asked to (`cancel`).
        cancel_window: How long after its issue an invoice can be cancelled; None if the city decides.
        shortest_reason: The fewest characters of a reason for a cancellation.
        can_replace: A new invoice can replace an issued one.
        documents: The formats of an issued invoice that `document` finds.
    """

    is_staged: bool
    lookup: Lookup
    can_read: bool
    can_list: bool
    has_serie_record: bool
    repeats_content: bool
    numbers: NumberRules
    largest_batch: int | None
    can_cancel: bool = False
    cancel_window: timedelta | None = None
    shortest_reason: int = 1
    can_replace: bool = False
    documents: frozenset[str] = frozenset()
