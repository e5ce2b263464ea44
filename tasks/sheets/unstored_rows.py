"""The rows of a file that is read for a preview and not stored in the ledger."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from connectors.ledger.rows import PackedRow, PackedRows, Parties, RowRecord
from domain.problems import Problem
from domain.states import RowState


class UnstoredRows:
    """Rows as the ledger would have them, with temporary ids. They stay JSON in memory, and each access parses one."""

    def __init__(self, file_id: int, rows: Iterable[PackedRow]) -> None:
        self._file_id = file_id
        self._rows = PackedRows(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the typed lines of the rows that have one."""
        return (orjson.loads(line) for line in self._rows.columns["line"] if line is not None)

    def indexes_mentioning(self, field: str) -> Iterator[int]:
        """Yield the indexes of rows whose lines have a field, or its name within some text."""
        name = field.encode()
        return (index for index, line in enumerate(self._rows.columns["line"]) if line is not None and name in line)

    def change(self, lines: Mapping[int, Mapping[str, Any]], bad: Mapping[int, Sequence[Problem]]) -> None:
        """Replace the lines of some rows, and refuse others, by temporary id."""
        columns = self._rows.columns
        for row_id, line in lines.items():
            columns["line"][-row_id - 1] = orjson.dumps(line)
        for row_id, problems in bad.items():
            columns["state"][-row_id - 1] = str(RowState.REFUSED)
            columns["problems"][-row_id - 1] = orjson.dumps([each.to_json() for each in problems])

    def __iter__(self) -> Iterator[RowRecord]:
        return map(self.record, range(len(self)))

    @staticmethod
    def id_of(index: int) -> int:
        """Return the temporary id of the row at an index: negative, because no row of the ledger has such an id."""
        return -index - 1

    def record(self, index: int, parties: Parties | None = None) -> RowRecord:
        """Return the row at index `index`. With `parties` it is resolved and has no cells, as in `lines_of`."""
        row = self._rows[index]
        return RowRecord(
            id=self.id_of(index),
            file_id=self._file_id,
            reading_id=0,
            sheet=row.sheet,
            row_number=row.row_number,
            state=RowState(row.state) if parties is None else RowState.RESOLVED,
            cells=orjson.loads(row.cells) if parties is None else {},
            line=None if row.line is None else orjson.loads(row.line),
            problems=[Problem.from_json(each) for each in orjson.loads(row.problems)],
            business_key=None,
            emitter_id=None if parties is None else parties.emitter_id,
            taker_id=None if parties is None else parties.taker_id,
            template_id=None if parties is None else parties.template_id,
            leader_id=None,
            follows_id=row.follows_id,
            run_competence=row.run_competence,
        )
