"""The statuses of an order for work: done is to be billed, under way is not."""

import re
from collections.abc import Collection
from typing import Final

_DONE: Final = re.compile(
    r"(?:concluid|finalizad|executad|realizad|entregue|encerrad|fechad|aprovad|validad|atendid|resolvid|complet|"
    r"terminad|"
    r"pront[oa]\b|feit[oa]\b|liberad|(?:a |para )?faturar|ok\b|done|closed|finished|resolved|delivered|"
    r"100 ?%)[a-z]{0,4}"
)
_UNDER_WAY: Final = re.compile(
    r"\b(?:andamento|execucao|agendad|a iniciar|nao iniciad|iniciad|programad|em campo|na fila|orcament|garantia|"
    r"in progress|scheduled)"
)


def are_of_work(words: Collection[str]) -> bool:
    """Return whether plain statuses say how far a work is: one is done or under way."""
    return any(_DONE.match(word) or _UNDER_WAY.search(word) for word in words)


def rest_of_done(word: str) -> str | None:
    """Return what follows the words for done in a plain status; None for work that is not done."""
    done = _DONE.match(word)
    return None if done is None or _UNDER_WAY.search(word) else word[done.end() :]
