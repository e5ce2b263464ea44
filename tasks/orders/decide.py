"""Store a person's decision which of two contradicting answers of the order service is right."""

from connectors.ledger.mirror import discrepancies
from connectors.ledger.mirror.discrepancies import Decision
from connectors.ledger.mirror.sync_cursors import Kind
from domain.problems import FaturistaError, Problem
from tasks.runtime import Context


def decide_clash(
    context: Context, kind: Kind, plan: str, number: int, decision: Decision, *, person: str, because: str
) -> None:
    """Store a person's `decision` whether the mirror keeps its first answer about an item or takes the current one.

    Raises `FaturistaError` where the answers do not contradict each other.
    """
    settled = context.ledger.write(
        discrepancies.decide, plan, kind, number, decision=decision, person=person, because=because
    )
    if settled is None:
        raise FaturistaError(Problem("mirror.no_clash", params={"plan": plan, "number": number}))
