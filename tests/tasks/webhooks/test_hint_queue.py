"""What waits for the ledger: bounded, each invoice once, kept in order when it cannot be stored."""

from collections import Counter

from connectors.issuers import SYSTEMS, Webhooks
from tasks.webhooks.hint_queue import HintQueue


def webhooks() -> Webhooks:
    found = SYSTEMS["nfse"].webhooks
    assert found is not None
    return found


def add(waiting: HintQueue, *notes: int) -> None:
    for note in notes:
        waiting.add(webhooks(), {"id": note, "from_status": "processing", "to_status": "rejected"})


def test_each_invoice_waits_once_and_the_oldest_go_first():
    waiting = HintQueue(3)
    add(waiting, 5, 4, 5, 3, 2)
    assert (waiting.pop_oldest(2), waiting.pop_oldest(9), len(waiting)) == ([5, 4], [3], 0)
    assert waiting.counts == {"repeated": 1, "overflow": 1}


def test_unstored_hints_wait_first():
    waiting = HintQueue(3)
    add(waiting, 1, 2)
    taken = waiting.pop_oldest(2)
    add(waiting, 3, 4)
    waiting.put_back(taken, Counter(test=1))
    assert waiting.pop_oldest(9) == [1, 2, 3]
    assert waiting.counts == {"test": 1, "overflow": 1}
