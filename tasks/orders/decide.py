"""What only a person decides about the mirror: which of two contradicting answers of the order service is right."""

from connectors.ledger.mirror import clashes
from connectors.ledger.mirror.clashes import Decision
from connectors.ledger.mirror.marks import Kind
from domain.problems import FaturistaError, Problem
from tasks.runtime import Context


def decide_clash(
    context: Context, kind: Kind, plan: str, number: int, decision: Decision, *, person: str, because: str
) -> None:
    """Keep what the mirror was told first under this number, or take what the service says now.

    Raises `FaturistaError` where nothing contradicts itself.
    """
    settled = context.ledger.write(
        clashes.decide, plan, kind, number, decision=decision, person=person, because=because
    )
    if settled is None:
        raise FaturistaError(Problem("mirror.no_clash", params={"plan": plan, "number": number}))
