"""The legal steps of a row, a batch and an invoice: transcribed again, separately from the code under test."""

from collections.abc import Mapping
from typing import Final

Steps = Mapping[str, frozenset[str]]


def _steps(table: str) -> Steps:
    """Return the steps of `a b → c d` on each line: from each state on the left to each on the right."""
    found: dict[str, set[str]] = {}
    for line in table.strip().splitlines():
        sources, targets = line.split("→")
        for source in sources.split():
            found.setdefault(source, set()).update(targets.split())
    return {source: frozenset(targets) for source, targets in found.items()}


BIRTHS: Final[Steps] = _steps("""
    row → read refused
    batch → planned
    invoice → drafted
""")

COMMANDED: Final[Mapping[str, Steps]] = {
    "row": _steps("""
        read → resolved refused
        resolved → assembled refused
    """),
    "batch": _steps("""
        planned → opening
        opening → open planned
        open → staged
        staged → approved
        approved → sending held
        held → approved
        sending → scheduled approved
        scheduled → processing
        processing → processed
        staged approved held → open
        open staged approved held → discarding
        discarding → discarded disturbed
        planned opening open staged approved held sending → disturbed
        disturbed → open discarding scheduled
    """),
    "invoice": _steps("""
        drafted → reserved
        reserved → posting
        posting → created reserved in_doubt refused
        in_doubt → created reserved unresolved
        unresolved → accepted rejected retired
        created → scheduled deleted cancelled
        scheduled → processing
        processing → accepted rejected
        accepted → cancelling
        cancelling → cancelled accepted
        drafted reserved → retired
        replaced → cancelled
    """),
}

OBSERVED: Final[Mapping[str, Steps]] = {
    "row": {},
    "batch": _steps("""
        sending → scheduled processing processed
        scheduled → processing processed
        processing → processed
    """),
    "invoice": _steps("""
        posting in_doubt unresolved → created scheduled processing accepted rejected cancelling cancelled
        created → scheduled processing accepted rejected cancelling cancelled
        scheduled → processing accepted rejected cancelling cancelled
        processing → accepted rejected cancelling cancelled
        accepted → cancelling cancelled replaced
        cancelling → cancelled accepted replaced
    """),
}

ISSUING: Final[Steps] = _steps("""
    posting in_doubt → processing
""")
"""Further steps of an invoice where a post issues: a kind without staging."""

DEAD: Final = frozenset({"rejected", "refused", "deleted", "retired", "cancelled"})
"""States in which an invoice's number is retired and its row may be billed again."""

SETTLED: Final = DEAD | {"accepted", "replaced"}
"""States in which an invoice may be when the line has come to its end."""


def is_legal(entity: str, was: str | None, becomes: str, *, is_observed: bool, is_staged: bool = True) -> bool:
    """Return whether the journal may contain this step. An observed step may also be one that we command."""
    if was is None:
        return becomes in BIRTHS[entity]
    if entity == "invoice" and not is_staged and becomes in ISSUING.get(was, frozenset()):
        return True
    tables = (OBSERVED, COMMANDED) if is_observed else (COMMANDED,)
    return any(becomes in table[entity].get(was, frozenset()) for table in tables)
