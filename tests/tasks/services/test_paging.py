"""A reading is processed to its end, part by part, while its rows change their state."""

from connectors.ledger import rows
from domain.states import RowState
from tasks.runtime import Runtime
from tasks.services.paging import in_parts
from tests.tasks.rows import line
from tests.tasks.workshop import Workshop

MORE_THAN_A_PART = 2_003


def test_every_row_comes_once_without_its_cells(shop: Workshop):
    reading = shop.reading(*[line(n) for n in range(MORE_THAN_A_PART)])
    sizes: list[int] = []
    seen: list[int] = []

    async def walk(runtime: Runtime) -> None:
        async for part in in_parts(runtime, reading, RowState.READ):
            sizes.append(len(part))
            seen.extend(row.row_number for row in part)
            assert not any(row.cells for row in part)
            problems = dict.fromkeys([row.id for row in part], ())
            await runtime.ledger.write_async(rows.refuse_rows, problems, because="seen")

    shop.run(walk)
    assert seen == [5 + n for n in range(MORE_THAN_A_PART)]
    assert len(sizes) == 2
