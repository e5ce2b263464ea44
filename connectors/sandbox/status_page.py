"""The status page for a person in a rehearsal. Rendered here, without scripts and external content."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from connectors.emulation.faults import end_of_outage
from connectors.emulation.messages import Json
from connectors.emulation.system import Listing, Overview, StatusCounts
from connectors.sandbox.html import Markup, tag, together
from connectors.sandbox.status_texts import LANGUAGES, Words

REFRESH_S: Final = 2
_STYLE: Final = Markup((Path(__file__).parent / "page.css").read_text(encoding="utf-8"))
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_COLOURS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("accepted", "succeeded", "processed", "paid", "active", "in_force", "delivered"), "good"),
    **dict.fromkeys(("rejected", "denegated", "error", "failed", "expired"), "bad"),
    **dict.fromkeys(("created", "unpaid", "trial", "waiting"), "wait"),
    **dict.fromkeys(("scheduled", "processing", "cancelling"), "move"),
    **dict.fromkeys(("cancelled", "ended", "deleted"), "gone"),
}
_ORDER: Final = ("good", "bad", "move", "wait", "other", "gone")


@dataclass(frozen=True, slots=True)
class View:
    """The content of the page. `now` and `ahead_s` are of the provider's clock; lists have the latest entry first."""

    now: float
    ahead_s: float
    overviews: Sequence[Overview]
    rules: Sequence[Json]
    violations: Sequence[Json]
    violation_count: int
    requests: Sequence[Json]
    request_count: int
    changed: Sequence[tuple[str, Any, Any]] = field(default=())
    """Switches whose value is not the default: name, value, default."""


def render(view: View, words: Words, *, is_paused: bool) -> str:
    """Return the whole page."""
    head = together(
        [
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            None if is_paused else tag("meta", http_equiv="refresh", content=REFRESH_S),
            tag("title", words.say("title")),
            Markup(f"<style>{_STYLE}</style>"),
        ]
    )
    listings = [listing for overview in view.overviews for listing in overview.listings]
    watched = [
        listing for listing in listings if any(isinstance(cell, StatusCounts) for row in listing.rows for cell in row)
    ]
    others = [listing for listing in listings if listing not in watched]
    body = tag(
        "main",
        _violations(view, words) if view.violation_count else None,
        tag("div", *(_tally(each, words) for each in _tallies(view)), class_="tallies"),
        *(_listing(each, words) for each in watched),
        tag("div", _faults(view, words), _switches(view, words), class_="pair"),
        _requests(view, words),
        tag("div", *(_listing(each, words) for each in others), class_="pair") if others else None,
        None if view.violation_count else _violations(view, words),
    )
    page = tag(
        "html",
        tag("head", head),
        tag("body", _header(view, words, is_paused=is_paused), body),
        lang=words.say("language"),
    )
    return f"<!doctype html>\n{page}"


def _header(view: View, words: Words, *, is_paused: bool) -> Markup:
    other = next(name for name in LANGUAGES if name != words.language)
    pausing = f"?language={words.language}" + ("" if is_paused else "&pause=1")
    ahead = f" · {words.say('ahead', span=words.span(view.ahead_s))}" if view.ahead_s else ""
    state = words.say("paused") if is_paused else words.say("refreshing", seconds=REFRESH_S)
    return tag(
        "header",
        tag("div", tag("h1", words.say("title")), tag("p", words.say("lead"))),
        tag(
            "div",
            tag("b", words.moment(view.now), id="clock"),
            tag("p", words.say("clock"), ahead),
            tag(
                "p",
                f"{state} · ",
                tag("a", words.say("resume" if is_paused else "pause"), href=pausing),
                " · ",
                tag("a", words.say("other"), href=f"?language={other}" + ("&pause=1" if is_paused else "")),
            ),
            class_="clock",
        ),
    )


def _tallies(view: View) -> list[StatusCounts]:
    """Return the counts of all emulators; service invoices and their batches come first."""
    return [tally for overview in reversed(view.overviews) for tally in overview.tallies]


def _tally(tally: StatusCounts, words: Words) -> Markup:
    counts = _sort_counts(tally.counts)
    lines = [
        tag(
            "li",
            tag("span", class_=f"dot is-{_colour(name)}"),
            words.status(tally.name, name),
            tag("b", words.number(count)),
        )
        for name, count in counts
    ]
    return tag(
        "section",
        tag("h2", words.say(tally.name)),
        tag("b", words.number(sum(tally.counts.values())), class_="sum"),
        _bar(tally, words),
        tag("ul", *lines),
        class_="tally",
        id=f"tally-{tally.name}",
    )


def _bar(tally: StatusCounts, words: Words) -> Markup:
    """Return a bar with the share of each status."""
    total, left, parts = sum(tally.counts.values()), 0.0, []
    for name, count in _sort_counts(tally.counts):
        width = 100 * count / total
        title = tag("title", f"{words.status(tally.name, name)}: {words.number(count)}")
        parts.append(_rect(left, width, _colour(name), title))
        left += width
    return tag("svg", *parts, class_="bar", viewBox="0 0 100 8", preserveAspectRatio="none", role="img")


def _rect(left: float, width: float, colour: str, title: Markup) -> Markup:
    return tag("g", title, tag("rect", x=f"{left:.2f}", y=0, width=f"{width:.2f}", height=8, class_=f"is-{colour}"))


def _sort_counts(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    present = [(name, count) for name, count in counts.items() if count]
    return sorted(present, key=lambda pair: (_ORDER.index(_colour(pair[0])), pair[0]))


def _colour(status: str) -> str:
    return _COLOURS.get(status, "other")


def _listing(listing: Listing, words: Words) -> Markup:
    rows = [
        [_cell(listing, column, cell, words) for column, cell in zip(listing.columns, row, strict=True)]
        for row in listing.rows
    ]
    return _section(listing.name, words, _table(listing.columns, rows, words))


def _cell(listing: Listing, column: str, cell: Any, words: Words) -> Any:
    if isinstance(cell, StatusCounts):
        total = tag("b", words.number(sum(cell.counts.values())))
        return tag("div", _bar(cell, words), total, class_="share") if cell.counts else "–"
    if column == "status":
        noun = listing.name.removeprefix("latest_")
        return tag("span", words.status(noun, str(cell)), class_=f"tag is-{_colour(str(cell))}")
    return "–" if cell is None else cell


def _faults(view: View, words: Words) -> Markup:
    rows = [
        [
            tag("code", rule["kind"]),
            tag("code", rule["operation"]),
            _limit(rule, view.now, words),
            rule["seen"],
            tag("b", rule["applied"]),
        ]
        for rule in view.rules
    ]
    table = _table(("kind", "operation", "limit", "seen", "applied"), rows, words, empty="no_faults")
    return _section("faults", words, table, class_="warn" if view.rules else None)


def _limit(rule: Json, now: float, words: Words) -> str:
    if rule["kind"] == "city_down":
        until = end_of_outage(rule)
        return words.say("until" if now < until else "over", time=words.moment(until))
    if "share" in rule:
        return words.say("share", percent=f"{rule['share'] * 100:g}")
    return words.say("times", count=f"{rule.get('count', 1):g}")


def _switches(view: View, words: Words) -> Markup:
    rows = [[tag("code", name), tag("b", value), default] for name, value, default in view.changed]
    return _section("switches", words, _table(("switch", "value", "default"), rows, words, empty="no_switches"))


def _violations(view: View, words: Words) -> Markup:
    rows = [
        [words.time(each["at"]), tag("code", each["kind"]), tag("code", each["details"], title=each["details"])]
        for each in view.violations
    ]
    table = _table(("at", "kind", "details"), rows, words, empty="no_violations")
    count = words.number(view.violation_count) if view.violation_count else None
    return _section("violations", words, table, count, class_="alarm" if view.violation_count else None)


def _requests(view: View, words: Words) -> Markup:
    columns = ("at", "method", "path", "operation", "answer", "fault", "subject")
    rows = [
        [
            words.time(each["at"]),
            tag("code", each["method"]),
            tag("code", each["path"] + (f"?{each['query']}" if each["query"] else "")),
            tag("code", each["operation"]),
            _answer(each["status"], words),
            tag("span", each["fault"], class_="tag is-bad") if each["fault"] else "",
            each["subject"] or "",
        ]
        for each in view.requests
    ]
    total = words.say("requests_total", count=words.number(view.request_count))
    return _section("requests", words, _table(columns, rows, words), total)


def _answer(status: int | None, words: Words) -> Markup:
    if status is None:
        return tag("span", words.say("no_answer"), class_="is-bad")
    return tag("b", status, class_="is-good" if status < 400 else "is-bad")


def _section(name: str, words: Words, content: Markup, summary: str | None = None, class_: str | None = None) -> Markup:
    aside = tag("small", summary) if summary is not None else None
    return tag("section", tag("h2", words.say(name), aside), content, class_=class_, id=name.replace("_", "-"))


def _table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], words: Words, *, empty: str = "nothing_yet"
) -> Markup:
    lines = [tag("tr", *(tag("td", cell) for cell in row)) for row in rows]
    if not lines:
        return tag("p", words.say(empty), class_="empty")
    head = tag("thead", tag("tr", *(tag("th", words.say(column)) for column in columns)))
    return tag("div", tag("table", head, tag("tbody", *lines)), class_="wide")
