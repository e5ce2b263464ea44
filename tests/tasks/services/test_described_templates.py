"""A description that is the name of another template refuses its row."""

from typing import Any

from tasks.stations.resolve import resolve_rows
from tests.tasks.rows import line
from tests.tasks.workshop import Workshop


def refused(shop: Workshop, *rows: Any) -> dict[int, list[str]]:
    """Resolve the rows. Return problem codes by row number; the first row is 5."""
    reading = shop.reading(*rows)
    shop.run(resolve_rows, reading)
    return shop.problems(reading)


def test_a_description_that_names_another_template_of_the_ledger_is_refused(shop: Workshop):
    rows = [
        line(1, template_name="Suporte Mensal"),
        line(2, template_name="Suporte Mensal", description="CONSULTORIA"),
        line(3, template_name="Consultoria", description="Consultoria"),
        line(4, template_name="Consultoria", description="Consultoria de outubro"),
    ]
    assert refused(shop, *rows) == {6: ["template.described"]}


def test_a_row_with_the_runs_template_is_compared_with_all_templates(shop: Workshop):
    rows = [
        line(1, template_name="Suporte Mensal", description="Consultoria"),
        line(2, template_name="Suporte Mensal", description="Consultoria", has_default_template=True),
    ]
    assert refused(shop, *rows) == {6: ["template.described"]}
