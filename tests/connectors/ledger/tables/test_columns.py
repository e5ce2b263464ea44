"""Parts of the tables: what the tables declare for one database holds for the other too."""

import sqlalchemy as sa

CONDITIONAL = {
    "ix_invoices_dead_number", "ix_invoices_replaces_id", "ix_remote_changes_done", "ix_rows_origin_id",
    "uq_alerts_open", "uq_approvals_standing", "uq_cancellations_open", "uq_closings_standing",
    "uq_invoices_living_business_key", "uq_invoices_living_origin", "uq_invoices_living_replaces_id",
    "uq_remote_changes_open",
}  # fmt: skip
INDEXES = {
    "sqlite": "SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type = 'index'",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
}


def test_an_index_of_some_rows_has_its_condition_in_each_database(ledger):
    made = ledger.read(lambda conn: conn.execute(sa.text(INDEXES[ledger.dialect])).all())
    assert {name for name, text in made if " WHERE " in text} == CONDITIONAL
