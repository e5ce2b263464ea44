"""`make bench`: measure what it costs to bill every row exactly once, each figure beside its target.

A ratio compares two times measured one shortly after the other in the same round; a row shows the median of its rounds.
A time means nothing on another machine, and a ratio means little while others use the machine.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import signature
from typing import Final

from tests.load import (
    closing,
    commands,
    corpus,
    costs,
    creation,
    growth,
    hostile,
    many_servers,
    months,
    orchestrating,
    pulls,
    reconciling,
    reporting,
    sharing,
    sheets,
    staging,
    startup,
    storage,
    webhooks,
)
from tests.load.table import HEADING, Row, business

Parts = Mapping[str, Callable[[], Iterable[Row]]]
PARTS: Final[Parts] = {
    "staging": staging.rows,
    "reconciling": reconciling.rows,
    "closing": closing.rows,
    "pulls": pulls.rows,
    "creation": creation.rows,
    "sheets": sheets.rows,
    "reports": reporting.rows,
    "months": months.rows,
    "costs": costs.rows,
    "orchestrator": orchestrating.rows,
    "sharing": sharing.rows,
    "servers": many_servers.rows,
    "growth": growth.rows,
    "storage": storage.rows,
    "webhooks": webhooks.rows,
    "hostile": hostile.rows,
    "startup": startup.rows,
    "commands": commands.rows,
    "corpus": corpus.rows,
}
"""Each part measures independently and yields its rows as soon as it has them."""


def show(parts: Parts) -> None:
    print(HEADING, flush=True)
    for part in parts.values():
        for row in part():
            print(*row.lines(), sep="\n", flush=True)
    if busy := business():
        print(f"\n{busy} Measure again.")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    sized = ", ".join(filter(_has_notes, PARTS))
    text = f"only these: {', '.join(PARTS)}; with a number of notes, as in servers=20000: {sized}"
    asked.add_argument("parts", nargs="*", metavar="part", help=text)
    try:
        show(chosen(asked.parse_args().parts or PARTS))
    except ValueError as error:
        asked.error(str(error))


def chosen(given: Iterable[str]) -> Parts:
    """Return the named parts, each of its own size or of `=notes`. Raises `ValueError`."""
    found: dict[str, Callable[[], Iterable[Row]]] = {}
    for each in given:
        name, sign, notes = each.partition("=")
        if name not in PARTS:
            raise ValueError(f"no such part: {name}")
        if sign and not (_has_notes(name) and notes.isdecimal() and int(notes)):
            raise ValueError(f"no size of this part: {each}")
        part: Callable[..., Iterable[Row]] = PARTS[name]
        found[name] = partial(part, notes=int(notes)) if sign else part
    return found


def _has_notes(name: str) -> bool:
    return "notes" in signature(PARTS[name]).parameters


if __name__ == "__main__":
    main()
