"""Check the rules within the ledger alone, valid at any moment: chains of events, numbers, attempts, approvals."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from tests.faults.evidence import Record
from tests.faults.legal import DEAD, is_legal

Ledger = Mapping[str, list[Record]]

_HOLDERS: Final = {"row": "rows", "batch": "batches", "invoice": "invoices"}
_FOLLOWS: Final[Mapping[str | None, set[str]]] = {
    "done": {"created"},
    "not_sent": {"reserved"},
    "refused": {"refused", "in_doubt"},
    "in_doubt": {"in_doubt"},
    "disturbed": {"in_doubt", "created", "scheduled", "processing", "accepted", "rejected"},
    None: {"in_doubt"},
}
"""The next states of a posted note, by the outcome of its attempt; None: no answer arrived."""


def journal_faults(ledger: Ledger, *, quiet_s: float = 0.0) -> Iterator[str]:
    """Yield every contradiction inside the ledger, in words.

    No number may be posted again before `quiet_s` are over.
    """
    yield from chain_faults(ledger)
    yield from number_faults(ledger)
    yield from attempt_faults(ledger, quiet_s=quiet_s)
    yield from approval_faults(ledger)


def chain_faults(ledger: Ledger) -> Iterator[str]:
    """Yield faults of chains: each begins with a birth, is unbroken and legal, and ends at the present state.

    Its fences never fall.
    """
    chains: defaultdict[tuple[str, int], list[Record]] = defaultdict(list)
    for event in ledger["events"]:
        chains[event["entity"], event["entity_id"]].append(event)
    for entity, table in _HOLDERS.items():
        for holder in ledger[table]:
            name, chain = f"{entity} {holder['id']}", chains.pop((entity, holder["id"]), [])
            yield from _broken_links(entity, name, chain, is_staged=_is_staged(holder))
            end = chain[-1]["becomes"] if chain else None
            if end != holder["state"]:
                yield f"{name} is {holder['state']}, but its journal ends at {end}"
            fences = [event["fence"] for event in chain if event["fence"] is not None]
            if fences != sorted(fences):
                yield f"{name} was moved under an older fence after a newer one: {fences}"
    for entity, holder_id in chains:
        yield f"the journal speaks of {entity} {holder_id}, which there is not"


def _is_staged(holder: Record) -> bool:
    """Return whether the issuer has batches. A row has no issuer; its steps do not depend on it."""
    return bool(holder.get("is_staged", True))


def _broken_links(entity: str, name: str, chain: list[Record], *, is_staged: bool) -> Iterator[str]:
    before = None
    for event in chain:
        was, becomes = event["was"], event["becomes"]
        if was != before:
            yield f"{name} was {before}, but its next event starts from {was}"
        if not is_legal(entity, was, becomes, is_observed=event["is_observed"], is_staged=is_staged):
            yield f"{name} may not go from {was} to {becomes}"
        before = becomes


def number_faults(ledger: Ledger) -> Iterator[str]:
    """Yield faults of numbers: each belongs to one invoice and its content for ever.

    A dead invoice's number is retired, a living one's never.
    """
    borne = {invoice["id"]: invoice for invoice in ledger["invoices"] if invoice["number"] is not None}
    for group, table in ((borne.values(), "invoices"), (ledger["numbers"], "numbers")):
        uses = Counter((each["emitter_id"], each["serie"], each["number"]) for each in group)
        for (_, serie, number), count in uses.items():
            if count > 1:
                yield f"number {serie}/{number} is used {count} times in {table}"
    recorded = {record["invoice_id"]: record for record in ledger["numbers"]}
    for invoice_id, invoice in borne.items():
        name, record = f"number {invoice['serie']}/{invoice['number']}", recorded.pop(invoice_id, None)
        if record is None:
            yield f"{name} of invoice {invoice_id} is not recorded"
            continue
        if any(record[field] != invoice[field] for field in ("emitter_id", "serie", "number", "digest")):
            yield f"{name} is recorded with another owner or content than invoice {invoice_id}'s"
        is_dead = invoice["state"] in DEAD
        if is_dead != bool(record["retired_at"] and record["retired_because"]):
            yield f"{name} of a{' dead' if is_dead else ' living'} invoice is{' not' if is_dead else ''} retired"
    for invoice_id in recorded:
        yield f"a number is recorded for invoice {invoice_id}, which does not bear it"


def attempt_faults(ledger: Ledger, *, quiet_s: float) -> Iterator[str]:
    """Yield faults of attempts: each post has one that agrees with the next state; no answered note is posted."""
    fences = {batch["id"]: batch["fence"] for batch in ledger["batches"]}
    posts: defaultdict[int, list[Record]] = defaultdict(list)
    for attempt in ledger["attempts"]:
        name = f"attempt {attempt['id']}"
        if attempt["what"] == "post":
            posts[attempt["invoice_id"]].append(attempt)
        if (attempt["ended_at"] is None) != (attempt["outcome"] is None):
            yield f"{name} has an end without an outcome, or an outcome without an end"
        if attempt["ended_at"] is not None and attempt["ended_at"] < attempt["begun_at"]:
            yield f"{name} ended before it began"
        if attempt["fence"] > fences[attempt["batch_id"]]:
            yield f"{name} has a fence that was never given out"
    outings: defaultdict[int, list[str | None]] = defaultdict(list)
    for event in ledger["events"]:
        if event["entity"] != "invoice":
            continue
        if event["was"] == "posting":
            outings[event["entity_id"]][-1] = event["becomes"]
        if event["becomes"] == "posting":
            outings[event["entity_id"]].append(None)
    yield from _hasty_cancellations(ledger, quiet_s)
    issued = {invoice["id"] for invoice in ledger["invoices"] if not _is_staged(invoice)}
    for invoice_id in posts.keys() | outings.keys():
        follows = {**_FOLLOWS, "done": {"processing"}} if invoice_id in issued else _FOLLOWS
        yield from _unlike(invoice_id, posts[invoice_id], outings[invoice_id], follows)
        yield from _hasty(invoice_id, posts[invoice_id], quiet_s)


def _hasty_cancellations(ledger: Ledger, quiet_s: float) -> Iterator[str]:
    """Yield cancellations that were asked for again while an earlier request might still arrive."""
    asked: defaultdict[int, list[Record]] = defaultdict(list)
    for attempt in ledger["attempts"]:
        if attempt["what"] == "cancel":
            asked[attempt["invoice_id"]].append(attempt)
    for invoice_id, requests in asked.items():
        for earlier, later in pairwise(requests):
            quiet_from = earlier["ended_at"] or earlier["begun_at"]
            is_known = earlier["outcome"] in ("done", "refused", "not_sent")
            if not is_known and later["begun_at"] < quiet_from + quiet_s * 1_000_000:
                yield f"invoice {invoice_id} was cancelled again before quiet time was over"


def _unlike(
    invoice_id: int, posts: list[Record], outings: list[str | None], follows: Mapping[str | None, set[str]]
) -> Iterator[str]:
    if len(posts) != len(outings):
        yield f"invoice {invoice_id} went out {len(outings)} times, but {len(posts)} attempts are in the journal"
        return
    for attempt, became in zip(posts, outings, strict=True):
        if became is not None and became not in follows[attempt["outcome"]]:
            outcome = attempt["outcome"] or "never heard of again"
            yield f"attempt {attempt['id']} was {outcome}, but invoice {invoice_id} became {became}"


def _hasty(invoice_id: int, posts: list[Record], quiet_s: float) -> Iterator[str]:
    for earlier, later in pairwise(posts):
        if earlier["outcome"] == "done":
            yield f"invoice {invoice_id} was posted again after it was answered"
        elif earlier["outcome"] != "not_sent":
            # Use the ledger's clock: the worker's own, which saw the last byte, may be wrong.
            quiet_from = earlier["ended_at"] or earlier["begun_at"]
            if later["begun_at"] < quiet_from + quiet_s * 1_000_000:
                yield f"invoice {invoice_id} was posted again before quiet time was over"


def approval_faults(ledger: Ledger) -> Iterator[str]:
    """Yield sent batches without an earlier approval of the same revision, digest, count and total."""
    valid = {each["batch_id"]: each for each in ledger["approvals"] if each["void_at"] is None}
    sendings: dict[int, int] = {}
    for event in ledger["events"]:
        if event["entity"] == "batch" and event["becomes"] in {"sending", "disturbed"}:
            sendings.pop(event["entity_id"], None)
            if event["becomes"] == "sending":
                sendings[event["entity_id"]] = event["at"]
    for batch in ledger["batches"]:
        if batch["id"] not in sendings:
            continue
        approval = valid.get(batch["id"])
        if approval is None:
            yield f"batch {batch['id']} was sent without an approval that stands"
            continue
        if approval["approved_at"] > sendings[batch["id"]]:
            yield f"batch {batch['id']} was sent before it was approved"
        for field in ("revision", "digest", "count", "total_cents"):
            if approval[field] != batch[field]:
                yield f"batch {batch['id']} was approved with another {field} than it has"
