"""A ledger from before there was lineage gets it for what it holds: readings of one place are one charge."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command, config

from connectors.ledger import migrations
from connectors.ledger.engine import Ledger
from tests.ledgers import sqlite_url

OLD = """
INSERT INTO files VALUES (1, 'a', 'nov.xlsx', 9, 'services', 0);
INSERT INTO readings (id, file_id, ordinal, operator, started_at, options) VALUES (1, 1, 1, 'x', 0, '{}');
INSERT INTO readings (id, file_id, ordinal, operator, started_at, options) VALUES (2, 1, 2, 'x', 0, '{}');
INSERT INTO rows (id, file_id, reading_id, sheet, row_number, state, cells, problems) VALUES
    (1, 1, 1, 'S', 2, 'refused', '{}', '[]'), (2, 1, 1, 'S', 3, 'refused', '{}', '[]'),
    (3, 1, 2, 'S', 3, 'read', '{}', '[]'), (4, 1, 2, 'T', 3, 'read', '{}', '[]');
INSERT INTO emitters VALUES (1, 11, '99000001000101', 'Marés', '3304557', 1, 0, 'service', 'nfse', 1);
INSERT INTO takers VALUES (1, '99000002000148', 12, 'T', '{}', 1, 0);
INSERT INTO invoices (id, row_id, emitter_id, taker_id, kind, issuer, is_staged, state, business_key, competence,
    content, digest, service_cents, liquid_cents, amounts, errors) VALUES
    (1, 3, 1, 1, 'service', 'nfse', 1, 'drafted', 'k', '2026-11-01', '{}', 'd', 1, 1, '{}', '[]');
"""


def test_what_was_there_gets_its_origin(tmp_path):
    url = sqlite_url(tmp_path)
    engine = sa.create_engine(url)
    with engine.begin() as conn:
        settings = config.Config()
        settings.set_main_option("script_location", str(Path(migrations.__file__).parent))
        settings.set_main_option("path_separator", "os")
        settings.attributes["connection"] = conn
        command.upgrade(settings, "0002")
        for statement in OLD.strip().removesuffix(";").split(";\n"):
            conn.exec_driver_sql(statement)
    engine.dispose()
    with Ledger.open(url) as ledger:
        rows = ledger.read(lambda conn: conn.exec_driver_sql("SELECT id, origin_id FROM rows ORDER BY id").fetchall())
        # readings were stored at once then: each of them counts
        whole = ledger.read(lambda conn: conn.exec_driver_sql("SELECT finished_at FROM readings").scalars().all())
        made = ledger.read(lambda conn: conn.exec_driver_sql("SELECT origin_id FROM invoices").scalar_one())
    assert [tuple(row) for row in rows] == [(1, None), (2, None), (3, 2), (4, None)]
    assert (made, whole) == (2, [0, 0])
