"""Build strings that make a regular expression backtrack, from its own syntax tree.

A pattern is slow where a part of it can match the same text in several ways. So an attack is a prefix that leads to the
part, the part's own text many times, and an end that does not match.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

SHORTEST, LONGEST = 8, 1 << 14
"""Lengths of an attack in characters: the first one, doubled up to the second one."""
SAMPLES, PIECES, LONGEST_PIECE = 4, 40, 7
"""Number of matching texts per pattern, number of their pieces to repeat, and the longest piece in characters."""
MISFIT: Final = "\x01"
"""A character that none of our patterns matches."""
EXPLODES, SQUARES = 6.0, 3.0
"""Allowed growth of the CPU time when the length doubles: once, and twice in a row. A linear search shows 2."""
WORTH_S: Final = 0.002
"""Seconds. Shorter times are noise."""
REPEATED: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
LETTERS: Final = " \t\naZ09<>/=\"'.,;:-_@&!*#?\\()[]{}xà "
CATEGORIES: Final[dict[Any, Callable[[str], bool]]] = {
    codes.CATEGORY_DIGIT: str.isdecimal,
    codes.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    codes.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    codes.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


class Attack(NamedTuple):
    """A text that makes an expression backtrack: `prefix`, `pump` repeated, `end`."""

    prefix: str
    pump: str
    end: str

    def text(self, length: int) -> str:
        return self.prefix + self.pump * max(1, length // len(self.pump)) + self.end


def attacks(pattern: "re.Pattern[Any]") -> Iterator[Attack]:
    """Yield the families of inputs for one pattern, always the same ones."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(source, pattern.flags & ~re.DEBUG)
    dice = random.Random(source.encode("utf-8", "surrogatepass"))
    first: dict[Attack, None] = {}
    others: dict[Attack, None] = {}
    for _ in range(SAMPLES):
        leaves = [*_leaves(tree, dice, {})]
        whole = "".join(leaves)
        for length in range(1, len(whole) + 1):
            first[Attack("", whole[:length], dice.choice(("", MISFIT, whole[:-1])))] = None
        for start in range(len(leaves)):
            for stop in range(start + 1, min(start + LONGEST_PIECE, len(leaves)) + 1):
                before, pump, rest = ("".join(part) for part in (leaves[:start], leaves[start:stop], leaves[stop:]))
                for prefix, end in product((before, ""), (MISFIT, rest[:-1])):
                    others[Attack(prefix, pump, end)] = None
    for char in sorted({*"".join(each.pump for each in first), *" a0<"}):
        first[Attack("", char, MISFIT)] = None
    several = [each for each in others if each.pump]
    dice.shuffle(several)
    single = [each for each in several if len(each.pump) == 1]
    longer = [each for each in several if len(each.pump) > 1]
    yield from dict.fromkeys((*first, *single[:PIECES], *longer[:PIECES]))


def _leaves(tree: Any, dice: random.Random, groups: dict[int, str]) -> Iterator[str]:
    """Yield the pieces of one matching text, except lookahead and lookbehind."""
    for kind, value in tree:
        if kind is codes.LITERAL:
            yield chr(value)
        elif kind is codes.NOT_LITERAL:
            yield dice.choice([char for char in LETTERS if ord(char) != value])
        elif kind is codes.ANY:
            yield dice.choice(LETTERS)
        elif kind is codes.IN:
            yield dice.choice([char for char in LETTERS if _is_in(char, value)] or [_first_of(value)])
        elif kind is codes.BRANCH:
            yield from _leaves(dice.choice(value[1]), dice, groups)
        elif kind is codes.SUBPATTERN:
            pieces = [*_leaves(value[3], dice, groups)]
            groups[value[0]] = "".join(pieces)
            yield from pieces
        elif kind is codes.ATOMIC_GROUP:
            yield from _leaves(value, dice, groups)
        elif kind in REPEATED:
            least, most, body = value
            for _ in range(min(max(least, dice.choice((0, 1, 2))), most, 20)):
                yield from _leaves(body, dice, groups)
        elif kind is codes.GROUPREF:
            yield groups.get(value, "")
        elif kind is codes.ASSERT and value[0] > 0:
            yield from _leaves(value[1], dice, groups) if dice.random() < 1 / 2 else ()


def _is_in(char: str, members: Sequence[Any]) -> bool:
    wanted, found = True, False
    for kind, value in members:
        if kind is codes.NEGATE:
            wanted = False
        elif kind is codes.LITERAL:
            found = found or ord(char) == value
        elif kind is codes.RANGE:
            found = found or value[0] <= ord(char) <= value[1]
        elif kind is codes.CATEGORY:
            found = found or CATEGORIES[value](char)
    return found is wanted


def _first_of(members: Sequence[Any]) -> str:
    return next(chr(value if kind is codes.LITERAL else value[0]) for kind, value in members if kind != codes.NEGATE)


def growth(call: Callable[[Any], object], attack: Attack, *, is_bytes: bool) -> str | None:
    """Return how the CPU time of `call` grows beyond linear, in words; None if it does not."""
    before, steep = 0.0, 0
    length = SHORTEST
    while length <= LONGEST:
        text = attack.text(length)
        given = text.encode("latin-1", "replace") if is_bytes else text
        seconds = _seconds(call, given, rounds=1)
        if seconds > WORTH_S and before:
            # Take the best of several: other work on the machine can only add time.
            seconds = min(seconds, _seconds(call, given, rounds=3)) if seconds < 1 else seconds
            ratio = seconds / before
            if seconds > WORTH_S and ratio > EXPLODES:
                return f"{ratio:.0f} times the CPU time at {length} characters"
            steep = steep + 1 if seconds > WORTH_S and ratio > SQUARES else 0
            if steep == 2:
                return f"{ratio:.1f} times the CPU time at {length} characters, and so before"
        before = max(seconds, 1e-5)
        length *= 2
    return None


def _seconds(call: Callable[[Any], object], given: object, *, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.thread_time()
        call(given)
        best = min(best, time.thread_time() - start)
    return best
