"""Scripted trouble: which request gets which fault, decided by count or by repeatable chance.

| kind | what the client meets | was the work done? |
|---|---|---|
| `reset_before` | connection reset once the head is read | no |
| `reset_after` | connection reset once the whole request is read | no |
| `close_after` | connection closed in good order, no answer | no |
| `lose_answer` | the same, after the work (`how` = `close`, the default, or `reset`) | yes |
| `late` | the answer comes `seconds` late | yes, at once |
| `slow` | the work itself starts `seconds` late, even if the client has left | yes, late |
| `hang` | no answer until the client leaves, at most `seconds` (default 3600) | yes |
| `status_500`, `status_503`, `status_429` | that status (`when` = `before`, the default, or `after`) | by `when` |
| `truncated` | the true head and half of the body, then closed | yes |
| `truncated_head` | half of the head, then closed | yes |
| `malformed` | the true status with a body that is no JSON | yes |
| `altered` | the true answer with the keys of `fields` overwritten | yes |
| `act` | nothing; after the work the person in the web page does `act` (see `connectors.sandbox`) | yes |
| `lagging_counters` | on `batches.read`: the counters of `seconds` ago | – |
| `city_slow` | on `city`: the note's city, or the product invoice's tax authority, takes `seconds` longer | – |
| `close_accept`, `reset_accept` | on `connection`: closed or reset before a byte is read | no |

A rule is `{operation, kind, count | share, after, seed, …}`: `operation` is a name of `fields.toml`, `notes.*`, or `*`
(any HTTP operation); `count` (default 1) is how often, `share` a fraction by repeatable chance; `after` skips the
first n.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from connectors.twins.answers import Json
from connectors.twins.chance import fraction

ANY_OPERATION: Final = frozenset(
    {
        "reset_before",
        "reset_after",
        "close_after",
        "lose_answer",
        "late",
        "slow",
        "hang",
        "status_500",
        "status_503",
        "status_429",
        "truncated",
        "truncated_head",
        "malformed",
        "altered",
        "act",
    }
)
ONLY_ON: Final[Mapping[str, str]] = {
    "lagging_counters": "batches.read",
    "city_slow": "city",
    "close_accept": "connection",
    "reset_accept": "connection",
}
NOT_HTTP: Final = frozenset({"city", "connection"})
_RULE_KEYS: Final = frozenset(
    {
        "operation",
        "kind",
        "count",
        "share",
        "after",
        "seed",
        "seconds",
        "how",
        "when",
        "fields",
        "act",
        "seen",
        "applied",
    }
)


class Faults:
    """The rules in force. `save` is called with them whenever a rule has counted something."""

    def __init__(self, rules: list[Json], save: Callable[[list[Json]], None]) -> None:
        self.rules = rules
        self._save = save

    def replace(self, rules: list[Json]) -> None:
        """Put new rules in force, counted from now on. Raises `ValueError` in words for a rule that means nothing."""
        for rule in rules:
            _refuse_nonsense(rule)
        self.rules = [{**rule, "seen": 0, "applied": 0} for rule in rules]
        self._save(self.rules)

    def choose(self, operation: str) -> Json | None:
        """The fault of this request, if any: the first rule that applies. Every rule that matches counts it as seen."""
        if not self.rules:
            return None
        chosen: Json | None = None
        for rule in self.rules:
            if not _matches(rule["operation"], operation):
                continue
            rule["seen"] += 1
            if chosen is None and _applies(rule):
                rule["applied"] += 1
                chosen = rule
        self._save(self.rules)
        return chosen


def _matches(pattern: str, operation: str) -> bool:
    if pattern == "*":
        return operation not in NOT_HTTP
    return pattern == operation or (pattern.endswith(".*") and operation.startswith(pattern[:-1]))


def _applies(rule: Json) -> bool:
    nth = rule["seen"] - rule.get("after", 0)
    if nth <= 0:
        return False
    limit: float = rule.get("count", math.inf if "share" in rule else 1)
    is_chosen: bool = "share" not in rule or fraction(rule.get("seed", 0), nth) < rule["share"]
    return is_chosen and rule["applied"] < limit


def _refuse_nonsense(rule: Any) -> None:
    if not isinstance(rule, dict) or not isinstance(rule.get("operation"), str):
        raise ValueError("a fault is an object with operation and kind")
    unknown = set(rule) - _RULE_KEYS
    if unknown:
        raise ValueError(f"unknown keys in a fault: {sorted(unknown)}")
    kind = rule.get("kind")
    home = ONLY_ON.get(str(kind))
    if home is None and kind not in ANY_OPERATION:
        raise ValueError(f"unknown kind of fault: {kind}")
    if home is not None and rule["operation"] != home:
        raise ValueError(f"{kind} belongs to the operation {home}")
    if home is None and rule["operation"] in NOT_HTTP:
        raise ValueError(f"{kind} cannot happen on {rule['operation']}")
