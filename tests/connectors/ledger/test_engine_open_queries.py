"""Queries that outlive their transaction."""

import pytest
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.engine import Ledger
from tests.connectors.ledger import scene as scenes


def test_a_query_that_an_error_left_open_keeps_no_snapshot(ledger, ledger_url):
    """The error's traceback keeps the query: its connection would refuse to write, and show readers the past."""

    def fail_between_rows(conn):
        found = conn.execute(sa.select(tables.legal_moves))
        raise LookupError(next(iter(found)))

    with Ledger.open(ledger_url) as another:
        with pytest.raises(LookupError) as of_writer:
            ledger.write(fail_between_rows)
        with pytest.raises(LookupError) as of_reader:
            ledger.read(fail_between_rows)
        another.write(scenes.add_reading)
        assert len(ledger.read(scenes.known_files)) == 1
        ledger.write(scenes.add_reading, "b" * 64)
    assert all((of_writer.value, of_reader.value))
