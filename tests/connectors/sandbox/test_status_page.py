"""The status page as HTML."""

import re

from connectors.emulation.system import Listing, Overview, StatusCounts
from connectors.sandbox.status_page import HEADERS, View, render
from connectors.sandbox.status_texts import Words

HOSTILE = "<script>alert(1)</script>"
VIEW = View(
    now=1_000.0,
    ahead_s=0.0,
    overviews=[
        Overview((StatusCounts("notes", {"accepted": 3, "rejected": 1, "cancelled": 0, HOSTILE: 2}),)),
        Overview(
            (),
            (
                Listing(
                    "latest_batches", ("batch", "status", "notes"), [(HOSTILE, "created", StatusCounts("notes", {}))]
                ),
            ),
        ),
    ],
    rules=[
        {"kind": "late", "operation": HOSTILE, "seen": 2, "applied": 1, "share": 0.25},
        {"kind": "city_down", "operation": "city", "seen": 0, "applied": 0, "since": 0.0, "seconds": 500},
    ],
    violations=[{"at": 1.0, "kind": "duplicate_rps", "details": HOSTILE}],
    violation_count=1,
    requests=[
        {
            "at": 1.0,
            "method": HOSTILE,
            "path": HOSTILE,
            "query": HOSTILE,
            "operation": "unknown",
            "status": None,
            "fault": HOSTILE,
            "subject": HOSTILE,
        }
    ],
    request_count=1,
    changed=[("gap", HOSTILE, "accept")],
)
QUIET = View(0.0, 0.0, [], rules=[], violations=[], violation_count=0, requests=[], request_count=0)


def test_nothing_that_was_sent_becomes_markup():
    page = render(VIEW, Words("pt_BR"), is_paused=False)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 12
    assert "default-src 'none'" in HEADERS["Content-Security-Policy"]


def test_nothing_comes_from_elsewhere():
    page = render(VIEW, Words("pt_BR"), is_paused=False)
    assert re.findall(r"(?:src|href|action)=\"(?!\?)[^\"]*\"|url\(|@import|style=", page) == []


def test_shares_add_up():
    page = render(VIEW, Words("en"), is_paused=False)
    widths = [float(width) for width in re.findall(r'width="([0-9.]+)"', page)]
    assert sum(widths) == 100.0
    assert '<b class="sum">6</b>' in page


def test_the_page_refreshes_unless_paused():
    assert 'http-equiv="refresh"' in render(QUIET, Words("en"), is_paused=False)
    assert 'http-equiv="refresh"' not in render(QUIET, Words("en"), is_paused=True)


def test_an_outage_that_is_over_says_so():
    page = render(VIEW, Words("en"), is_paused=False)
    assert "over since" in page
    assert "25 % of the time" in page


def test_a_quiet_provider_is_calm():
    page = render(QUIET, Words("en"), is_paused=False)
    assert 'class="alarm"' not in page
    assert "None: the provider behaves." in page
