"""A ledger creates its secret once, and no other ledger has it."""

from connectors.ledger.sheets.tag_secrets import TAGS, secret_of


def test_the_first_request_creates_the_secret(ledger):
    first = ledger.write(secret_of, TAGS)
    assert len(first) == 32
    assert ledger.write(secret_of, TAGS) == first
    assert ledger.write(secret_of, "another") != first
