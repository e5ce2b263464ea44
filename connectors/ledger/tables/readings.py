"""Files, their readings, and the rows of the readings."""

import sqlalchemy as sa

from connectors.ledger.database.sql import Instant
from connectors.ledger.tables.columns import a_link, an_id, is_any, metadata, partial_index, vacuum_often
from domain.states import RowState

files = sa.Table(
    "files",
    metadata,
    an_id(),
    sa.Column("sha256", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("received_at", Instant, nullable=False),
)

readings = sa.Table(
    "readings",
    metadata,
    an_id(),
    a_link("file_id", "files"),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("operator", sa.Text, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    # while null, rows may be missing: no row is valid, and none may move
    sa.Column("finished_at", Instant),
    # the operator's options: emitter_cnpj, competence "2026-11", allow_repeats, retry_rejected
    sa.Column("options", sa.JSON, nullable=False),
    # the reader's result: sheet, header row, mapping, control total, warnings
    sa.Column("understood", sa.JSON(none_as_null=True)),
    # the process that works on the reading (`connectors.process_names`) and its last heartbeat; null: no process does
    sa.Column("worker", sa.Text),
    sa.Column("alive_at", Instant),
    sa.UniqueConstraint("file_id", "ordinal"),
)

# the answer to a dropped file; `change_at`: the newest change that it includes, null before the first answer is written
answers = sa.Table(
    "answers",
    metadata,
    sa.Column("file_id", sa.BigInteger, sa.ForeignKey("files.id"), primary_key=True, autoincrement=False),
    sa.Column("change_at", Instant),
    sa.Column("written_at", Instant, nullable=False),
)

rows = sa.Table(
    "rows",
    metadata,
    an_id(),
    a_link("file_id", "files"),
    a_link("reading_id", "readings"),
    sa.Column("sheet", sa.Text, nullable=False),
    sa.Column("row_number", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    # {field: text as the person sees it}; the typed line; the problems, as `Problem.to_json`
    sa.Column("cells", sa.JSON, nullable=False),
    sa.Column("line", sa.JSON(none_as_null=True)),
    sa.Column("problems", sa.JSON, nullable=False),
    sa.Column("business_key", sa.Text),
    a_link("emitter_id", "emitters", nullable=True),
    a_link("taker_id", "takers", nullable=True),
    a_link("template_id", "templates", nullable=True),
    # the row that owns the invoice of several rows; null in that row itself
    a_link("leader_id", "rows", nullable=True),
    # the row that this row corrects; and the first row of its charge, from an earlier reading of the place or from the
    # corrected row; null in the first row itself
    sa.Column("follows_id", sa.BigInteger().with_variant(sa.Integer, "sqlite")),
    sa.Column("origin_id", sa.BigInteger().with_variant(sa.Integer, "sqlite")),
    # "2026-11" if the run set the month; null if the row has its own. A row that is billed for another month is another
    # charge.
    sa.Column("run_competence", sa.Text),
    sa.CheckConstraint(
        f"leader_id IS NULL OR (leader_id <> id AND {is_any('state', RowState.ASSEMBLED)})",
        name="follower_is_assembled",
    ),
    sa.UniqueConstraint("reading_id", "sheet", "row_number"),
    # null in the rows of a file's first reading, unless they correct other rows
    partial_index("ix_rows_origin_id", "origin_id", where="origin_id IS NOT NULL"),
    # with the id, so that a part of a reading is found without sorting all its rows
    sa.Index("ix_rows_reading_id_state_id", "reading_id", "state", "id"),
)
vacuum_often(rows)
