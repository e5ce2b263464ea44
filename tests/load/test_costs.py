"""The bench of costs counts the provider's real requests and compares its preview with them."""

from tests.load import costs


def test_every_request_of_a_small_month_is_forecast():
    rows = list(costs.rows(count=20, batch_size=10))
    judged = {(row.name, row.what): row.measured for row in rows}
    # Two batches: opened, their serie looked at, posted, counted; looked at once, their emitter and their serie again,
    # and sent; five looks, two counts, a page and a last look at their emitter at the end.
    fixed = 2 * (2 + 1 + 10 + 3 + 1 + costs.LOOKS + 2 + 1 + 1)
    asked = {what.partition(": ")[2]: round(each * 20) for (name, what), each in judged.items() if name == "P7"}
    # Also the emitter, four templates and their calculations, the serie; each of four takers is looked up and created.
    known = asked["takers known, counted proof"]
    assert known == fixed + 1 + 4 + 4 + 1
    assert asked["takers known, listed proof"] == known + 2 * (1 + 1)
    assert asked["one new taker in five"] == known + 2 * 4
    assert [row.remarks for row in rows if not row.name and row.measured > 1 / known] == []
    assert judged["P8", "requests of a look at 10 unchanged notes"] == 1
