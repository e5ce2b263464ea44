"""A rate of the sheet that replaces another one of its template is listed with both."""

from connectors.nfse.emulator.seed import default_company
from domain.decisions import decisions_of
from tasks.stations.resolve import resolve_rows
from tests.tasks.rows import line
from tests.tasks.stations.test_resolve import decided_codes, stored_decisions
from tests.tasks.workshop import Workshop


def test_a_rate_unlike_the_templates_is_listed_with_both(shop: Workshop):
    template = default_company()["emitters"][0]["service_values"][0]
    assert (template["name"], template["iss_percentage"]) == ("Mensalidade Sistema", "2.00")
    lines = [line(1, iss_bp=300), line(2, iss_bp=200), line(3, iss_bp=300), line(4, iss_bp=500), line(5)]
    reading = shop.reading(*lines)
    shop.run(resolve_rows, reading)
    first, second = stored_decisions(shop)
    assert first.problem.code == second.problem.code == "template.rate_differs"
    assert first.problem.params == {"rate": "3,00", "usual": "2,00", "template": "Mensalidade Sistema"}
    assert (first.rows, second.rows, second.problem.params["rate"]) == ((5, 7), (8,), "5,00")
    assert decisions_of([first.problem])[0].kind == "chosen"


def test_another_word_on_the_retention_of_iss_is_listed(shop: Workshop):
    shop.run(resolve_rows, shop.reading(line(1, retained_iss=True), line(2, retained_iss=False), line(3)))
    assert decided_codes(shop) == ["template.retention_differs"]
