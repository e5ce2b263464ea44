"""The status page over HTTP, and in a browser."""

import re
import shutil
import subprocess
import urllib.request

import pytest

from tests.sandboxes import note_body, running_sandbox

# A small container has neither a kernel namespace for the browser's own sandbox nor a big /dev/shm.
BROWSER = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")
HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture
def busy():
    """Yield a sandbox with a sent batch, a rejected request, a fault, a switch and a violation."""
    with running_sandbox(in_thread=True, advance="at_once", gap="refuse") as sandbox:
        sandbox.switch(gap="accept", list_order="oldest")
        _, batch, _ = sandbox.call("POST", "/api/v1/batches", {"emitter_id": 1, "name": HOSTILE})
        for number in (1, 2, 3, 3):
            assert sandbox.call("POST", "/api/v1/nfse", note_body(number, batch=batch["id"]))[0] == 201
        sandbox.call("DELETE", "/api/v1/nfse/4")
        sandbox.call("POST", f"/api/v1/batches/{batch['id']}/send", {})
        sandbox.faults({"operation": "account.read", "kind": "status_503"})
        sandbox.call("GET", "/api/v1")
        yield sandbox


def page_of(sandbox, query="", language="en"):
    asked = urllib.request.Request(f"{sandbox.base_url}/_sandbox/{query}", headers={"Accept-Language": language})
    with urllib.request.urlopen(asked, timeout=300) as answer:
        return answer.read().decode(), dict(answer.headers)


def test_the_page_shows_the_present_content(busy):
    page, headers = page_of(busy)
    assert headers["content-type"].startswith("text/html")
    assert "script" not in headers["content-security-policy"]
    (notes,) = re.findall(r'id="tally-notes">.*?</section>', page)
    assert re.findall(r"</span>(\w+)<b>(\d+)</b>", notes) == [("accepted", "3")]
    assert "status_503" in page
    assert "list_order" in page
    assert "duplicate_rps" in page
    assert "Grupo Marés e Aurora" in page
    assert HOSTILE not in page


def test_the_language_is_the_requested_or_a_default(busy):
    assert 'lang="pt-BR"' in page_of(busy, language="pt")[0]
    assert 'lang="pt-BR"' in page_of(busy, language="fr")[0]
    assert 'lang="pt-BR"' in page_of(busy, "?language=pt_BR", language="en")[0]
    assert 'lang="en"' in page_of(busy, "?language=xx", language="en")[0]


def test_looking_is_no_request_of_the_api(busy):
    before = busy.record(requests=True)["requests_by_operation"]
    page_of(busy)
    assert busy.record(requests=True)["requests_by_operation"] == before


@pytest.fixture
def browser():
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium here: nobody saw the status page in a browser")
    return found


def test_a_browser_shows_it(busy, browser, tmp_path):
    """A real browser renders it: the policy allows the style, nothing runs, and a picture results."""
    common = [browser, *BROWSER, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1360,1400"]
    picture = tmp_path / "page.png"
    address = f"{busy.base_url}/_sandbox/?language=pt_BR&pause=1"
    dumped = subprocess.run(
        [*common, "--enable-logging=stderr", "--v=0", f"--screenshot={picture}", address],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 50_000, "the page has no style or no content"
    assert "Content Security Policy" not in dumped.stderr
    document = subprocess.run([*common, "--dump-dom", address], capture_output=True, text=True, timeout=600, check=True)
    assert "<title>Provedor de ensaio</title>" in document.stdout
    assert "&lt;img src=x" in document.stdout
