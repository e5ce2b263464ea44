"""Read the status of an order for work: a finished one is billed, one under way is not."""

import re
from collections.abc import Collection
from typing import Final

_DONE: Final = re.compile(
    r"(?:concluid|finalizad|executad|realizad|entregue|encerrad|fechad|aprovad|validad|atendid|resolvid|complet|"
    r"terminad|"
    r"pront[oa]\b|feit[oa]\b|liberad|(?:a |para )?faturar|ok\b|done|closed|finished|resolved|delivered|"
    r"100 ?%)[a-z]{0,4}"
)
_FINISHED: Final = re.compile(r"concluid|finalizad")
_UNDER_WAY: Final = re.compile(
    r"\b(?:andamento|execucao|em (?:producao|criacao|desenvolvimento|montagem)\b|"
    r"agendad|a iniciar|nao iniciad|iniciad|programad|em campo|na fila|orcament|garantia|"
    r"in progress|scheduled)"
)


def are_of_work(words: Collection[str]) -> bool:
    """Return whether one of these statuses (normalized texts) is of work that is done or under way."""
    return any(_DONE.match(word) or _UNDER_WAY.search(word) for word in words)


def are_finished_and_under_way(words: Collection[str]) -> bool:
    """Return whether some of these statuses (normalized texts) are of finished work, and others of work under way."""
    return any(map(_FINISHED.match, words)) and any(map(_UNDER_WAY.search, words))


def rest_of_done(word: str) -> str | None:
    """Return the rest of a status (normalized text) after the word for done; None for work that is not done."""
    done = _DONE.match(word)
    return None if done is None or _UNDER_WAY.search(word) else word[done.end() :]
