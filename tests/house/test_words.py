"""Forbidden content of the project's files: outside machines, personal folders, real mailboxes, keys."""

import re

from tests.house import tree

# The licence is quoted unchanged; a lock has separate rules (test_locks).
NOT_OURS = re.compile(r"^(LICENSE|(tests/clients/[a-z_]+/)?requirements[a-z-]*\.lock)$")
# Names of XML vocabularies and of the age format look like addresses, but nobody connects to them.
# Names with these suffixes are reserved and belong to nobody.
VOCABULARY = r"(?:schemas\.openxmlformats\.org|schemas\.microsoft\.com|www\.w3\.org|purl\.org|age-encryption\.org)"
NOBODY = r"(?:[\w.-]+\.)?(?:example|invalid|test|localhost)|(?:[\w.-]+\.)?example\.(?:com|org|net|com\.br)"
LOOPBACK = r"(?:[\w%.-]+(?::[^@/\s]*)?@)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)"
PLACEHOLDER = r"[{$<%(\\\[\"'`]"
ADDRESS = re.compile(
    rf"\b[a-z][a-z0-9+.]*://(?!/|\s|$|\.\.\.|…|{PLACEHOLDER}|(?:{VOCABULARY}|{NOBODY}|{LOOPBACK})(?![\w.-]))\S+",
    re.IGNORECASE,
)
MAILBOX = re.compile(rf"\b[\w.+-]+@(?!(?:{NOBODY})(?![\w-]))(?:[\w-]+\.)+[a-z]{{2,}}\b", re.IGNORECASE)
HOST = re.compile(
    rf"(?<![\w.@/-])(?!(?:{VOCABULARY}|{NOBODY})(?![\w-]))"
    r"(?:[a-z0-9-]+\.)+(?:com|org|net|gov|com\.br|gov\.br|internal|corp)(?![\w.(=-])",
    re.IGNORECASE,
)
SOMEBODYS_FOLDER = re.compile(r"(?<![\w.}/-])/(?:home|root|Users|tmp|work|mnt|workspace)/\w")
KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:AKIA|ghp_|github_pat_|sk-|xox[bp]-)[A-Za-z0-9_-]{12,}")
RULES = {
    "an outside address": ADDRESS,
    "a mailbox that may be somebody's": MAILBOX,
    "an outside host": HOST,
    "a folder of one machine": SOMEBODYS_FOLDER,
    "a key": KEY,
}


def findings(path: str, text: str) -> list[str]:
    """Return each line of a file with forbidden content."""
    return [
        f"{path}:{number} {what}: {match[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        for what, rule in RULES.items()
        if (match := rule.search(line))
    ]


def test_no_file_names_an_outside_machine_or_somebody() -> None:
    found = [
        finding
        for path in tree.files()
        if not NOT_OURS.match(path) and path != "tests/house/test_words.py"
        for finding in findings(path, tree.text(path))
    ]
    assert not found, tree.listing(found)


def test_each_rule_sees_its_case() -> None:
    seen = {
        "an outside address": "base_url = 'https://nfse.acme.com.br/api'",
        "a mailbox that may be somebody's": "to = 'ana.souza@acme.com.br'",
        "an outside host": "index at packages.acme.org today",
        "a folder of one machine": "open('/home/ana/notes')",
        "a key": "-----BEGIN RSA PRIVATE KEY-----",
    }
    for what, line in seen.items():
        assert any(what in finding for finding in findings("x", line)), what


def test_reserved_names_are_allowed() -> None:
    innocent = """
        http://127.0.0.1:8787/api  https://localhost  sqlite:///{home}/ledger.db  postgresql+psycopg://{user}@{host}/x
        https://nfse.example/api  https://api.example.com.br/v1  http://schemas.openxmlformats.org/spreadsheetml
        fiscal@mares.example  ana@example.com.br  uma://  f"http://{host}"  postgresql://postgres@127.0.0.1:5432/x
        "://"  var/ledger.db  /tmp  application/json
    """
    assert findings("x", innocent) == []
