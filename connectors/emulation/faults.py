"""Scripted faults: rules choose requests by count or by repeatable chance; the journal records each fault.

| kind | effect on the client | was the work done? |
|---|---|---|
| `reset_before` | connection reset after the head was read | no |
| `reset_after` | connection reset after the whole request was read | no |
| `close_after` | connection closed gracefully, no answer | no |
| `lose_answer` | the same, after the work (`how` = `close`, the default, or `reset`) | yes |
| `late` | the answer arrives `seconds` late | yes, at once |
| `slow` | the work itself starts `seconds` late, even if the client has left | yes, late |
| `held` | connection closed gracefully, no answer | yes, after `seconds` (default 3600) or at a `release` |
| `release` | the true answer; afterwards the work of all `held` requests begins | yes |
| `hang` | no answer until the client leaves, at most `seconds` (default 3600) | yes |
| `status_500`, `status_422`, `status_503`, `status_429` | that status (`when` = `before`, the default, or `after`); the last two with `Retry-After` of `seconds` (default 1) | by `when` |
| `gateway` | a gateway's page with `status` (default 404) and content type `media` (default text/html) | no |
| `truncated` | the true head and half of the body, then closed | yes |
| `truncated_head` | half of the head, then closed | yes |
| `malformed` | the true status with a body that is not JSON | yes |
| `content_type` | the true answer with content type `media` (default text/html) | yes |
| `altered` | the true answer, or each object of a list, with the keys of `fields` overwritten | yes |
| `act` | none; after the work the sandbox does `act` as a person on the provider's website would (see `connectors.sandbox.control`) | yes |
| `drifting_order` | on a list: it begins `places` (default 3) later at each request | – |
| `lagging_counters` | on `batches.read`: the counters of `seconds` ago | – |
| `city_slow` | on `city`: the note's city, or the product invoice's tax authority, takes `seconds` longer | – |
| `city_down` | on `city`: no decision for `seconds` (default a day) from now; notes stay `processing` with the error 500 | – |
| `webhook_drop`, `webhook_double` | on `webhook`: a delivery is not made, or made twice | – |
| `webhook_reorder` | on `webhook`: a delivery is made after the next one | – |
| `close_accept`, `reset_accept` | on `connection`: closed or reset before a byte is read | no |

A rule is `{operation, kind, count | share, after, seed, …}`: `operation` is a name of `fields.toml`, `notes.*`, or `*`
(any HTTP operation); `count` (default 1) limits the faults, `share` is a fraction by repeatable chance; `after` skips
the first n. `city_down` depends on time alone; with a `city_code` it affects only that city.
"""  # noqa: E501 - rows of a table

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from connectors.emulation.messages import Json
from connectors.emulation.repeatable_random import fraction
from connectors.emulation.request_journal import note_fault
from connectors.emulation.state_file import Store

BY_HANDLER: Final = frozenset({"lagging_counters", "drifting_order"})
"""Kinds that the operation's handler applies itself."""
ANY_OPERATION: Final = frozenset(
    {
        "reset_before",
        "reset_after",
        "close_after",
        "lose_answer",
        "late",
        "slow",
        "held",
        "release",
        "hang",
        "status_500",
        "status_503",
        "status_429",
        "status_422",
        "gateway",
        "truncated",
        "truncated_head",
        "malformed",
        "content_type",
        "altered",
        "act",
        "drifting_order",
    }
)
ONLY_ON: Final[Mapping[str, str]] = {
    "lagging_counters": "batches.read",
    "city_slow": "city",
    "city_down": "city",
    "webhook_drop": "webhook",
    "webhook_double": "webhook",
    "webhook_reorder": "webhook",
    "close_accept": "connection",
    "reset_accept": "connection",
}
NOT_HTTP: Final = frozenset({"city", "connection", "webhook"})
_DAY_S: Final = 86_400.0
_RULES: Final = "faults"
_CEILING: Final = 100
_MOST: Final = 10_000_000_000
_TEXTS: Final = frozenset({"operation", "kind", "how", "when", "media"})
_NUMBERS: Final = frozenset(
    {"count", "share", "after", "seed", "seconds", "places", "city_code", "status", "seen", "applied", "since"}
)
_OBJECTS: Final = frozenset({"fields", "act"})


class Faults:
    """The active fault rules with their counts, saved in the store. `now` is the provider's clock."""

    def __init__(self, store: Store, now: Callable[[], float]) -> None:
        self._store, self._now = store, now
        self.rules: list[Json] = []
        self.reload()

    def reload(self) -> None:
        """Read the store again, after it was emptied or rolled back."""
        self.rules = self._store.setting(_RULES, [])

    def replace(self, rules: Any) -> None:
        """Replace the rules and start their counts anew. Raises `ValueError` with a sentence for an invalid rule."""
        if not isinstance(rules, list) or len(rules) > _CEILING:
            raise ValueError(f"faults are a list of at most {_CEILING}")
        for rule in rules:
            _refuse_nonsense(rule)
        self.rules = [{**rule, "seen": 0, "applied": 0, "since": self._now()} for rule in rules]
        self._save()

    def choose(self, operation: str) -> Json | None:
        """Return the fault of this request, from the first rule that applies, or None.

        Count the request for every matching rule.
        """
        if not self.rules:
            return None
        chosen: Json | None = None
        matching = [r for r in self.rules if r["kind"] != "city_down" and _matches(r["operation"], operation)]
        for rule in matching:
            rule["seen"] += 1
            if chosen is None and _applies(rule):
                rule["applied"] += 1
                chosen = rule
        if chosen is not None:
            note_fault(self._store, self._now(), operation, chosen["kind"])
        if matching:
            self._save()
        return chosen

    def outage(self, city_code: Any, subject: str) -> float | None:
        """Return the instant at which the city's outage ends, or None without one. Journal the delay of `subject`."""
        now = self._now()
        for rule in self.rules:
            if rule["kind"] == "city_down" and rule.get("city_code") in (None, city_code):
                until = end_of_outage(rule)
                if now < until:
                    rule["seen"], rule["applied"] = rule["seen"] + 1, rule["applied"] + 1
                    note_fault(self._store, now, "city", "city_down", subject=subject)
                    self._save()
                    return until
        return None

    def _save(self) -> None:
        self._store.set_setting(_RULES, self.rules)


def end_of_outage(rule: Json) -> float:
    """Return the instant, in seconds since 1970, at which the outage of this rule ends."""
    return float(rule["since"] + rule.get("seconds", _DAY_S))


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
    unknown = set(rule) - _TEXTS - _NUMBERS - _OBJECTS
    if unknown:
        raise ValueError(f"unknown keys in a fault: {sorted(unknown)}")
    wrong = sorted(_mistyped_keys(rule))
    if wrong:
        raise ValueError(f"of the wrong type in a fault: {wrong}")
    kind = rule.get("kind")
    home = ONLY_ON.get(str(kind))
    if home is None and kind not in ANY_OPERATION:
        raise ValueError(f"unknown kind of fault: {kind}")
    if home is not None and rule["operation"] != home:
        raise ValueError(f"{kind} belongs to the operation {home}")
    if home is None and rule["operation"] in NOT_HTTP:
        raise ValueError(f"{kind} cannot happen on {rule['operation']}")


def _mistyped_keys(rule: Json) -> Iterable[str]:
    for key, value in rule.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST
        if key in _NUMBERS and not is_number:
            yield key
        if (key in _TEXTS and not isinstance(value, str)) or (key in _OBJECTS and not isinstance(value, dict)):
            yield key
