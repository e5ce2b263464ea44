"""The states of a row, a batch and an invoice, the allowed changes, and the harm that each rule prevents.

```
row      read → resolved → assembled            read | resolved → refused
batch    planned → opening → open → staged → approved → sending → scheduled → processing → processed
         opening → planned            sending → approved (looked up: still created)
         approved → held → approved (waits for its canary)
         staged | approved | held → open (revision + 1)
         open | staged | approved | held → discarding → discarded
         planned … sending | discarding → disturbed → open | discarding | scheduled (a person decides)
invoice  drafted → reserved → posting → created → scheduled → processing → accepted | rejected
         posting → reserved | in_doubt | refused | processing
         in_doubt → created | processing | reserved | unresolved      unresolved → accepted | rejected | retired
         created → deleted | cancelled         accepted → cancelling → cancelled | accepted
         accepted | cancelling → replaced (seen at the provider)      replaced → cancelled (so was its successor)
         drafted | reserved → retired (withdrawn before any byte was sent)
```

*Commanded* moves are our own, step by step. *Observed* moves report what the provider shows and may skip states.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Entity(StrEnum):
    """The three things that have a state; the value names them in the event journal."""

    ROW = "row"
    BATCH = "batch"
    INVOICE = "invoice"


class RowState(StrEnum):
    READ = "read"
    RESOLVED = "resolved"
    ASSEMBLED = "assembled"
    REFUSED = "refused"


class BatchState(StrEnum):
    PLANNED = "planned"
    OPENING = "opening"
    OPEN = "open"
    STAGED = "staged"
    APPROVED = "approved"
    HELD = "held"
    SENDING = "sending"
    SCHEDULED = "scheduled"
    PROCESSING = "processing"
    PROCESSED = "processed"
    DISCARDING = "discarding"
    DISCARDED = "discarded"
    DISTURBED = "disturbed"


class InvoiceState(StrEnum):
    DRAFTED = "drafted"
    RESERVED = "reserved"
    POSTING = "posting"
    IN_DOUBT = "in_doubt"
    UNRESOLVED = "unresolved"
    CREATED = "created"
    SCHEDULED = "scheduled"
    PROCESSING = "processing"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REFUSED = "refused"
    DELETED = "deleted"
    RETIRED = "retired"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    REPLACED = "replaced"


State = RowState | BatchState | InvoiceState

_R, _B, _I = RowState, BatchState, InvoiceState

ROW_MOVES: Final[Mapping[RowState, frozenset[RowState]]] = {
    _R.READ: frozenset({_R.RESOLVED, _R.REFUSED}),
    _R.RESOLVED: frozenset({_R.ASSEMBLED, _R.REFUSED}),
}

BATCH_MOVES: Final[Mapping[BatchState, frozenset[BatchState]]] = {
    _B.PLANNED: frozenset({_B.OPENING, _B.DISTURBED}),
    _B.OPENING: frozenset({_B.OPEN, _B.PLANNED, _B.DISTURBED}),
    _B.OPEN: frozenset({_B.STAGED, _B.DISCARDING, _B.DISTURBED}),
    _B.STAGED: frozenset({_B.APPROVED, _B.OPEN, _B.DISCARDING, _B.DISTURBED}),
    _B.APPROVED: frozenset({_B.SENDING, _B.HELD, _B.OPEN, _B.DISCARDING, _B.DISTURBED}),
    _B.HELD: frozenset({_B.APPROVED, _B.OPEN, _B.DISCARDING, _B.DISTURBED}),
    _B.SENDING: frozenset({_B.SCHEDULED, _B.APPROVED, _B.DISTURBED}),
    _B.SCHEDULED: frozenset({_B.PROCESSING}),
    _B.PROCESSING: frozenset({_B.PROCESSED}),
    _B.DISCARDING: frozenset({_B.DISCARDED, _B.DISTURBED}),
    _B.DISTURBED: frozenset({_B.OPEN, _B.DISCARDING, _B.SCHEDULED}),
}

INVOICE_MOVES: Final[Mapping[InvoiceState, frozenset[InvoiceState]]] = {
    _I.DRAFTED: frozenset({_I.RESERVED, _I.RETIRED}),
    _I.RESERVED: frozenset({_I.POSTING, _I.RETIRED}),
    _I.POSTING: frozenset({_I.CREATED, _I.RESERVED, _I.IN_DOUBT, _I.REFUSED, _I.PROCESSING}),
    _I.IN_DOUBT: frozenset({_I.CREATED, _I.PROCESSING, _I.RESERVED, _I.UNRESOLVED}),
    _I.UNRESOLVED: frozenset({_I.ACCEPTED, _I.REJECTED, _I.RETIRED}),
    _I.CREATED: frozenset({_I.SCHEDULED, _I.DELETED, _I.CANCELLED}),
    _I.SCHEDULED: frozenset({_I.PROCESSING}),
    _I.PROCESSING: frozenset({_I.ACCEPTED, _I.REJECTED}),
    _I.ACCEPTED: frozenset({_I.CANCELLING}),
    _I.CANCELLING: frozenset({_I.CANCELLED, _I.ACCEPTED}),
    _I.REPLACED: frozenset({_I.CANCELLED}),
}

FILLING: Final = frozenset({_B.PLANNED, _B.OPENING, _B.OPEN})
"""States of a batch whose invoices are still to be posted."""
UNSENT: Final = frozenset({_B.OPEN, _B.STAGED, _B.APPROVED, _B.HELD})
"""States of a batch that the issuer has, unsent."""
MAYBE_ISSUED: Final = frozenset({_B.SCHEDULED, _B.PROCESSING, _B.PROCESSED})
"""States of a batch whose invoices may be issued already."""
SENT: Final = MAYBE_ISSUED | {_B.SENDING}
"""States of a batch that was sent, or may have been."""
LIVING: Final = frozenset(
    {
        _I.DRAFTED, _I.RESERVED, _I.POSTING, _I.IN_DOUBT, _I.UNRESOLVED, _I.CREATED,
        _I.SCHEDULED, _I.PROCESSING, _I.ACCEPTED, _I.CANCELLING, _I.REPLACED,
    }
)  # fmt: skip
"""A row has at most one invoice in these states: a second one would be a duplicate tax document.

A replaced invoice is one of them: the charge of its row is billed by its successor.
"""

_BATCH_RANK: Final[Mapping[BatchState, int]] = {_B.SCHEDULED: 1, _B.PROCESSING: 2, _B.PROCESSED: 3}
_BATCH_OBSERVABLE: Final = frozenset({_B.SENDING, _B.SCHEDULED, _B.PROCESSING})

_INVOICE_RANK: Final[Mapping[InvoiceState, int]] = {
    _I.CREATED: 1,
    _I.SCHEDULED: 2,
    _I.PROCESSING: 3,
    _I.ACCEPTED: 4,
    _I.REJECTED: 4,
    _I.CANCELLING: 5,
    _I.CANCELLED: 6,
    _I.REPLACED: 7,
}
_REPLACEABLE: Final = frozenset({_I.ACCEPTED, _I.CANCELLING})
_MAY_EXIST: Final = frozenset({_I.POSTING, _I.IN_DOUBT, _I.UNRESOLVED})


def can_move(was: State, becomes: State) -> bool:
    """Return whether we may command this step. No step leads to a state of another entity."""
    moves: Mapping[State, frozenset[State]] = MOVES_BY_TYPE[type(was)]
    return type(was) is type(becomes) and becomes in moves.get(was, frozenset())


def can_observe(was: State, becomes: State) -> bool:
    """Return whether the provider may show this state next: forward only, from any state that the provider can know.

    A step back would mean that a late answer overwrites a newer one. The only exception is cancelling → accepted, a
    cancellation that the city refused.
    """
    if isinstance(was, BatchState) and isinstance(becomes, BatchState):
        return was in _BATCH_OBSERVABLE and _BATCH_RANK.get(becomes, 0) > _BATCH_RANK.get(was, 0)
    if not (isinstance(was, InvoiceState) and isinstance(becomes, InvoiceState)):
        return False
    if (was, becomes) == (_I.CANCELLING, _I.ACCEPTED):
        return True
    if becomes is _I.REPLACED:
        return was in _REPLACEABLE
    if becomes not in _INVOICE_RANK or was is _I.REJECTED:
        return False
    return was in _MAY_EXIST or 0 < _INVOICE_RANK.get(was, 0) < _INVOICE_RANK[becomes]


def is_behind(was: State, becomes: State) -> bool:
    """Return whether an answer with the state `becomes` is no newer than our knowledge: no news, no contradiction."""
    if isinstance(was, BatchState) and isinstance(becomes, BatchState):
        return 0 < _BATCH_RANK.get(becomes, 0) <= _BATCH_RANK.get(was, 0)
    if not (isinstance(was, InvoiceState) and isinstance(becomes, InvoiceState)):
        return False
    return was is becomes or 0 < _INVOICE_RANK.get(becomes, 0) < _INVOICE_RANK.get(was, 0)


def entity_of(state: State) -> Entity:
    """Return the entity to which this state belongs."""
    return _ENTITY_BY_TYPE[type(state)]


MOVES_BY_TYPE: Final[Mapping[type, Mapping[State, frozenset[State]]]] = {
    RowState: ROW_MOVES,  # type: ignore[dict-item]
    BatchState: BATCH_MOVES,  # type: ignore[dict-item]
    InvoiceState: INVOICE_MOVES,  # type: ignore[dict-item]
}
_ENTITY_BY_TYPE: Final[Mapping[type, Entity]] = {
    RowState: Entity.ROW,
    BatchState: Entity.BATCH,
    InvoiceState: Entity.INVOICE,
}
